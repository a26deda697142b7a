/**
 * Crash recovery of device uploads. A file that was moved before its row committed is moved back to where its check expects
 * it. Files of finished uploads, empty files without a row, and what a check derived from a file (its overview and clock map,
 * finished or partial: the next check writes them again) are deleted. Non-empty files without a row may have been acknowledged
 * (if an older database was restored), so they are set aside under `inbox/orphaned`.
 */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SYSTEM, type UploadRecord } from '../db/index.ts';
import { syncDirectory } from '../files/durable-files.ts';
import { ORPHANED, QUARANTINE, quarantinePath, UPLOADS, uploadPaths } from '../files/inbox.ts';
import type { Store } from '../services/index.ts';

/** Returns the names of the files that it deleted and set aside. */
export async function reconcileUploads(
  paths: { signalsDir: string; inboxDir: string },
  store: Store,
): Promise<{ removed: string[]; setAside: string[] }> {
  const folder = join(paths.inboxDir, UPLOADS);
  for (const name of [UPLOADS, QUARANTINE]) await mkdir(join(paths.inboxDir, name), { recursive: true });
  const open = await store.uploads.list({ states: ['RECEIVING', 'RECEIVED'] });
  const present = new Set(await readdir(folder));
  for (const upload of open) {
    if (upload.state !== 'RECEIVED' || present.has(`${upload.id}.part`)) continue;
    const isRestored = await moveBack(paths, store, upload);
    if (isRestored || upload.decidedBy !== undefined) continue;
    await store.uploads.move(upload.id, ['RECEIVED'], { state: 'RECEIVING' }, SYSTEM);
  }
  await syncDirectory(folder);
  const removed: string[] = [];
  const orphans: string[] = [];
  const needed = new Set(open.flatMap(({ id }) => [`${id}.part`, `${id}.journal`]));
  for (const name of await readdir(folder)) {
    const [, id, suffix] = UPLOAD_FILE.exec(name) ?? [];
    if (needed.has(name) || id === undefined) continue;
    if (suffix !== undefined) {
      await rm(join(folder, name), { force: true });
      removed.push(join(UPLOADS, name));
      continue;
    }
    const { data } = uploadPaths(paths.inboxDir, id);
    const isEmpty = ((await stat(data).catch(() => null))?.size ?? 0) === 0;
    if (isEmpty || (await store.uploads.get(id))) {
      await rm(join(folder, name), { recursive: true, force: true });
      removed.push(join(UPLOADS, name));
    } else orphans.push(name);
  }
  for (const name of orphans) await setAside(paths.inboxDir, join(folder, name));
  return { removed, setAside: orphans };
}

/** The id of an upload, and the suffix of files derived from its data: `<id>.part.overview`, `<id>.part.clock.partial`, ... */
const UPLOAD_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:part(\.(?:overview|clock)(?:\..+)?)?|journal)$/;

/** Moves an orphaned file or folder to `inbox/orphaned` instead of deleting it, as it may be the only copy. */
export async function setAside(inboxDir: string, path: string): Promise<void> {
  const folder = join(inboxDir, ORPHANED);
  await mkdir(folder, { recursive: true });
  await rename(path, join(folder, basename(path)));
}

/** Moves the file back from a destination that it had reached before the crash. Returns false if it is in none. */
async function moveBack(
  paths: { signalsDir: string; inboxDir: string },
  store: Store,
  upload: UploadRecord,
): Promise<boolean> {
  const { data } = uploadPaths(paths.inboxDir, upload.id);
  const destinations = [quarantinePath(paths.inboxDir, upload.id)];
  if (!(await store.recordings.get(upload.recordingId))) {
    destinations.unshift(join(paths.signalsDir, `${upload.recordingId}.sig`));
  }
  for (const destination of destinations) {
    const isMoved = await rename(destination, data).then(
      () => true,
      (thrown: NodeJS.ErrnoException) => {
        if (thrown.code === 'ENOENT') return false;
        throw thrown;
      },
    );
    if (isMoved) return true;
  }
  return false;
}
