/**
 * Crash recovery of the site's files, at every start. What a crash can have left is settled before anything else runs. The
 * comparison of all files with all rows is part of it in a small site; in a large one it follows in the background, see
 * `soundness.ts`, where another file or row can only be one that a person, or another program, removed or put there.
 * - Inbox: interrupted uploads and files of finished imports are deleted. Files that may have been acknowledged but that no
 *   row names (an older database was restored) are set aside under `inbox/orphaned`.
 * - Copies from docks and watched folders that nobody waits for are deleted.
 * - Device uploads: see `reconcile-uploads.ts`.
 * - Signal files without a row: if an unfinished import claims the file, it is deleted, because the import writes it again.
 *   Otherwise it is set aside under `inbox/orphaned`, as it may be the only copy.
 * - Pictures without a message were never acknowledged and are deleted.
 * - Partial exports are deleted; they are written again on request.
 * - Rows whose file is missing are marked for lists and `verify`. When a file has returned, it is compared with its row.
 *
 * In `signals`, `images` and `inbox`, files whose names Outpost did not choose are left alone.
 */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM } from '../db/index.ts';
import { DOCKS, inboxPlace, RECEIVING } from '../files/inbox.ts';
import { isWholeName } from '../integrity/file-census.ts';
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
export async function recheckFile(store: Store, id: string, path: string): Promise<void> {
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
const COPY = new RegExp(`^${UUID}\\.part$`);
/** Interrupted uploads, work folders that an import recreates when it reruns, and files of simulated devices. */
const SCRATCH = new RegExp(`^(?:${UUID}\\${RECEIVING}|import-${UUID}|(?:simulated|hubs)-\\w{6})$`);

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

type Paths = { signalsDir: string; inboxDir: string; exportsDir: string; imagesDir: string };

/**
 * Runs the recovery described above. Returns what it deleted, set aside and found missing.
 * @param options.isWhole whether all files are compared with all rows, or only those of the last changes and of unfinished jobs
 */
export async function reconcile(paths: Paths, store: Store, options: { isWhole: boolean }): Promise<ReconcileReport> {
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
  report.removedFromInbox.push(...(await removeCopies(paths.inboxDir, store)));
  const claims = await claimsOf(store);
  if (options.isWhole) await reconcileAllSignals(paths, store, claims.recordings, report);
  else await reconcileRecentSignals(paths, store, claims.recordings, report);
  await reconcileInbox(paths, store, claims.folders, report);
  for (const name of await filesIn(paths.exportsDir)) {
    if (name.endsWith('.partial')) await rm(join(paths.exportsDir, name), { force: true });
  }
  if (options.isWhole) {
    const pictures = await store.messages.imageFiles();
    for (const name of await filesIn(paths.imagesDir)) {
      if (PICTURE_NAME.test(name) && !pictures.has(name)) await rm(join(paths.imagesDir, name), { force: true });
    }
  }
  return report;
}

/** Removes unfinished copies of recordings that nobody waits for any more: the device or folder still has them. */
async function removeCopies(inboxDir: string, store: Store): Promise<string[]> {
  const folder = join(inboxDir, DOCKS);
  const wanted = new Set((await store.transfers.inStates(['COPYING'])).map(({ id }) => `${id}.part`));
  // Of a set, the copy is a folder.
  const names = (await readdir(folder).catch(() => [])).filter((name) => COPY.test(name) && !wanted.has(name));
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
  return names.map((name) => join(DOCKS, name));
}

/** What unfinished imports write again: recordings that they have begun, and the uploaded files that they read. */
async function claimsOf(store: Store): Promise<{ recordings: Set<string>; folders: Set<string> }> {
  const recordings = new Set<string>();
  const folders = new Set<string>();
  for (const job of await store.jobs.unfinished()) {
    if (job.kind !== 'import') continue;
    for (const id of (job.checkpoint?.recordingIds as string[] | undefined) ?? []) recordings.add(id);
    const payload = job.payload as ImportPayload;
    if (!payload.ownsFiles) continue;
    for (const path of payload.paths) folders.add(inboxPlace(path)?.folder ?? '');
  }
  // Copied from a dock or a watched folder, and not queued for its import yet.
  for (const { id } of await store.transfers.inStates(['COPYING'])) folders.add(id);
  return { recordings, folders };
}

async function reconcileAllSignals(
  paths: Paths,
  store: Store,
  claimed: ReadonlySet<string>,
  report: ReconcileReport,
): Promise<void> {
  const rows = await store.recordings.fileStates();
  const files = new Set<string>();
  for (const name of await filesIn(paths.signalsDir)) {
    const id = recordingIdOfFile(name);
    if (id === undefined) continue;
    if (name === `${id}.sig`) files.add(id);
    if (rows.has(id) && isWholeName(name)) continue;
    await removeUnowned(paths, name, claimed, report);
  }
  for (const [id, known] of rows) {
    if (!files.has(id)) report.missingRecordings.push(id);
    if (!files.has(id)) await store.recordings.setFileState(id, 'MISSING', SYSTEM);
    else if (known !== 'PRESENT') await recheckFile(store, id, join(paths.signalsDir, `${id}.sig`));
  }
}

/** Names of a recording's files, the unfinished ones last. */
const SUFFIXES = ['.sig', '.overview', '.clock', '.sig.partial', '.overview.partial', '.clock.partial'] as const;

/** Looks at the files of unfinished imports, and of the recordings that the last changes concern, one by one. */
async function reconcileRecentSignals(
  paths: Paths,
  store: Store,
  claimed: ReadonlySet<string>,
  report: ReconcileReport,
): Promise<void> {
  for (const id of claimed) {
    if (await store.recordings.get(id)) continue;
    for (const suffix of SUFFIXES) {
      if (existsSync(join(paths.signalsDir, id + suffix))) await removeUnowned(paths, id + suffix, claimed, report);
    }
  }
  for (const id of await store.audit.recentEntities('recording', RECENT_AUDIT_ROWS)) {
    const recording = await store.recordings.get(id);
    if (!recording) continue;
    const path = join(paths.signalsDir, `${id}.sig`);
    if (!existsSync(path)) {
      report.missingRecordings.push(id);
      await store.recordings.setFileState(id, 'MISSING', SYSTEM);
    } else if (recording.fileState !== 'PRESENT') await recheckFile(store, id, path);
  }
}

/** As many rows of the audit as a crash can reasonably concern; the same that are checked in the database. */
const RECENT_AUDIT_ROWS = 1000;

/** Removes a file in `signals` that has no row, or sets it aside where it may be the only copy. */
export async function removeUnowned(
  paths: Pick<Paths, 'signalsDir' | 'inboxDir'>,
  name: string,
  claimed: ReadonlySet<string>,
  report: Pick<ReconcileReport, 'removedSignals' | 'orphanedSignals'>,
): Promise<void> {
  const id = recordingIdOfFile(name);
  if (id === undefined) return;
  const path = join(paths.signalsDir, name);
  if (name === `${id}.sig` && !claimed.has(id)) {
    await setAside(paths.inboxDir, path);
    report.orphanedSignals.push(name);
  } else {
    await rm(path, { force: true });
    if (name.endsWith('.sig')) report.removedSignals.push(name);
  }
}

async function reconcileInbox(
  paths: Paths,
  store: Store,
  claimed: ReadonlySet<string>,
  report: ReconcileReport,
): Promise<void> {
  for (const name of await readdir(paths.inboxDir)) {
    if (claimed.has(name)) continue;
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
}
