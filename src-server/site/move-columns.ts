/**
 * Moves the second columns of sites of older versions out of the database into column files, at opening and before anything
 * else runs. Both forms can be read, so it may end at any point and continues at the next opening. Without room on the disk the
 * site opens as it is. Afterwards the file of the database is rewritten without the space that became free.
 */
import { statfs } from 'node:fs/promises';
import { OutpostError, toOutpostError } from '../errors.ts';
import { diskFull } from '../files/disk-budget.ts';
import type { Store } from '../services/index.ts';

export type OpeningProgress = (done: number, total: number, step: string) => void;

/** Some 8 MB: one transaction, and one round of fsyncs. */
const WINDOWS_AT_ONCE = 16;
/** Stays free for the database, beside what the files need. */
const RESERVE_BYTES = 64 << 20;
/** Below this, rewriting the file is not worth it. */
const LEAST_FREED_BYTES = 64 << 20;

/** @returns what kept it from being done, for the log; undefined when all is done */
export async function moveColumns(
  siteDir: string,
  store: Store,
  onProgress: OpeningProgress = () => undefined,
  leastFreedBytes = LEAST_FREED_BYTES,
): Promise<OutpostError | undefined> {
  try {
    const damaged = await moveAll(siteDir, store, onProgress);
    await giveSpaceBack(siteDir, store, onProgress, leastFreedBytes);
    return damaged;
  } catch (thrown) {
    return toOutpostError(thrown);
  }
}

async function moveAll(siteDir: string, store: Store, onProgress: OpeningProgress): Promise<OutpostError | undefined> {
  const { count, sizeBytes } = await store.analytics.columnsInRows();
  if (count === 0) return undefined;
  await requireRoom(siteDir, count, sizeBytes);
  let done = 0;
  let damaged = 0;
  for (let after: { subjectId: string; date: string } | undefined; ; ) {
    onProgress(done, count, 'moving analysed days into files');
    const moved = await store.analytics.moveColumns(after, WINDOWS_AT_ONCE);
    damaged += moved.damaged.length;
    if (!moved.last) break;
    after = moved.last;
    done = Math.min(count, done + WINDOWS_AT_ONCE);
  }
  if (damaged === 0) return undefined;
  return new OutpostError(
    'SITE_CORRUPT',
    `The analysis results of ${damaged} days are damaged. Verify the site, then compute these days again.`,
    { details: { damaged } },
  );
}

async function requireRoom(siteDir: string, count: number, sizeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(siteDir);
  const freeBytes = bavail * bsize;
  // A folder entry and a part of a last block for each file.
  const neededBytes = sizeBytes + count * bsize + RESERVE_BYTES;
  if (freeBytes >= neededBytes) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw diskFull(
    `The analysis results of ${count} days stay in the database, where they make it slow: moving them into files needs ${megabytes(neededBytes)}, and the disk has ${megabytes(freeBytes)} free. Free some space, then open the site again.`,
  );
}

/**
 * The file of the database does not shrink on its own. It is rewritten once most of it is free, which takes as long as copying
 * the rest; SQLite's own automatic shrinking would have to be on since the file was made, and scatters its pages.
 */
async function giveSpaceBack(
  siteDir: string,
  store: Store,
  onProgress: OpeningProgress,
  leastFreedBytes: number,
): Promise<void> {
  const { freeBytes, usedBytes } = store.fileSpace();
  if (freeBytes < Math.max(leastFreedBytes, usedBytes)) return;
  const { bavail, bsize } = await statfs(siteDir);
  if (bavail * bsize < 2 * usedBytes + RESERVE_BYTES) return;
  onProgress(0, 1, 'shrinking the database');
  store.shrink();
  onProgress(1, 1, 'shrinking the database');
}
