import type { DiskBudget } from '../../files/disk-budget.ts';
import type { Store } from '../../services/index.ts';
import type { JobKind, JobPayloads } from '../../study/jobs.ts';
import type { AnalyticsPool } from '../analytics/pool.ts';
import type { HeldPassphrases } from '../held-passphrases.ts';
import type { WorkerPool } from '../workers/pool.ts';

/** Dependencies of the job handlers. */
export interface JobDeps {
  store: Store;
  /** Folder of the site. */
  siteDir: string;
  /** Of the open database file, for backups. */
  databaseDescriptor: number | undefined;
  backupsDir: string;
  /** Epoch ms. */
  clock(): number;
  signalsDir: string;
  inboxDir: string;
  exportsDir: string;
  disk: DiskBudget;
  analytics: AnalyticsPool;
  workers: WorkerPool;
  passphrases: HeldPassphrases;
  enqueue<K extends JobKind>(kind: K, payload: JobPayloads[K]): Promise<unknown>;
}
