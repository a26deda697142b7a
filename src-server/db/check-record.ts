/**
 * What is known of the soundness of a database file, in two small files beside it, because a damaged database cannot keep it:
 *
 * - `site.db-unchecked` exists from an unclean end until a check of the whole file has passed. The write-ahead log cannot
 *   stand in for it: closing a damaged database clears its log too.
 * - `site.db-check` holds the time and result of the last check of the whole file.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { syncDirectoryNow } from '../files/durable-files.ts';

const databaseCheck = z.object({
  /** Epoch ms by this computer's clock. */
  checkedTs: z.int(),
  durationMs: z.int().min(0),
  /** Size of the file that was read. */
  sizeBytes: z.int().min(0),
  /** Newest audit row in it; unlike the time it cannot go back. */
  auditSequence: z.int().min(0),
  /** What SQLite said; empty when the file is sound. */
  problems: z.array(z.string()),
});
/** The result of a check of every page of the database. */
export type DatabaseCheck = z.output<typeof databaseCheck>;

const recordPath = (path: string) => `${path}-check`;
const markPath = (path: string) => `${path}-unchecked`;

/** The last check of the database at `path`; undefined when there was none, or its record cannot be read. */
export function readDatabaseCheck(path: string): DatabaseCheck | undefined {
  try {
    return databaseCheck.parse(JSON.parse(readFileSync(recordPath(path), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Stores the result of a check durably. One that passed ends the doubt of an unclean end. */
export function writeDatabaseCheck(path: string, check: DatabaseCheck): void {
  writeSynced(recordPath(path), `${JSON.stringify(check)}\n`);
  if (check.problems.length === 0) rmSync(markPath(path), { force: true });
}

/** Marks the end of the last run as unclean, durably and before SQLite clears the evidence. */
export function markUnchecked(path: string): void {
  if (!existsSync(markPath(path))) writeSynced(markPath(path), '');
}

/** True from an unclean end until the whole file has been checked. */
export function isUnchecked(path: string): boolean {
  return existsSync(markPath(path));
}

function writeSynced(path: string, text: string): void {
  const partial = `${path}.partial`;
  const file = openSync(partial, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(partial, path);
  syncDirectoryNow(dirname(path));
}
