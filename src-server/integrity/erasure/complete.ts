/**
 * Carries out what erasures ordered, and what the list beside the database says was ordered: rows, files, then what is left in free
 * pages of the database and in its log. Each step is repeated without harm, so a kill at any point is completed by the next start,
 * before the site opens.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../files/durable-files.ts';
import type { Store } from '../../services/index.ts';
import { addErasures, readErasures } from './list.ts';

export interface CompletedErasures {
  /** Erased now, files and all. */
  finished: string[];
  /** Rows and files are gone, but the free pages of the database could not be overwritten yet. */
  waiting: string[];
}

/**
 * @param overwriteDeleted overwrites what is free in the database; default: at once in this thread, which takes as long as copying the file
 * @throws SITE_CORRUPT when the list is damaged, DISK_FULL and other failures of the disk
 */
export async function completeErasures(
  siteDir: string,
  store: Store,
  overwriteDeleted: () => boolean | Promise<boolean> = () => store.overwriteDeleted(),
): Promise<CompletedErasures> {
  const listed = await readErasures(siteDir);
  for (const one of listed) await store.erasures.take(one);
  const orders = await store.erasures.unfinished();
  if (orders.length === 0 && (await store.erasures.list()).length === listed.length)
    return { finished: [], waiting: [] };
  // The list comes before the rows are gone: a database that is lost then, and restored, is erased again.
  await addErasures(siteDir, await store.erasures.listed());
  for (const { id } of orders) {
    await store.erasures.eraseRows(id);
    await addErasures(siteDir, await store.erasures.listed());
    const { files = [] } = (await store.erasures.get(id))!;
    await removeFiles(siteDir, files);
    await store.erasures.filesRemoved(id);
  }
  const ids = orders.map(({ id }) => id);
  if (ids.length > 0 && !(await overwriteDeleted())) return { finished: [], waiting: ids };
  for (const id of ids) await store.erasures.finish(id);
  return { finished: ids, waiting: [] };
}

/** Removes files and folders of the site; a `*` ends the beginning of names. */
async function removeFiles(siteDir: string, places: readonly string[]): Promise<void> {
  const byFolder = Map.groupBy(
    places.filter((place) => !place.split(/[\\/]/).includes('..')),
    (place) => place.slice(0, place.lastIndexOf('/')),
  );
  for (const [folder, own] of byFolder) {
    const path = join(siteDir, folder);
    const names = await readdir(path).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return [];
      throw thrown;
    });
    const wanted = own.map((place) => place.slice(folder.length + 1));
    const exact = new Set(wanted.filter((name) => !name.endsWith('*')));
    const beginnings = new Set(
      wanted.flatMap((name) => (name.endsWith('*') && name !== '*' ? [name.slice(0, -1)] : [])),
    );
    // Nearly all are ids of one length, so that a name is looked up instead of compared with a thousand beginnings.
    const lengths = [...new Set([...beginnings].map(({ length }) => length))];
    const found = names.filter(
      (name) => exact.has(name) || lengths.some((length) => beginnings.has(name.slice(0, length))),
    );
    for (const name of found) await rm(join(path, name), { recursive: true, force: true });
    if (found.length > 0) await syncDirectory(path);
  }
}
