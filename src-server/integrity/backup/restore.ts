/**
 * Restores a site from a backup into an empty folder. The backup is verified first: an intact database is required, while a
 * damaged recording file costs only its damaged pages. `site.json` is renamed last, and a folder without it is not a site: an
 * interrupted restore leaves no site and can be repeated.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type HeldLock, latestSchemaVersion, SYSTEM, takeFileLock } from '../../db/index.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { hashFile, stopIfCancelled } from '../../files/content-hash.ts';
import { syncDirectory, writeDurably } from '../../files/durable-files.ts';
import { QUARANTINE } from '../../files/inbox.ts';
import { openStore } from '../../services/index.ts';
import { SCRUB_PARTS } from '../../vocabulary/scrub.ts';
import { anchorRestore } from '../anchors/begin.ts';
import { readChunks, writeNew } from '../content.ts';
import { completeErasures } from '../erasure/complete.ts';
import { addErasures, readErasures } from '../erasure/list.ts';
import { type ScrubFinding, writeScrubState } from '../scrub/state.ts';
import { LOCK_FILE, RESTORING_MARKER, recordingIdOfFile, SITE_FOLDERS, sitePaths } from '../site-file.ts';
import { readSiteKey } from '../site-key.ts';
import type { BackupSource } from './backup-source.ts';
import { checkBackup, type DamagedMember } from './check.ts';
import {
  type BackupManifest,
  contentPath,
  DATABASE_MEMBER,
  isSignalFile,
  lackingFiles,
  recordingOf,
  SITE_MEMBER,
  sizeOf,
} from './manifest.ts';
import { rememberKeys } from './sealed/keys.ts';
import { type AskPassphrase, openBackup } from './sources.ts';

export interface RestoreOptions {
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number; step: string }) => void;
  /** Restore nothing if anything in the backup is damaged. */
  isStrict?: boolean;
  /** `site.key` of the site that was backed up, or a copy of it: backups do not hold it. */
  keyFile?: string;
  /** Folder with the key and the log of anchors of that site; default: the folder of `keyFile`. Without both it begins its own. */
  anchorsIn?: string;
  /** Folders with further lists of erasures, such as the site that is replaced. */
  erasuresIn?: readonly string[];
  /** For encrypted backups. */
  askPassphrase?: AskPassphrase;
  /** Other places with backups of the site, or the folder of a site, whose copies stand in for what is damaged in the backup. */
  copiesIn?: readonly string[];
}

export interface RestoredSite {
  backupId: string;
  backupPath: string;
  siteId: string;
  createdTs: number;
  recordings: number;
  sizeBytes: number;
  /** `incomplete` when something is not as it was in the site; `lost` lists it. */
  outcome: 'complete' | 'incomplete';
  lost: LostFile[];
  /** What the backup knows was wrong in the site, and what is damaged in the backup. */
  problems: string[];
}

/** A file that is not what its row says. */
export interface LostFile {
  /** Place in the site. */
  file: string;
  /** The recording that it is a file of, whose row is marked. */
  recordingId?: string;
  /** DAMAGED: its pages that are whole can be read. */
  state: 'DAMAGED' | 'MISSING';
  /** Other folders of backups that have a file of this content; it was not good either, or its passphrase is not known. */
  elsewhere?: string[];
}

const MARKER = RESTORING_MARKER;

/**
 * @param from a backup's folder, a folder of backups (the newest counts) or a ZIP
 * @throws NOT_FOUND, FILE_DAMAGED, SITE_NEWER, SITE_EXISTS, SITE_LOCKED, SITE_READ_ONLY, DISK_FULL, CANCELLED
 */
export async function restoreSite(from: string, dir: string, options: RestoreOptions = {}): Promise<RestoredSite> {
  const key = options.keyFile === undefined ? undefined : await requireKey(options.keyFile);
  const anchorsIn = options.anchorsIn ?? (options.keyFile === undefined ? undefined : dirname(options.keyFile));
  const source = await openBackup(from, options.askPassphrase);
  try {
    const { manifest } = source;
    requireKnownSchema(manifest, source.path);
    const paths = sitePaths(dir);
    await requireEmpty(paths.dir);
    const copies = new OtherCopies(source.path, options.copiesIn);
    const damaged = await damageOf(source, copies, options);
    const lost = lostFiles(manifest, damaged, copies);
    await mkdir(paths.dir, { recursive: true });
    const lock = lockFolder(paths.dir);
    try {
      await requireEmpty(paths.dir);
      await clear(paths.dir);
      await requireRoom(paths.dir, sizeOf(manifest));
      await write(source, paths, lost, copies, options);
      if (key) await writeDurably(paths.keyFile, `${Buffer.from(key).toString('hex')}\n`, 0o600);
      if (source.sealingKeys) await rememberKeys(paths.dir, source.sealingKeys);
      await joinLists(source.path, paths.dir, options.erasuresIn);
      await settle(paths, manifest, lost, anchorsIn);
      await noteLost(paths.dir, manifest, lost);
      await rename(join(paths.dir, MARKER), paths.siteFile);
      await syncDirectory(paths.dir);
    } catch (thrown) {
      await clear(paths.dir).catch(() => undefined);
      throw thrown;
    } finally {
      lock.release();
    }
    const missing = missingOf(lost);
    const files = manifest.files.filter(({ path }) => !missing.has(path));
    return {
      backupId: manifest.id,
      backupPath: source.path,
      siteId: manifest.siteId,
      createdTs: manifest.createdTs,
      recordings: files.filter(isSignalFile).length,
      sizeBytes: sizeOf({ ...manifest, files }),
      outcome: lost.length === 0 ? 'complete' : 'incomplete',
      lost,
      problems: [...manifest.problems, ...damaged.map(({ message }) => message)],
    };
  } catch (thrown) {
    throw restoreFailure(thrown, dir);
  } finally {
    source.close();
  }
}

/** @throws NOT_FOUND, FILE_DAMAGED before anything is written */
async function requireKey(path: string): Promise<Uint8Array> {
  const key = await readSiteKey(path);
  if (key) return key;
  throw new OutpostError('NOT_FOUND', `There is no file ${path}. Name the site.key of the site that was backed up.`);
}

function restoreFailure(thrown: unknown, dir: string): OutpostError {
  const error = toOutpostError(thrown);
  if (error.code !== 'DISK_FULL' || error.details?.neededBytes !== undefined) return error;
  return new OutpostError(
    'DISK_FULL',
    `The disk of ${dir} is full, so nothing was restored. Free some space there, or restore into a folder on another disk.`,
    { cause: thrown },
  );
}

/** @throws SITE_NEWER */
export function requireKnownSchema(
  { schemaVersion, programVersion }: Pick<BackupManifest, 'schemaVersion' | 'programVersion'>,
  path: string,
): void {
  const known = latestSchemaVersion();
  if (schemaVersion <= known) return;
  throw new OutpostError(
    'SITE_NEWER',
    `The backup ${path} was made by a newer Outpost (${programVersion}, schema ${schemaVersion}; this program knows up to ${known}). Install that version or a later one, then restore it.`,
    { details: { schemaVersion, knownVersion: known } },
  );
}

/** The lock is a database, and its journal stays where the power fails while the lock is taken. */
const LOCK_NAMES = new Set<string>([LOCK_FILE, `${LOCK_FILE}-journal`]);
/** What an interrupted restore may have left. */
const OWN_NAMES = new Set<string>([...SITE_FOLDERS, MARKER, `${MARKER}.partial`]);
const isOwnName = (name: string) =>
  OWN_NAMES.has(name) ||
  /^(site\.key|audit-anchor\.key|audit-anchors\.jsonl|backup-keys\.json|erasures\.json|scrub\.json)(\.partial)?$|^site\.db(-wal|-shm|-journal|-unchecked|-check)?(\.partial)?$/.test(
    name,
  );

/** @throws SITE_EXISTS for anything but an empty folder or the remains of a restore */
export async function requireEmpty(dir: string): Promise<void> {
  if (!existsSync(dir)) return;
  const names = (await readdir(dir)).filter((name) => !LOCK_NAMES.has(name));
  const isRemains = names.includes(MARKER) && names.every(isOwnName);
  if (names.length === 0 || isRemains) return;
  throw new OutpostError(
    'SITE_EXISTS',
    existsSync(sitePaths(dir).siteFile)
      ? `There is a site in ${dir} already, which a restore would replace. Restore into an empty or new folder.`
      : `The folder ${dir} holds other files. Restore into an empty or new folder.`,
  );
}

/** Removes the remains of a restore, its marker last. */
async function clear(dir: string): Promise<void> {
  if (existsSync(sitePaths(dir).siteFile)) return;
  for (const name of await readdir(dir)) {
    if (isOwnName(name) && name !== MARKER) {
      await rm(join(dir, name), { recursive: true, force: true });
    }
  }
  await rm(join(dir, MARKER), { force: true });
}

function lockFolder(dir: string): HeldLock {
  const outcome = takeFileLock(join(dir, LOCK_FILE), { pid: process.pid, host: hostname(), sinceTs: Date.now() });
  if ('lock' in outcome) return outcome.lock;
  throw new OutpostError('SITE_LOCKED', `Another Outpost uses ${dir} at this moment. Choose another folder.`);
}

/** @throws FILE_DAMAGED when the backup contains no site, or not the requested one */
async function damageOf(source: BackupSource, copies: OtherCopies, options: RestoreOptions): Promise<DamagedMember[]> {
  const all = await checkBackup(source, {
    signal: options.signal,
    onProgress: (done, total) => options.onProgress?.({ done, total, step: 'checking the backup' }),
  });
  // What another place has in the right content is not lost.
  const damaged: DamagedMember[] = [];
  for (const member of all) {
    const isCopied = member.sha256 !== undefined && (await copies.find(member.sha256, member.name)) !== undefined;
    if (!isCopied) damaged.push(member);
  }
  const hopeless = damaged.find(({ name }) => name === DATABASE_MEMBER || name === SITE_MEMBER);
  const [reason] = hopeless ? [hopeless] : options.isStrict ? damaged : [];
  if (!reason) return damaged;
  const more = damaged.length > 1 ? ` Files in it that are damaged, this one included: ${damaged.length}.` : '';
  throw new OutpostError(
    'FILE_DAMAGED',
    `Nothing was restored: ${reason.message}${more} Use another backup${hopeless ? '' : ', or restore without --strict to get everything that is whole'}.`,
    { details: { damaged: damaged.length } },
  );
}

/** What cannot come back as it was: lost in the site before the backup, or damaged in the backup since. */
function lostFiles(manifest: BackupManifest, damaged: readonly DamagedMember[], copies: OtherCopies): LostFile[] {
  const hashes = new Map(manifest.files.map(({ path, sha256 }) => [path, sha256]));
  const reasons = new Map(damaged.map(({ name, code }) => [name, code]));
  const held = new Set(manifest.files.map(({ path }) => path));
  return [...new Set([...lackingFiles(manifest), ...reasons.keys()])].sort().map((file) => {
    const recordingId = /^signals\//.test(file) ? recordingIdOfFile(basename(file)) : undefined;
    const code = reasons.get(file);
    // Pages carry checksums, so the rest of a signal file is still good. A picture or a clock map is whole or worthless.
    const isReadable = code === undefined || code === 'BACKUP_FILE_CHANGED' || code === 'BACKUP_FILE_SIZE';
    const isKept = held.has(file) && recordingOf(file) !== undefined && isReadable;
    const elsewhere = copies.placesOf(hashes.get(file));
    return {
      file,
      ...(recordingId !== undefined && { recordingId }),
      state: isKept ? 'DAMAGED' : 'MISSING',
      ...(elsewhere.length > 0 && { elsewhere }),
    };
  });
}

/** A recording without its clock map has all its samples, at wrong times. */
function fileStates(lost: readonly LostFile[]): Map<string, LostFile['state']> {
  const states = new Map<string, LostFile['state']>();
  for (const { file, recordingId, state } of lost) {
    if (recordingId === undefined || states.get(recordingId) === 'MISSING') continue;
    states.set(recordingId, recordingOf(file) === undefined ? 'DAMAGED' : state);
  }
  return states;
}

const missingOf = (lost: readonly LostFile[]) =>
  new Set(lost.flatMap(({ file, state }) => (state === 'MISSING' ? [file] : [])));

/**
 * @param reserveBytes what has to stay free on that disk
 * @throws DISK_FULL with both numbers
 */
export async function requireRoom(dir: string, neededBytes: number, reserveBytes = 0): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize >= neededBytes + reserveBytes) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new OutpostError(
    'DISK_FULL',
    `The site needs ${megabytes(neededBytes)}, and the disk of ${dir} has ${megabytes(bavail * bsize)} free. Free some space there, or restore into a folder on another disk.`,
    { details: { neededBytes, freeBytes: bavail * bsize } },
  );
}

async function write(
  source: BackupSource,
  paths: ReturnType<typeof sitePaths>,
  lost: LostFile[],
  copies: OtherCopies,
  options: RestoreOptions,
): Promise<void> {
  const { manifest } = source;
  await chmod(paths.dir, 0o700);
  const put = async (member: string, path: string, expected: string | undefined, onBytes?: (bytes: number) => void) => {
    const found = await writeNew(await source.read(member), path, { signal: options.signal, mode: 0o600, onBytes });
    if (expected === undefined || found.sha256 === expected) return;
    throw new OutpostError(
      'FILE_DAMAGED',
      `${member} of the backup read differently the second time. Check the disk of ${source.path}.`,
    );
  };
  // From here on the folder is known as the remains of a restore.
  await put(SITE_MEMBER, join(paths.dir, MARKER), manifest.siteFile.sha256);
  await syncDirectory(paths.dir);
  const folders = new Set([
    ...SITE_FOLDERS,
    join('inbox', QUARANTINE),
    ...manifest.files.map(({ path }) => dirname(path)),
  ]);
  for (const folder of folders) await mkdir(join(paths.dir, folder), { recursive: true });
  const total = sizeOf(manifest);
  let done = 0;
  const count = (bytes: number) => {
    done += bytes;
    options.onProgress?.({ done: Math.min(done, total), total, step: 'restoring' });
  };
  const database = await databaseOf(source, copies);
  const written = await writeNew(database, paths.database, { signal: options.signal, mode: 0o600, onBytes: count });
  if (written.sha256 !== manifest.database.sha256)
    throw new OutpostError(
      'FILE_DAMAGED',
      `The database in the backup read differently the second time. Check the disk of ${source.path}.`,
    );
  const missing = missingOf(lost);
  const damaged = new Set(lost.map(({ file }) => file));
  for (const { path, sha256 } of manifest.files) {
    stopIfCancelled(options.signal);
    if (missing.has(path)) continue;
    const target = join(paths.dir, path);
    const copy = copies.found(sha256);
    if (copy !== undefined) {
      await writeNew(readChunks(copy), target, { signal: options.signal, mode: 0o600, onBytes: count });
      continue;
    }
    try {
      await put(contentPath(sha256), target, damaged.has(path) ? undefined : sha256, count);
    } catch (thrown) {
      // A disk that reads a file differently the second time, or no more, costs this file and not the others.
      if (toOutpostError(thrown).code !== 'FILE_DAMAGED' && !isOfSource(thrown)) throw thrown;
      const recordingId = recordingOf(path);
      const isKept = recordingId !== undefined && existsSync(target);
      if (!isKept) await rm(target, { force: true });
      lost.push({ file: path, ...(recordingId && { recordingId }), state: isKept ? 'DAMAGED' : 'MISSING' });
    }
  }
  for (const folder of folders) await syncDirectory(join(paths.dir, folder));
  await syncDirectory(dirname(paths.dir));
}

/** The database, with pieces from other places where those of the backup are damaged. */
async function databaseOf(source: BackupSource, copies: OtherCopies): Promise<AsyncIterable<Uint8Array>> {
  const chunks = source.manifest.database.chunks ?? [];
  if (!chunks.some((hash) => copies.found(hash) !== undefined)) return await source.read(DATABASE_MEMBER);
  return (async function* () {
    for (const hash of chunks) {
      const copy = copies.found(hash);
      yield* copy === undefined ? await source.read(contentPath(hash)) : readChunks(copy);
    }
  })();
}

/** A read that failed, in contrast to a disk that is full or a folder that cannot be written to. */
const isOfSource = (thrown: unknown): boolean => (thrown as NodeJS.ErrnoException).code === 'EIO';

/** Content of the same hash in other places. Only files that need no passphrase are read. */
class OtherCopies {
  readonly #places: readonly string[];
  readonly #found = new Map<string, string>();
  readonly #elsewhere = new Map<string, string[]>();

  constructor(from: string, places: readonly string[] = []) {
    const own = [from, dirname(from)].map((path) => resolve(path));
    this.#places = places.map((path) => resolve(path)).filter((path) => !own.includes(path));
  }

  /** Looks for a member once, and compares what it finds. @param name its place in a site */
  async find(sha256: string, name: string): Promise<string | undefined> {
    for (const place of this.#places) {
      for (const path of [join(place, contentPath(sha256)), join(place, name)]) {
        if (name === DATABASE_MEMBER && !path.includes('files')) continue;
        if (!existsSync(path)) continue;
        const content = await hashFile(path).catch(() => undefined);
        if (content?.sha256 === sha256) {
          this.#found.set(sha256, path);
          return path;
        }
        this.#elsewhere.set(sha256, [...(this.#elsewhere.get(sha256) ?? []), place]);
      }
    }
    return undefined;
  }

  /** A copy that is good. */
  found(sha256: string): string | undefined {
    return this.#found.get(sha256);
  }

  placesOf(sha256: string | undefined): string[] {
    return sha256 === undefined ? [] : (this.#elsewhere.get(sha256) ?? []);
  }
}

/** The restored site shows on Today what it lacks, and looks for copies as for what it finds damaged itself. */
async function noteLost(dir: string, manifest: BackupManifest, lost: readonly LostFile[]): Promise<void> {
  if (lost.length === 0) return;
  const contents = new Map(
    manifest.files.map(({ path, sizeBytes, sha256, isDamaged }) => [path, { sizeBytes, sha256, isDamaged }]),
  );
  const foundTs = Date.now();
  // A clock map follows from the database and is made again where its recording is read.
  const missed = lost.filter(({ file }) => !file.endsWith('.clock'));
  const findings = missed.map(({ file, recordingId, state, elsewhere }): ScrubFinding => {
    const { isDamaged, ...content } = contents.get(file) ?? {};
    const part = SCRUB_PARTS.find((one) => file.startsWith(`${one}/`)) ?? 'other';
    return {
      ...{ part, file, state, foundTs },
      // What was damaged when it was backed up has the hash of the damage.
      ...(!isDamaged && content),
      ...(recordingId !== undefined && { recordingId }),
      ...(elsewhere && { elsewhere }),
    };
  });
  await writeScrubState(dir, { format: 1, findings });
}

/** Everybody knows of erasures: the backup, the folder in which it lies, and what the caller names. */
async function joinLists(from: string, dir: string, others: readonly string[] = []): Promise<void> {
  for (const folder of [dirname(from), ...others]) {
    const listed = await readErasures(folder);
    if (listed.length > 0) await addErasures(dir, listed);
  }
}

/**
 * Migrates the database, marks recordings whose files were not restored intact, and records the restore in the audit. Imports
 * that were pending when the backup was made have no files here: they end with that reason instead of failing one by one.
 */
async function settle(
  paths: ReturnType<typeof sitePaths>,
  manifest: BackupManifest,
  lost: readonly LostFile[],
  anchorsIn: string | undefined,
): Promise<void> {
  // Every page is read: the backup may be of a database that was damaged already.
  const store = openStore(paths.database, { backupsDir: paths.backupsDir, smallBytes: Number.MAX_SAFE_INTEGER });
  try {
    const nowTs = Date.now();
    for (const job of await store.jobs.unfinished()) {
      if (job.kind === 'import') {
        const error = {
          code: 'NOT_FOUND' as const,
          message: 'The files of this import waited when the backup was made and are not in it. Import them again.',
        };
        await store.jobs.finish(job.id, { state: 'failed', error }, nowTs);
      } else if (job.kind === 'backup' || job.kind === 'verify' || job.kind === 'restore') {
        await store.jobs.finish(job.id, { state: 'cancelled' }, nowTs);
      }
    }
    for (const [recordingId, state] of fileStates(lost))
      await store.recordings.setFileState(recordingId, state, SYSTEM);
    // What was erased after the backup goes before the folder is a site.
    await completeErasures(paths.dir, store);
    // Derived from the rows, some of which may just have changed: the site builds it again when it opens.
    await store.search.clear();
    await store.audit.note(SYSTEM, {
      action: 'site.restore',
      entityType: 'site',
      entityId: manifest.siteId,
      changes: { backup: { new: manifest.id }, backupTs: { new: manifest.createdTs } },
    });
    const base = { ...manifest.auditHead, backupId: manifest.id, backupTs: manifest.createdTs };
    await anchorRestore({ siteDir: paths.dir, siteId: manifest.siteId, store, nowTs }, base, anchorsIn);
  } finally {
    await store.close();
  }
}
