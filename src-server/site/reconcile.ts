/**
 * What a crash or power cut can leave behind, set right at every start before anything else runs:
 * - inbox entries that no waiting job needs were never acknowledged, and go;
 * - files from devices are brought back to where their check looks for them (`reconcile-uploads.ts`);
 * - a signal file without a row is an import that did not commit: its job makes it again, so it goes; one that no job
 *   claims is put aside under `inbox/orphaned`, never deleted, as it may be the only copy;
 * - a picture without a message was never acknowledged, and goes;
 * - half-written exports go, as they are made again on request;
 * - rows whose file is missing are marked, so that lists and `verify` say so; one whose file is back is compared with it.
 *
 * In `signals` and `images` only what Outpost itself names is touched: what a person or a backup program laid there stays.
 */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Store, SYSTEM } from '../db/index.ts';
import { QUARANTINE, UPLOADS } from '../inbox.ts';
import { ORPHANED, PICTURE_NAME, recordingIdOfFile } from '../integrity/site-file.ts';
import type { ImportPayload } from '../jobs/types.ts';
import { verifySignalFile } from '../signals/index.ts';
import { reconcileUploads } from './reconcile-uploads.ts';

export interface ReconcileReport {
  removedFromInbox: string[];
  removedSignals: string[];
  orphanedSignals: string[];
  missingRecordings: string[];
}

/**
 * A file that was lost or damaged and is there now: put back from a backup, or made again by an import that was cut short
 * before its row was set right. A whole file with the times and samples of the row is the recording; its row then takes over
 * size and hash.
 */
async function compare(store: Store, id: string, path: string): Promise<void> {
  const row = await store.recordings.require(id);
  const found = await verifySignalFile(path);
  const isSame =
    found.problems.length === 0 &&
    found.startUs === row.startUs &&
    found.stopUs === row.stopUs &&
    String(found.sampleCounts) === String(row.sampleCounts);
  if (!isSame) await store.recordings.setFileState(id, 'DAMAGED', SYSTEM);
  else if (found.sha256 === row.sha256) await store.recordings.setFileState(id, 'PRESENT', SYSTEM);
  else await store.recordings.restoreFile(id, found, SYSTEM);
}
/** Folders of the inbox that are looked after elsewhere. */
const KEPT_FOLDERS: ReadonlySet<string> = new Set([ORPHANED, UPLOADS, QUARANTINE]);

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

export async function reconcile(
  paths: { signalsDir: string; inboxDir: string; exportsDir: string; imagesDir: string },
  store: Store,
): Promise<ReconcileReport> {
  const report: ReconcileReport = {
    removedFromInbox: [],
    removedSignals: [],
    orphanedSignals: [],
    missingRecordings: [],
  };
  report.removedFromInbox.push(...(await reconcileUploads(paths, store)));
  const waiting = await store.jobs.unfinished();
  const claimedRecordings = new Set<string>();
  const claimedPaths: string[] = [];
  for (const job of waiting) {
    if (job.kind !== 'import') continue;
    for (const id of (job.checkpoint?.recordingIds as string[] | undefined) ?? []) claimedRecordings.add(id);
    const payload = job.payload as ImportPayload;
    if (payload.ownsFiles) claimedPaths.push(...payload.paths);
  }

  const rows = await store.recordings.fileStates();
  const files = new Set<string>();
  for (const name of await filesIn(paths.signalsDir)) {
    const id = recordingIdOfFile(name);
    if (id === undefined) continue;
    if (name === `${id}.sig`) files.add(id);
    if (rows.has(id) && /\.(sig|overview|clock)$/.test(name)) continue;
    const path = join(paths.signalsDir, name);
    if (name === `${id}.sig` && !claimedRecordings.has(id)) {
      await mkdir(join(paths.inboxDir, ORPHANED), { recursive: true });
      await rename(path, join(paths.inboxDir, ORPHANED, name));
      report.orphanedSignals.push(name);
    } else {
      await rm(path, { force: true });
      if (name.endsWith('.sig')) report.removedSignals.push(name);
    }
  }
  for (const [id, known] of rows) {
    if (!files.has(id)) report.missingRecordings.push(id);
    if (!files.has(id)) await store.recordings.setFileState(id, 'MISSING', SYSTEM);
    else if (known !== 'PRESENT') await compare(store, id, join(paths.signalsDir, `${id}.sig`));
  }

  for (const name of await readdir(paths.inboxDir)) {
    const path = join(paths.inboxDir, name);
    if (KEPT_FOLDERS.has(name) || claimedPaths.some((claimed) => claimed === path || claimed.startsWith(`${path}/`)))
      continue;
    await rm(path, { recursive: true, force: true });
    report.removedFromInbox.push(name);
  }
  for (const name of await filesIn(paths.exportsDir)) {
    if (name.endsWith('.partial')) await rm(join(paths.exportsDir, name), { force: true });
  }
  const pictures = await store.messages.imageFiles();
  for (const name of await filesIn(paths.imagesDir)) {
    if (PICTURE_NAME.test(name) && !pictures.has(name)) await rm(join(paths.imagesDir, name), { force: true });
  }
  return report;
}
