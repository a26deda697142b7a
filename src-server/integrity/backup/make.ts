/**
 * Makes a backup of a running or closed site: first the database as of one moment, then every file that it refers to then.
 * Signal files and pictures are immutable, so the backup is consistent. It is read back before it becomes visible; interrupted
 * at any point, it leaves no backup.
 */
import { randomBytes } from 'node:crypto';
import { rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Diagnostic, diagnostic } from '../../diagnostics.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { type Content, stopIfCancelled } from '../../files/content-hash.ts';
import { openStore, type Store } from '../../services/index.ts';
import { VERSION } from '../../version.ts';
import { receiptFor } from '../anchors/anchor-log.ts';
import { type BackedUpErasures, backedUpErasures, carryErasures, removeBackupsBefore } from '../erasure/backups.ts';
import { readSiteFile, sitePaths } from '../site-file.ts';
import { turns } from '../turns.ts';
import { checkBackup, type DamagedMember } from './check.ts';
import { openDatabasePages, requireSound } from './database-pages.ts';
import { listDrives } from './drives/drives.ts';
import { addSummaries, listBackups, nextSequence, readManifest } from './folder.ts';
import { driveOf, identify } from './identity.ts';
import { type BackupFile, type BackupManifest, backupId, isSignalFile, lackingFiles, sizeOf } from './manifest.ts';
import { type BackupPlace, noteBackupPlace } from './places.ts';
import { entryOf, knownOf, type PlannedFile, placesIn, planFiles } from './plan.ts';
import { sealingKeysOf } from './sealed/keys.ts';
import { sealedTarget } from './sealed/target.ts';
import { openZipBackup, reopenFolderBackup } from './sources.ts';
import { readSource } from './summary.ts';
import { type BackupTarget, folderTarget, zipTarget } from './targets.ts';

export interface BackupRequest {
  siteDir: string;
  /** A folder of backups, or a file that ends in `.zip`. */
  to: string;
  reason: BackupManifest['reason'];
  /** Epoch ms. */
  nowTs: number;
  /** The backup must be encrypted for this recipient: another disk in the place of the chosen one gets nothing that can be read. */
  recipient?: string;
  /** On the disk of a running site: what has to stay free for others. */
  keepFreeBytes?: number;
  /** Descriptor of the database file, required in a process that has the site open; see {@link holdPages}. */
  databaseDescriptor?: number;
}

export interface BackupOptions {
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number; step: string }) => void;
}

export interface MadeBackup {
  id: string;
  path: string;
  sizeBytes: number;
  /** Of it, what was not in the folder of backups before. */
  newBytes: number;
  recordings: number;
  /** `incomplete` when a file of the site is in it damaged, or not at all; `lacking` names those files. */
  outcome: 'complete' | 'incomplete';
  /** Places in a site, such as `signals/<recording>.sig`. */
  lacking: string[];
  /** Files of the site that are missing or damaged there, also where the backup has a good copy. */
  damagedInSite: { file: string; isMissing: boolean }[];
  /** What is wrong in the site itself; the backup has everything else. */
  problems: string[];
  /** Ids of older backups in the folder, removed because they held people who were erased since. */
  removedForErasure: string[];
}

/** Most need one question to the file system on each side, and the clock is asked less often than that. */
const FILES_BETWEEN_TURNS = 32;

/** @throws SITE_MISSING, SITE_NEWER, SITE_MIGRATION_FAILED, SITE_CORRUPT, DISK_FULL, BACKUP_BUSY, SITE_EXISTS, CANCELLED */
export async function makeBackup(request: BackupRequest, options: BackupOptions = {}): Promise<MadeBackup> {
  const paths = sitePaths(request.siteDir);
  const site = await readSiteFile(request.siteDir);
  const isZip = request.to.toLowerCase().endsWith('.zip');
  const id = backupId(request.nowTs, randomBytes(4).toString('hex'));
  let target: BackupTarget | undefined;
  try {
    const sequence = isZip ? 1 : await nextSequence(request.to);
    const keys = isZip ? undefined : await sealingKeysOf(request.to, request.siteDir);
    if (request.recipient !== undefined && keys?.recipient !== request.recipient)
      throw notTheEncryptedFolder(request.to);
    const isDue = dueForReading(sequence);
    if (isZip) target = await zipTarget(request.to);
    else if (keys) target = await sealedTarget(request.to, id, keys, isDue);
    else target = await folderTarget(request.to, id, isDue);
    if (!isZip && !keys) await addSummaries(request.to);
    if (!isZip) await carryErasures(request.siteDir, request.to);
    const copy = join(target.scratchDir, `outpost-${id}.db`);
    try {
      const from = { id, sequence, site, paths };
      const state = target.putPages
        ? await addPages(target.putPages, request, { ...from, copy }, options)
        : await addCopy(target, { ...from, copy }, options);
      const filled = await fill(target, request, { ...from, ...state }, options);
      const [first] = await readBack(target, isZip, filled, options);
      if (first) {
        throw new OutpostError(
          'FILE_DAMAGED',
          `The backup could not be read back from ${request.to}, so it was not kept: ${first.message} Check that disk, or choose another one.`,
        );
      }
      const path = await target.commit();
      await noteBackupPlace(paths.dir, site.id, request.to, await placeFacts(request, isZip));
      const removedForErasure = isZip
        ? []
        : await removeBackupsBefore(request.to, { siteId: site.id, backupId: id }, state.erasures);
      const { manifest, newBytes } = filled;
      const recordings = manifest.files.filter(isSignalFile).length;
      const lacking = lackingFiles(manifest);
      return {
        id,
        path,
        sizeBytes: sizeOf(manifest),
        newBytes,
        recordings,
        outcome: lacking.length === 0 ? 'complete' : 'incomplete',
        lacking,
        damagedInSite: filled.damagedInSite,
        problems: manifest.problems,
        removedForErasure,
      };
    } finally {
      for (const suffix of ['', '-wal', '-shm']) await rm(copy + suffix, { force: true });
    }
  } catch (thrown) {
    throw backupFailure(thrown, request.to);
  } finally {
    await target?.close();
  }
}

/** What the site notes of a place: by what it is recognised again, and the drive that it is on. */
async function placeFacts({ to, nowTs, siteDir }: BackupRequest, isZip: boolean): Promise<Omit<BackupPlace, 'path'>> {
  // A backup in the folder of the site moves with it.
  if (isZip || resolve(to) === sitePaths(siteDir).backupsDir) return { backupTs: nowTs };
  const folderId = await identify(to).catch(() => undefined);
  const drive = driveOf(resolve(to), await listDrives())?.name;
  return {
    backupTs: nowTs,
    ...(folderId !== undefined && { folderId }),
    ...(drive !== undefined && { drive, seenTs: nowTs }),
  };
}

const notTheEncryptedFolder = (to: string) =>
  new OutpostError(
    'BACKUP_ENCRYPTED',
    `No backup was made: backups are to be encrypted, and ${to} is not the folder that was set up for it. Connect its disk, or set up encryption for this folder on the Backups page.`,
  );

/** Reads what was written, from the disk. */
async function readBack(
  { checkWritten, written: { path, contentRoot } }: BackupTarget,
  isZip: boolean,
  { manifest, newContent }: Filled,
  { signal, onProgress }: BackupOptions,
): Promise<DamagedMember[]> {
  const checkOptions = {
    signal,
    onProgress: (done: number, total: number) => onProgress?.({ done, total, step: 'reading the backup back' }),
  };
  if (checkWritten) return await checkWritten(checkOptions);
  const written = isZip ? await openZipBackup(path) : await reopenFolderBackup(path, contentRoot, manifest);
  try {
    return await checkBackup(written, { ...checkOptions, onlyContent: newContent });
  } finally {
    written.close();
  }
}

/**
 * In how many backups all content that they share is read again. Content that a folder has is not copied again, so only
 * this finds what its disk, or the one of the site, spoiled meanwhile, at a thirtieth of the cost of reading everything.
 */
const READING_ROUND = 28;

/** A share of all content, evenly spread by its hash, another one for each backup of a round. */
function dueForReading(sequence: number): (content: Content) => boolean {
  return ({ sha256 }) => Number.parseInt(sha256.slice(0, 8), 16) % READING_ROUND === sequence % READING_ROUND;
}

/** Names the target, because it is often not the disk of the site. */
function backupFailure(thrown: unknown, to: string): OutpostError {
  const error = toOutpostError(thrown);
  if (error.code === 'DISK_FULL' && error.details?.neededBytes === undefined) {
    return new OutpostError(
      'DISK_FULL',
      `The disk of ${to} is full, so no backup was made. Free some space there, remove old backups, or choose another disk.`,
      { cause: thrown },
    );
  }
  if (error.code === 'SITE_READ_ONLY' || error.code === 'FILE_FORBIDDEN') {
    return new OutpostError(error.code, `No backup was made: ${error.message} It was to go to ${to}.`, {
      cause: thrown,
    });
  }
  return error;
}

async function databaseBytes(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}-wal`].map(async (file) => (await stat(file).catch(() => null))?.size ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Fails before hours of copying. @throws DISK_FULL, with the figures */
async function requireRoom(folder: string, neededBytes: number, keepFreeBytes = 0): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = Math.max(0, bavail * bsize - keepFreeBytes);
  if (freeBytes >= neededBytes) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new OutpostError(
    'DISK_FULL',
    `The backup needs ${megabytes(neededBytes)}, and the disk of ${folder} has ${megabytes(freeBytes)} free. Free some space there, remove old backups, or choose another disk.`,
    { details: { neededBytes, freeBytes } },
  );
}

interface From {
  id: string;
  sequence: number;
  site: Awaited<ReturnType<typeof readSiteFile>>;
  paths: ReturnType<typeof sitePaths>;
}

/** The state of the site that is backed up: its database, stored, and what it says of the files. */
interface StoredState {
  database: BackupManifest['database'];
  newBytes: number;
  newContent: Set<string>;
  plan: PlannedFile[];
  facts: Pick<BackupManifest, 'schemaVersion' | 'auditHead'>;
  erasures: BackedUpErasures;
}

/** Stores the pages of the database as they are now, in the pieces that the target does not have. */
async function addPages(
  putPages: NonNullable<BackupTarget['putPages']>,
  request: BackupRequest,
  from: From & { copy: string },
  { signal, onProgress }: BackupOptions,
): Promise<StoredState> {
  const pages = await openDatabasePages(from.paths.database, {
    copyPath: from.copy,
    ...(request.databaseDescriptor !== undefined && { descriptor: request.databaseDescriptor }),
  });
  try {
    const total = pages.sizeBytes;
    let done = 0;
    const onBytes = (bytes: number) => {
      done += bytes;
      onProgress?.({ done: Math.min(done, total), total, step: 'copying the database' });
    };
    const before = await unchangedDatabase(request.to, from.site.id, pages.identity);
    const put = await putPages({ ...pages, before }, { signal, onBytes });
    await requireSound(pages, from.paths.database, request.nowTs);
    return { ...put, ...(await stateOf(pages.store, from, () => knownPictures(request.to, from.site.id))) };
  } finally {
    await pages.release();
  }
}

/** Stores a copy of the whole database, for a backup that stands alone. */
async function addCopy(
  target: BackupTarget,
  from: From & { copy: string },
  { signal, onProgress }: BackupOptions,
): Promise<StoredState> {
  onProgress?.({ done: 0, total: 1, step: 'copying the database' });
  await requireRoom(target.scratchDir, await databaseBytes(from.paths.database));
  // The copy is checked as a whole, which finds what a check of the original would.
  const original = openStore(from.paths.database, { readonly: true, isChecked: true });
  try {
    original.backup(from.copy);
  } finally {
    await original.close();
  }
  stopIfCancelled(signal);
  const store = openStore(from.copy, { readonly: true, isChecked: true });
  const state = await stateOf(store, from, async () => new Map()).finally(() => store.close());
  const database = await target.putDatabase(from.copy, { signal });
  return { ...state, database, newBytes: database.sizeBytes, newContent: new Set() };
}

async function stateOf(
  store: Store,
  { paths }: From,
  knownBefore: () => Promise<ReadonlyMap<string, Content>>,
): Promise<Pick<StoredState, 'plan' | 'facts' | 'erasures'>> {
  return {
    plan: await planFiles(store, paths.dir, knownBefore),
    facts: { schemaVersion: store.facts().schemaVersion, auditHead: await store.audit.head() },
    erasures: await backedUpErasures(store),
  };
}

interface Filled {
  damagedInSite: MadeBackup['damagedInSite'];
  manifest: BackupManifest;
  newBytes: number;
  newContent: Set<string>;
}

async function fill(
  target: BackupTarget,
  { reason, nowTs, keepFreeBytes }: BackupRequest,
  from: From & StoredState,
  options: BackupOptions,
): Promise<Filled> {
  const { plan, database } = from;
  const diagnostics: Diagnostic[] = [];
  const files: BackupFile[] = [];
  const damagedInSite: MadeBackup['damagedInSite'] = [];
  const newContent = new Set(from.newContent);
  const total = plan.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const report = (bytes: number) =>
    options.onProgress?.({ done: Math.min(bytes, total), total, step: 'copying recordings and pictures' });
  const place = placesIn(from.paths.dir);
  let neededBytes = 0;
  const turn = turns();
  /** By the index of a file, 1 for one that both sides have and that need not be read again. */
  const isSettled = new Uint8Array(plan.length);
  for (const [index, planned] of plan.entries()) {
    const { path, original } = place(planned);
    const file = { path, known: knownOf(planned), sizeBytes: planned.sizeBytes };
    const found = target.look(file, original);
    if (!found) neededBytes += await target.missingBytes(file);
    else if (found.isWholeInSite && !found.isDue) isSettled[index] = 1;
    if (index % FILES_BETWEEN_TURNS > 0) continue;
    stopIfCancelled(options.signal);
    await turn();
  }
  await requireRoom(target.scratchDir, neededBytes, keepFreeBytes);

  let done = 0;
  let newBytes = from.newBytes;
  for (const [index, planned] of plan.entries()) {
    const { path, isOptional, sizeBytes } = planned;
    const known = knownOf(planned);
    const start = done;
    if (known && isSettled[index]) {
      files.push(entryOf(planned, known));
      done = start + sizeBytes;
      if (index % FILES_BETWEEN_TURNS > 0) continue;
      stopIfCancelled(options.signal);
      if (await turn()) report(done);
      continue;
    }
    stopIfCancelled(options.signal);
    const source = place(planned).path;
    const put = await target.putFile(
      { path: source, known, sizeBytes },
      {
        signal: options.signal,
        onBytes: (bytes) => {
          done += bytes;
          report(done);
        },
      },
    );
    if (!put?.isWholeInSite && !isOptional) damagedInSite.push({ file: path, isMissing: source === undefined });
    if (put) {
      const isDamaged = known !== undefined && put.content.sha256 !== known.sha256;
      if (isDamaged) diagnostics.push(diagnostic('BACKUP_OF_DAMAGED', { file: path }));
      else if (!put.isWholeInSite && !isOptional) diagnostics.push(diagnostic('BACKUP_KEEPS_GOOD', { file: path }));
      const { sizeBytes: bytes, sha256 } = put.content;
      files.push({ path, sizeBytes: bytes, sha256, ...(isDamaged && { isDamaged }) });
      if (put.isNew) {
        newContent.add(put.content.sha256);
        newBytes += put.content.sizeBytes;
      }
    } else if (!isOptional) diagnostics.push(diagnostic('BACKUP_WITHOUT', { file: path }));
    done = start + sizeBytes;
    if (await turn()) report(done);
  }
  const siteFile = await target.putSiteFile(from.paths.siteFile);
  const auditReceipt = await receiptFor(from.paths.dir, from.site.id, from.facts.auditHead, nowTs);
  const manifest: BackupManifest = {
    format: database.chunks ? 2 : 1,
    id: from.id,
    siteId: from.site.id,
    siteName: from.site.displayName,
    createdTs: nowTs,
    sequence: from.sequence,
    reason,
    programVersion: VERSION,
    ...from.facts,
    ...(auditReceipt && { auditReceipt }),
    database,
    siteFile,
    files,
    problems: diagnostics.map(({ message }) => message),
    diagnostics,
  };
  await target.putManifest(manifest);
  return { damagedInSite, manifest, newBytes, newContent };
}

/** The database in the newest backup of this site, if nothing was written to it since. */
async function unchangedDatabase(
  directory: string,
  siteId: string,
  identity: string | undefined,
): Promise<BackupManifest['database'] | undefined> {
  if (identity === undefined) return undefined;
  const newest = (await listBackups(directory)).find(({ summary }) => summary?.siteId === siteId);
  const source = newest && (await readSource(newest.path));
  return source?.identity === identity ? source.database : undefined;
}

/** Pictures of the newest backup of this site. They are immutable, so one of the same name and size is not read again. */
async function knownPictures(directory: string, siteId: string): Promise<Map<string, Content>> {
  const newest = (await listBackups(directory)).find(({ summary }) => summary?.siteId === siteId);
  if (!newest) return new Map();
  // A backup that cannot be read does not prevent a new one.
  const { files } = await readManifest(newest.path).catch(() => ({ files: [] }));
  return new Map(files.filter(({ path }) => path.startsWith('images/')).map((file) => [file.path, file]));
}
