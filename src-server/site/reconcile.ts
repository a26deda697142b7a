/**
 * Crash recovery of the site's files, at every start before anything else runs:
 * - Inbox: interrupted uploads and files of finished imports are deleted. Files that may have been acknowledged but that no
 *   row names (an older database was restored) are set aside under `inbox/orphaned`.
 * - Device uploads: see `reconcile-uploads.ts`.
 * - Signal files without a row: if an unfinished import claims the file, it is deleted, because the import writes it again.
 *   Otherwise it is set aside under `inbox/orphaned`, as it may be the only copy.
 * - Pictures without a message were never acknowledged and are deleted.
 * - Partial exports are deleted; they are written again on request.
 * - Rows whose file is missing are marked for lists and `verify`. When a file has returned, it is compared with its row.
 *
 * In `signals`, `images` and `inbox`, files whose names Outpost did not choose are left alone.
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
 * Updates the row of a recording whose file was missing or damaged and exists now: restored from a backup, or written again
 * by an import that was interrupted before it updated the row. An intact file with the times and sample counts of the row is
 * accepted as the recording, and the row adopts its size and hash.
 */
async function recheckFile(store: Store, id: string, path: string): Promise<void> {
  const row = await store.recordings.require(id);
  const found = await verifySignalFile(path);
  const isSameRecording =
    found.problems.length === 0 &&
    found.startUs === row.startUs &&
    found.stopUs === row.stopUs &&
    String(found.sampleCounts) === String(row.sampleCounts);
  if (!isSameRecording) await store.recordings.setFileState(id, 'DAMAGED', SYSTEM);
  else if (found.sha256 === row.sha256) await store.recordings.setFileState(id, 'PRESENT', SYSTEM);
  else await store.recordings.restoreFile(id, found, SYSTEM);
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** A folder of uploaded files. It gets this name at about the time when its import is acknowledged. */
const IMPORT_FOLDER = new RegExp(`^${UUID}$`);
/** Interrupted uploads, work folders that an import recreates when it reruns, and files of simulated devices. */
const SCRATCH = new RegExp(`^(?:${UUID}\\${RECEIVING}|import-${UUID}|(?:simulated|hubs)-\\w{6})$`);

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

/** Runs the recovery described above. Returns what it deleted, set aside and found missing. */
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
  const unfinishedJobs = await store.jobs.unfinished();
  const claimedRecordings = new Set<string>();
  const claimedFolders = new Set<string>();
  for (const job of unfinishedJobs) {
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
    else if (known !== 'PRESENT') await recheckFile(store, id, join(paths.signalsDir, `${id}.sig`));
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
