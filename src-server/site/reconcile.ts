/**
 * What a crash or power cut can leave behind, set right at every start before anything else runs:
 * - inbox entries go once they are of no use for certain: uploads that were cut short, and files of imports that ended. Files
 *   that may have been acknowledged but that no row names (an older database was put back) are put aside under
 *   `inbox/orphaned`;
 * - files from devices are brought back to where their check looks for them (`reconcile-uploads.ts`);
 * - a signal file without a row is an import that did not commit: its job makes it again, so it goes; one that no job
 *   claims is put aside under `inbox/orphaned`, never deleted, as it may be the only copy;
 * - a picture without a message was never acknowledged, and goes;
 * - half-written exports go, as they are made again on request;
 * - rows whose file is missing are marked, so that lists and `verify` say so; one whose file is back is compared with it.
 *
 * In `signals`, `images` and `inbox` only what Outpost itself names is touched: what a person or a backup program laid there stays.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM } from '../db/index.ts';
import { inboxPlace, RECEIVING } from '../files/inbox.ts';
import { PICTURE_NAME, recordingIdOfFile } from '../integrity/site-file.ts';
import type { Store } from '../services/index.ts';
import { verifySignalFile } from '../signals/index.ts';
import type { ImportPayload } from '../study/jobs.ts';
import { reconcileUploads, setAside } from './reconcile-uploads.ts';

export interface ReconcileReport {
  removedFromInbox: string[];
  /** Moved to `inbox/orphaned`. */
  setAside: string[];
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
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** A folder of uploaded files. Their import is acknowledged at about the time when the folder gets this name. */
const IMPORT_FOLDER = new RegExp(`^${UUID}$`);
/** Uploads cut short, what an import writes anew when it runs again, and files of simulated devices. */
const SCRATCH = new RegExp(`^(?:${UUID}\\${RECEIVING}|import-${UUID}|(?:simulated|hubs)-\\w{6})$`);

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
    setAside: [],
    removedSignals: [],
    orphanedSignals: [],
    missingRecordings: [],
  };
  const uploads = await reconcileUploads(paths, store);
  report.removedFromInbox.push(...uploads.removed);
  report.setAside.push(...uploads.setAside);
  const waiting = await store.jobs.unfinished();
  const claimedRecordings = new Set<string>();
  const claimedFolders = new Set<string>();
  for (const job of waiting) {
    if (job.kind !== 'import') continue;
    for (const id of (job.checkpoint?.recordingIds as string[] | undefined) ?? []) claimedRecordings.add(id);
    const payload = job.payload as ImportPayload;
    if (!payload.ownsFiles) continue;
    for (const path of payload.paths) claimedFolders.add(inboxPlace(path)?.folder ?? '');
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
      await setAside(paths.inboxDir, path);
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
    if (claimedFolders.has(name)) continue;
    const path = join(paths.inboxDir, name);
    const isImport = IMPORT_FOLDER.test(name);
    if (isImport && (await store.jobs.importsFrom(name)).length === 0) {
      await setAside(paths.inboxDir, path);
      report.setAside.push(name);
    } else if (isImport || SCRATCH.test(name)) {
      await rm(path, { recursive: true, force: true });
      report.removedFromInbox.push(name);
    }
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
