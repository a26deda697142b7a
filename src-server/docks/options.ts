/** What docks and watched folders need from the site. */
import type { DiskBudget } from '../files/disk-budget.ts';
import type { Store } from '../services/index.ts';
import type { JobRow } from '../study/jobs.ts';
import type { Recognition, RecognitionTask } from '../study/recognition.ts';
import type { ListMounts } from './mounts.ts';

export interface DocksOptions {
  store: Store;
  /** What of the job queue is needed. */
  jobs: {
    announce(row: JobRow): void;
    get(id: string): Promise<JobRow | undefined>;
    on(event: 'changed', listener: (row: JobRow) => void): unknown;
    off(event: 'changed', listener: (row: JobRow) => void): unknown;
  };
  siteDir: string;
  inboxDir: string;
  signalsDir: string;
  disk: Pick<DiskBudget, 'with'>;
  /** Says in a worker thread whose device a file came from and when it began. */
  recognise: (task: RecognitionTask) => Promise<Recognition>;
  clock: () => number;
  onProblem: (problem: unknown) => void;
  /** Drives of this computer; default: those that are mounted. */
  mounts?: ListMounts;
  /** Default 2 s. */
  intervalMs?: number;
  /** For how long nothing may come or grow in a watched folder before a set in it is whole; default 2 minutes. */
  quietMs?: number;
  /** Ms of a clock that never jumps; default: that of the process. */
  elapsedMs?: () => number;
  /** How long a copy waits after a failure of the site's disk; default 30 s. */
  retryMs?: number;
}
