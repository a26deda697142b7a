/**
 * Rewrites the file of the database without its free pages, at opening and before anything else runs, when a good part of it is free:
 * the file does not shrink on its own, and while it is rewritten nobody can write. SQLite's own automatic shrinking would have to be
 * on since the file was made, and scatters its pages.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OutpostError } from '../errors.ts';
import { diskFull } from '../files/disk-budget.ts';
import type { Store } from '../services/index.ts';

export type OpeningProgress = (done: number, total: number, step: string) => void;

/** Below this, rewriting the file is not worth it. */
const LEAST_FREED_BYTES = 64 << 20;
/** Of the pages in use: a smaller part is soon filled again. */
const LEAST_FREED_SHARE = 0.25;
/** Stays free for the log. */
const RESERVE_BYTES = 64 << 20;
/** Long enough for a terminal or window to draw what comes next, which keeps the thread busy. */
const DRAWN_AFTER_MS = 50;

export const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;

/** Shows a step that keeps the thread busy until it is done. */
export async function showStep(onProgress: OpeningProgress, step: string): Promise<void> {
  onProgress(0, 1, step);
  await sleep(DRAWN_AFTER_MS);
}

/** @returns what kept it from being done, for the log; undefined when it was done or there is nothing to gain */
export async function giveSpaceBack(
  siteDir: string,
  store: Pick<Store, 'fileSpace' | 'shrink'>,
  onProgress: OpeningProgress = () => undefined,
  leastFreedBytes = LEAST_FREED_BYTES,
): Promise<OutpostError | undefined> {
  const { freeBytes, usedBytes } = store.fileSpace();
  if (freeBytes < Math.max(leastFreedBytes, LEAST_FREED_SHARE * usedBytes)) return undefined;
  const step = 'shrinking the database';
  const refusal = await missingRoom(siteDir, { freeBytes, usedBytes });
  if (refusal) return refusal;
  await showStep(onProgress, step);
  const isDone = store.shrink();
  onProgress(1, 1, step);
  if (isDone) return undefined;
  return diskFull(
    'The database was not shrunk: another program reads it, or the disk is full. It is tried at the next start.',
  );
}

/**
 * SQLite writes the new database to the folder for temporary files first, and from there to the write-ahead log beside the old
 * one, which is then copied over it.
 */
async function missingRoom(
  siteDir: string,
  { freeBytes, usedBytes }: { freeBytes: number; usedBytes: number },
): Promise<OutpostError | undefined> {
  const temporary = temporaryFolder();
  const isSameDisk = statSync(temporary).dev === statSync(siteDir).dev;
  const needs: [folder: string, bytes: number][] = isSameDisk
    ? [[siteDir, 2 * usedBytes + RESERVE_BYTES]]
    : [
        [siteDir, usedBytes + RESERVE_BYTES],
        [temporary, usedBytes + RESERVE_BYTES],
      ];
  for (const [folder, neededBytes] of needs) {
    const { bavail, bsize } = await statfs(folder);
    const roomBytes = bavail * bsize;
    if (roomBytes >= neededBytes) continue;
    return diskFull(
      `${megabytes(freeBytes)} of the database hold nothing. Giving them back needs ${megabytes(neededBytes)} in ${folder} for a moment, and its disk has ${megabytes(roomBytes)} free. Free some space, then start again; nothing depends on it.`,
    );
  }
  return undefined;
}

/** Where SQLite puts temporary files (sqlite.org/tempfiles.html#temporary_file_storage_locations). */
function temporaryFolder(): string {
  if (process.platform === 'win32') return tmpdir();
  const folders = [process.env.SQLITE_TMPDIR, process.env.TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  const isUsable = (folder: string | undefined): folder is string => {
    if (folder === undefined || folder === '') return false;
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return folders.find(isUsable) ?? '.';
}
