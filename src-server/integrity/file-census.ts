/**
 * Compares the names in `signals` and `images` with the rows, reading neither files nor the rows' content. It changes nothing, and
 * may run beside a site that is being written to: what it finds is a candidate, for the site to look at again.
 */
import { readdir } from 'node:fs/promises';
import { toOutpostError } from '../errors.ts';
import type { Store } from '../services/index.ts';
import { PICTURE_NAME, recordingIdOfFile } from './site-file.ts';

export interface FileCensus {
  /** Recordings without a file, although their rows say that there is one. */
  missing: string[];
  /** Recordings with a file, although their rows say that it is missing or damaged. */
  returned: string[];
  /** Names in `signals`, chosen by Outpost, that no row, job or upload claims. */
  unowned: string[];
  /** Names in `images`, chosen by Outpost, of no message. */
  unsentPictures: string[];
}

/** Recordings whose files may lie in `signals` before their rows do. */
export async function claimedRecordings(store: Pick<Store, 'jobs' | 'uploads'>): Promise<Set<string>> {
  const claimed = new Set(
    (await store.jobs.unfinished()).flatMap((job) => (job.checkpoint?.recordingIds as string[] | undefined) ?? []),
  );
  for (const upload of await store.uploads.list({ states: ['RECEIVED'] })) claimed.add(upload.recordingId);
  return claimed;
}

/** True for a finished file of a recording, false for one that is still being written under a longer name. */
export function isWholeName(name: string): boolean {
  return /\.(sig|overview|clock)$/.test(name);
}

export async function takeFileCensus(
  store: Store,
  paths: { signalsDir: string; imagesDir: string },
): Promise<FileCensus> {
  const names = await namesIn(paths.signalsDir);
  const pictures = await namesIn(paths.imagesDir);
  // Read the rows after the names, so that a file whose row commits in between is known.
  const rows = await store.recordings.fileStates();
  const claimed = await claimedRecordings(store);
  const sent = await store.messages.imageFiles();
  const present = new Set<string>();
  const unowned: string[] = [];
  for (const name of names) {
    const id = recordingIdOfFile(name);
    if (id === undefined) continue;
    if (name === `${id}.sig`) present.add(id);
    if (!claimed.has(id) && !(rows.has(id) && isWholeName(name))) unowned.push(name);
  }
  const missing: string[] = [];
  const returned: string[] = [];
  for (const [id, state] of rows) {
    if (!present.has(id) && state !== 'MISSING') missing.push(id);
    if (present.has(id) && state !== 'PRESENT') returned.push(id);
  }
  const unsentPictures = pictures.filter((name) => PICTURE_NAME.test(name) && !sent.has(name));
  return { missing, returned, unowned, unsentPictures };
}

/** Names in a folder; none when it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw toOutpostError(thrown);
  }
}
