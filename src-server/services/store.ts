/**
 * The site's store: the queries of `db/store.ts`, where each repository with rules is replaced by the service that owns them.
 * A service inherits the reads of its queries and adds the operations that check rules and write the audit and events.
 */
import {
  createStore,
  openDatabase,
  QUERIES,
  type RepositoriesOf,
  type StoreOf,
  type StoreOptions,
} from '../db/index.ts';
import { Accounts } from './accounts.ts';
import { AnalysisRuns } from './analysis-runs.ts';
import { Analytics } from './analytics.ts';
import { Annotations } from './annotations.ts';
import { Attention } from './attention.ts';
import { Boards } from './boards.ts';
import { Corrections } from './corrections.ts';
import { DataQueries } from './data-queries.ts';
import { Devices } from './devices.ts';
import { Digests } from './digests.ts';
import { Equipment } from './equipment.ts';
import { Erasures } from './erasures.ts';
import { Faults } from './faults.ts';
import { Jobs } from './jobs.ts';
import { MessageBatches } from './message-batches.ts';
import { Messages } from './messages.ts';
import { Notes } from './notes.ts';
import { Pairings } from './pairings.ts';
import { Participation } from './participation.ts';
import { Phones } from './phones.ts';
import { Recordings } from './recordings.ts';
import { SavedFilters } from './saved-filters.ts';
import { SecondFactors } from './second-factors.ts';
import { Settings } from './settings.ts';
import { Signatures } from './signatures.ts';
import { Studies } from './studies.ts';
import { StudyExports } from './study-exports.ts';
import { StudyLocks } from './study-locks.ts';
import { Subjects } from './subjects.ts';
import { Summaries } from './summaries.ts';
import { Tokens } from './tokens.ts';
import { Transfers } from './transfers.ts';
import { Uploads } from './uploads.ts';
import { Users } from './users.ts';
import { Webhooks } from './webhooks.ts';

const REPOSITORIES = {
  ...QUERIES,
  accounts: Accounts,
  users: Users,
  digests: Digests,
  savedFilters: SavedFilters,
  tokens: Tokens,
  secondFactors: SecondFactors,
  faults: Faults,
  attention: Attention,
  analytics: Analytics,
  analysisRuns: AnalysisRuns,
  settings: Settings,
  devices: Devices,
  webhooks: Webhooks,
  pairings: Pairings,
  phones: Phones,
  studies: Studies,
  signatures: Signatures,
  studyLocks: StudyLocks,
  erasures: Erasures,
  subjects: Subjects,
  equipment: Equipment,
  annotations: Annotations,
  corrections: Corrections,
  messages: Messages,
  messageBatches: MessageBatches,
  notes: Notes,
  participation: Participation,
  dataQueries: DataQueries,
  boards: Boards,
  recordings: Recordings,
  summaries: Summaries,
  uploads: Uploads,
  transfers: Transfers,
  jobs: Jobs,
  exports: StudyExports,
} as const;

/** What a transaction works with. */
export type Repositories = RepositoriesOf<typeof REPOSITORIES>;

export type Store = StoreOf<typeof REPOSITORIES>;

/**
 * Opens (or creates) the database file of a site and migrates it to this program's schema.
 * @throws SITE_MISSING, SITE_EXISTS, SITE_CORRUPT, SITE_READ_ONLY, SITE_NEWER, SITE_MIGRATION_FAILED, DISK_FULL
 */
export function openStore(path: string, options: StoreOptions = {}): Store {
  return createStore(REPOSITORIES, openDatabase(path, options), options);
}
