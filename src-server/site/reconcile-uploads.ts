/**
 * Files from devices after a crash: what was moved before its row committed goes back to where the check looks for it, and
 * what belongs to no upload under way was never acknowledged, and goes.
 */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Store, SYSTEM, type UploadRecord } from '../db/index.ts';
import { syncDirectory } from '../durable-files.ts';
import { QUARANTINE, quarantinePath, UPLOADS, uploadPaths } from '../inbox.ts';

/** Answers the names of what it removed. */
export async function reconcileUploads(
  paths: { signalsDir: string; inboxDir: string },
  store: Store,
): Promise<string[]> {
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
  const needed = new Set(open.flatMap(({ id }) => [`${id}.part`, `${id}.journal`]));
  for (const name of await readdir(folder)) {
    if (needed.has(name)) continue;
    await rm(join(folder, name), { recursive: true, force: true });
    removed.push(join(UPLOADS, name));
  }
  return removed;
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
