/**
 * The queries over one open database. To add a repository, add its line to {@link QUERIES}; if it has rules, the service
 * replaces it in `services/store.ts`.
 */
import type BetterSqlite3 from 'better-sqlite3';
import { v7 } from 'uuid';
import { openSqlite } from './database.ts';
import { AccessLogQueries } from './queries/access/access-log.ts';
import { AccountQueries } from './queries/access/accounts.ts';
import { SavedFilterQueries } from './queries/access/saved-filters.ts';
import { SecondFactorQueries } from './queries/access/second-factors.ts';
import { TokenQueries } from './queries/access/tokens.ts';
import { UserQueries } from './queries/access/users.ts';
import { AnalysisRunQueries } from './queries/data/analysis-runs.ts';
import { AnalyticsQueries } from './queries/data/analytics.ts';
import { JobQueries } from './queries/data/jobs.ts';
import { RecordingSummaries } from './queries/data/recording-summaries.ts';
import { RecordingQueries } from './queries/data/recordings.ts';
import { StudyExportQueries } from './queries/data/study-exports.ts';
import { SummaryQueries } from './queries/data/summaries.ts';
import { ErasureQueries } from './queries/erasure/erasures.ts';
import { SubjectDataQueries } from './queries/erasure/subject-data.ts';
import { WebhookDeliveries } from './queries/integrations/webhook-deliveries.ts';
import { WebhookQueries } from './queries/integrations/webhooks.ts';
import { ClockReadings } from './queries/lan/clock-readings.ts';
import { Clocks } from './queries/lan/clocks.ts';
import { DataPaths } from './queries/lan/data-paths.ts';
import { DeviceQueries } from './queries/lan/devices.ts';
import { Duties } from './queries/lan/duties.ts';
import { HeldRecordings } from './queries/lan/held-recordings.ts';
import { PairingQueries } from './queries/lan/pairings.ts';
import { Refusals } from './queries/lan/refusals.ts';
import { TransferQueries } from './queries/lan/transfers.ts';
import { UploadQueries } from './queries/lan/uploads.ts';
import { Audit } from './queries/site/audit.ts';
import { DigestQueries } from './queries/site/digests.ts';
import { Outbox } from './queries/site/outbox.ts';
import { SearchQueries } from './queries/site/search.ts';
import { SettingQueries } from './queries/site/settings.ts';
import { AnnotationQueries } from './queries/study/annotations.ts';
import { AttentionQueries } from './queries/study/attention.ts';
import { BoardQueries } from './queries/study/boards.ts';
import { CorrectionQueries } from './queries/study/corrections.ts';
import { DataQueries } from './queries/study/data-queries.ts';
import { EquipmentQueries } from './queries/study/equipment.ts';
import { Events } from './queries/study/events.ts';
import { FaultQueries } from './queries/study/faults.ts';
import { MessageTemplateQueries } from './queries/study/message-templates.ts';
import { MessageQueries } from './queries/study/messages.ts';
import { NoteQueries } from './queries/study/notes.ts';
import { ParticipationQueries } from './queries/study/participation.ts';
import { SignatureQueries } from './queries/study/signatures.ts';
import { StudyQueries } from './queries/study/studies.ts';
import { SubjectQueries } from './queries/study/subjects.ts';
import { TaskDays } from './queries/study/task-days.ts';
import type { Session } from './session.ts';
import { SiteDatabase, type StoreOptions } from './site-database.ts';

export const QUERIES = {
  accounts: AccountQueries,
  users: UserQueries,
  savedFilters: SavedFilterQueries,
  tokens: TokenQueries,
  secondFactors: SecondFactorQueries,
  accessLog: AccessLogQueries,
  studies: StudyQueries,
  signatures: SignatureQueries,
  erasures: ErasureQueries,
  subjects: SubjectQueries,
  subjectData: SubjectDataQueries,
  equipment: EquipmentQueries,
  faults: FaultQueries,
  annotations: AnnotationQueries,
  corrections: CorrectionQueries,
  taskDays: TaskDays,
  attention: AttentionQueries,
  messages: MessageQueries,
  messageBatches: MessageTemplateQueries,
  notes: NoteQueries,
  participation: ParticipationQueries,
  dataQueries: DataQueries,
  boards: BoardQueries,
  events: Events,
  recordings: RecordingQueries,
  recordingSummaries: RecordingSummaries,
  summaries: SummaryQueries,
  uploads: UploadQueries,
  transfers: TransferQueries,
  heldRecordings: HeldRecordings,
  dataPaths: DataPaths,
  clocks: Clocks,
  analytics: AnalyticsQueries,
  analysisRuns: AnalysisRunQueries,
  jobs: JobQueries,
  exports: StudyExportQueries,
  audit: Audit,
  settings: SettingQueries,
  outbox: Outbox,
  search: SearchQueries,
  digests: DigestQueries,
  devices: DeviceQueries,
  webhooks: WebhookQueries,
  webhookDeliveries: WebhookDeliveries,
  pairings: PairingQueries,
  clockReadings: ClockReadings,
  duties: Duties,
  refusals: Refusals,
} as const;

type RepositoryClasses = Readonly<Record<string, new (session: Session) => object>>;

/** The repositories that a table of classes makes, by their names in it. */
export type RepositoriesOf<C extends RepositoryClasses> = { readonly [K in keyof C]: InstanceType<C[K]> };

export type StoreOf<C extends RepositoryClasses> = SiteDatabase &
  RepositoriesOf<C> & {
    /**
     * Runs writes of several repositories as one transaction. Inside, use the repositories given, never the store's own (they
     * would wait for this transaction), and await nothing but them.
     */
    transaction<T>(work: (repositories: RepositoriesOf<C>) => Promise<T>): Promise<T>;
  };

/** A store without services: it reads. */
export type ReadStore = StoreOf<typeof QUERIES>;

function repositoriesOf<C extends RepositoryClasses>(
  classes: C,
  session: Session,
  wrap = (_name: string, repository: object) => repository,
): RepositoriesOf<C> {
  const entries = Object.entries(classes).map(([name, Repository]) => [name, wrap(name, new Repository(session))]);
  return Object.fromEntries(entries) as RepositoriesOf<C>;
}

/** Puts repositories, and their transactions, over an open database. */
export function createStore<C extends RepositoryClasses>(
  classes: C,
  sqlite: BetterSqlite3.Database,
  options: StoreOptions = {},
): StoreOf<C> {
  const database = new SiteDatabase(sqlite, options);
  const { session } = database;
  return Object.assign(
    database,
    repositoriesOf(classes, session, (name, repository) => database.named(name, repository)),
    {
      transaction: async <T>(work: (repositories: RepositoriesOf<C>) => Promise<T>): Promise<T> =>
        await session.write(async (open) => await work(repositoriesOf(classes, open))),
    },
  );
}

/** A new UUIDv7, for records whose id must be known before they are stored (a recording's file comes first). */
export function newId(): string {
  return v7();
}

/**
 * Opens (or creates) the database file and migrates it to this program's schema.
 * @throws SITE_MISSING, SITE_EXISTS, SITE_CORRUPT, SITE_READ_ONLY, SITE_NEWER, SITE_MIGRATION_FAILED, DISK_FULL
 */
export function openDatabase(path: string, options: StoreOptions = {}): BetterSqlite3.Database {
  const nowTs = options.clock?.();
  return openSqlite(path, { ...options, ...(nowTs !== undefined && { nowTs }) });
}

/** Opens the database file for reading only. @throws as {@link openDatabase} */
export function openReadStore(path: string, options: Omit<StoreOptions, 'readonly'> = {}): ReadStore {
  const readonly = { ...options, readonly: true };
  return createStore(QUERIES, openDatabase(path, readonly), readonly);
}
