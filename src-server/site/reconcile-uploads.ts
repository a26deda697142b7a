/**
 * Files from devices after a crash: what was moved before its row committed goes back to where the check looks for it. What
 * belongs to an upload that ended goes, and so does a file without bytes whose row never committed. Bytes that no row knows
 * may have been acknowledged all the same (an older database was put back), and are put aside.
 */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SYSTEM, type UploadRecord } from '../db/index.ts';
import { syncDirectory } from '../files/durable-files.ts';
import { ORPHANED, QUARANTINE, quarantinePath, UPLOADS, uploadPaths } from '../files/inbox.ts';
import type { Store } from '../services/index.ts';

/** Answers the names of what it removed, and of what it put aside. */
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
    const found = await broughtBack(paths, store, upload);
    if (found || upload.decidedBy !== undefined) continue;
    await store.uploads.move(upload.id, ['RECEIVED'], { state: 'RECEIVING' }, SYSTEM);
  }
  await syncDirectory(folder);
  const removed: string[] = [];
  const unknown: string[] = [];
  const needed = new Set(open.flatMap(({ id }) => [`${id}.part`, `${id}.journal`]));
  for (const name of await readdir(folder)) {
    const [, id] = UPLOAD_FILE.exec(name) ?? [];
    if (needed.has(name) || id === undefined) continue;
    const { data } = uploadPaths(paths.inboxDir, id);
    const isEmpty = ((await stat(data).catch(() => null))?.size ?? 0) === 0;
    if (isEmpty || (await store.uploads.get(id))) {
      await rm(join(folder, name), { recursive: true, force: true });
      removed.push(join(UPLOADS, name));
    } else unknown.push(name);
  }
  for (const name of unknown) await setAside(paths.inboxDir, join(folder, name));
  return { removed, setAside: unknown };
}

const UPLOAD_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:part|journal)$/;

/** Moves something that belongs to nothing out of the way: it may be the only copy. */
export async function setAside(inboxDir: string, path: string): Promise<void> {
  const folder = join(inboxDir, ORPHANED);
  await mkdir(folder, { recursive: true });
  await rename(path, join(folder, basename(path)));
}

/** True when the file was found in the place it was on its way to. */
async function broughtBack(
  paths: { signalsDir: string; inboxDir: string },
  store: Store,
  upload: UploadRecord,
): Promise<boolean> {
  const { data } = uploadPaths(paths.inboxDir, upload.id);
  const places = [quarantinePath(paths.inboxDir, upload.id)];
  if (!(await store.recordings.get(upload.recordingId))) {
    places.unshift(join(paths.signalsDir, `${upload.recordingId}.sig`));
  }
  for (const place of places) {
    const isMoved = await rename(place, data).then(
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
