/**
 * The checks that a large site makes after it is ready: every page of the database, and the names of all files. They run in a
 * worker on a read-only connection, at half of its time at most, so that the disk serves the site first.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type SerializedError, toOutpostError } from '../errors.ts';
import { openStore } from '../services/index.ts';
import type { AuditComparison } from './anchors/compare.ts';
import { compareSite } from './anchors/compare-site.ts';
import { type FileCensus, takeFileCensus } from './file-census.ts';
import { checkPages, type DatabaseCheckFacts } from './scrub/database.ts';
import { readSiteFile, sitePaths } from './site-file.ts';

export interface BackgroundCheckTask {
  dir: string;
  /** Whether the pages of the database are read; the files are compared in any case. */
  withDatabase: boolean;
}

export interface BackgroundCheckOutcome {
  /** What is wrong with the database; absent when it was not checked. */
  database?: DatabaseCheckFacts;
  /** How the audit trail compares with its anchors and backups; absent when it was not compared. */
  audit?: AuditComparison;
  /** Why the files could not be compared, where a folder or the rows cannot be read: the result of the database counts all the same. */
  files: FileCensus | { failure: SerializedError };
}

/** Longest pause between two tables. */
const LONGEST_PAUSE_MS = 2000;

/** @throws CANCELLED */
export async function checkInBackground(
  { dir, withDatabase }: BackgroundCheckTask,
  options: { signal: AbortSignal; throwIfCancelled(): void },
): Promise<BackgroundCheckOutcome> {
  const paths = sitePaths(dir);
  const store = openStore(paths.database, { readonly: true, isChecked: true });
  try {
    const pause = async (workedMs: number) => void (await sleep(Math.min(workedMs, LONGEST_PAUSE_MS)));
    const database = withDatabase ? await checkPages(store, { signal: options.signal, pause }) : undefined;
    options.throwIfCancelled();
    const audit = withDatabase ? await compareTrail(dir, store, options.signal) : undefined;
    const files = await takeFileCensus(store, paths).catch((thrown: unknown) => ({
      failure: toOutpostError(thrown).toJSON(),
    }));
    return { ...(database && { database }), ...(audit && { audit }), files };
  } finally {
    await store.close();
  }
}

/** Exports are left to the check of the whole site, which opens each. A failure here must not hide what the pages showed. */
async function compareTrail(
  dir: string,
  store: ReturnType<typeof openStore>,
  signal: AbortSignal,
): Promise<AuditComparison | undefined> {
  const site = await readSiteFile(dir).catch(() => undefined);
  if (!site) return undefined;
  return await compareSite(dir, site.id, store, { withoutExports: true, signal }).catch(() => undefined);
}
