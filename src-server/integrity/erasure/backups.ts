/**
 * Erasures and folders of backups. Older backups cannot be edited piece by piece, so once a backup from after an erasure was read back, the
 * older ones of the site in its folder go, with the content that only they had.
 */
import type { Store } from '../../services/index.ts';
import { listBackups, removeBackups } from '../backup/folder.ts';
import { addErasures, noteCleared, readErasures, unclearedIn } from './list.ts';

/** What a backup knows of the erasures in the database that it holds. */
export interface BackedUpErasures {
  /** Nothing of these people is in it. */
  finished: string[];
}

export async function backedUpErasures(store: Store): Promise<BackedUpErasures> {
  const all = await store.erasures.list();
  return { finished: all.flatMap(({ id, finishedTs }) => (finishedTs === undefined ? [] : [id])) };
}

/** Puts the list of a site beside its backups, so that a restore of any of them knows it. The caller holds the lock of the folder. */
export async function carryErasures(siteDir: string, directory: string): Promise<void> {
  const listed = await readErasures(siteDir);
  if (listed.length > 0) await addErasures(directory, listed);
}

/**
 * Removes the backups of a site that are older than an erasure, after one from afterwards was published. The caller holds the lock of
 * the folder. Interrupted, the next backup there does it.
 * @returns their ids
 */
export async function removeBackupsBefore(
  directory: string,
  made: { siteId: string; backupId: string },
  { finished }: BackedUpErasures,
): Promise<string[]> {
  const uncleared = await unclearedIn(directory, finished);
  if (uncleared.length === 0) return [];
  const older = (await listBackups(directory)).filter(
    ({ id, summary }) => id !== made.backupId && summary?.siteId === made.siteId,
  );
  const ids = older.map(({ id }) => id);
  // Also without any: content that an interrupted removal left.
  if (await removeBackups(directory, ids)) await noteCleared(directory, uncleared);
  return ids;
}
