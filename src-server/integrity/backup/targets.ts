/** Targets of a backup: a folder of backups that share identical content, or one self-contained ZIP. */
import { randomUUID } from 'node:crypto';
import { createWriteStream, type Stats, statSync } from 'node:fs';
import { chmod, constants, copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { OutpostError } from '../../errors.ts';
import { contentOfBytes } from '../../files/column-files.ts';
import { type Content, contentOf, type HashOptions, hashed, sha256Hex } from '../../files/content-hash.ts';
import { syncDirectory, writeDurably } from '../../files/durable-files.ts';
import {
  ifReadable,
  readChunks,
  readOneFile,
  readSmallFile,
  SMALL_BYTES,
  UnreadableFile,
  writeNew,
} from '../content.ts';
import type { CheckOptions, DamagedMember } from './check.ts';
import { ContentWriter } from './content-writer.ts';
import { backupPath, contentFolders, lockBackups, partialBackupPath, removePartials } from './folder.ts';
import {
  type BackupManifest,
  contentPath,
  DATABASE_MEMBER,
  encodeManifest,
  MANIFEST_FILE,
  MANIFEST_SUM_FILE,
  SITE_MEMBER,
} from './manifest.ts';
import { heldPieces, type PieceStore, type PutPages, type PutSource, putPieces } from './pieces.ts';
import { writeSecondCopies } from './second-copies.ts';
import { type DatabaseSource, writeSummary } from './summary.ts';

/** A file of the site. */
export interface SourceFile {
  /** Undefined when it is missing in the site. */
  path: string | undefined;
  /** What its row, or an earlier backup, says of its content. */
  known?: Content;
  sizeBytes: number;
}

/** What a target has of a file, judged by sizes. */
export interface HeldFile {
  /** False when the site itself no longer has as many bytes. */
  isWholeInSite: boolean;
  /** It has to be read again all the same, here and in the site. */
  isDue: boolean;
}

export interface PutFile {
  /** What the backup holds of it: bytes other than the known ones when the site has no better. */
  content: Content;
  isNew: boolean;
  /** False when the site itself no longer has the known bytes, as far as was seen. */
  isWholeInSite: boolean;
}

export interface BackupTarget {
  /** Folder on the same disk where the copy of the database may be made. */
  scratchDir: string;
  /**
   * Undefined for a file that has to be added. It is asked for every file of a site, so it does not wait for anything.
   * @param original the file in the site; undefined when it is missing there
   */
  look(file: SourceFile, original: Stats | undefined): HeldFile | undefined;
  /** Upper bound of the bytes that adding a file needs. */
  missingBytes(file: SourceFile): Promise<number>;
  /** Adds the database in pieces that backups share. Absent where a copy of the whole file is added instead. */
  putPages?(pages: PutSource, options: HashOptions): Promise<PutPages>;
  /** Moves the checked copy of the database out of the scratch folder. */
  putDatabase(path: string, options: HashOptions): Promise<Content>;
  putSiteFile(path: string): Promise<Content>;
  /** Adds a file, or finds it in an earlier backup. Undefined when there is neither, or only a file that cannot be read. */
  putFile(file: SourceFile, options: HashOptions): Promise<PutFile | undefined>;
  putManifest(manifest: BackupManifest): Promise<void>;
  /** The written backup, to be read back before it is published. */
  readonly written: { path: string; contentRoot: string };
  /** Reads what was added back, where that needs no key; absent where the written backup is read as a source. */
  checkWritten?(options: Omit<CheckOptions, 'onlyContent'>): Promise<DamagedMember[]>;
  /** Publishes the backup durably. */
  commit(): Promise<string>;
  /** Removes an unpublished backup and releases the lock. */
  close(): Promise<void>;
}

/**
 * @param isDue whether content that the folder has is read again, here and in the site; see {@link dueForReading}
 * @throws BACKUP_BUSY while another backup is made there
 */
export async function folderTarget(
  directory: string,
  id: string,
  isDue: (content: Content) => boolean,
): Promise<BackupTarget> {
  const lock = await lockBackups(directory);
  const partial = partialBackupPath(directory, id);
  const touched = new Set<string>();
  try {
    const wasInterrupted = await removePartials(directory);
    // What an interrupted backup has renamed is taken for held, and may be on the disk under no name yet.
    if (wasInterrupted) for (const folder of await contentFolders(directory)) touched.add(folder);
    await mkdir(partial, { mode: 0o700 });
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
  const root = join(directory, '/');
  const poolPath = (content: Content) => root + contentPath(content.sha256);
  const writer = new ContentWriter(directory, partial);
  const pieces: PieceStore = {
    holds: (content) => isPieceThere(poolPath(content), content, isDue),
    add: (piece, { sha256 }) => writer.add(piece, sha256),
    settle: () => writer.settle(),
  };
  let source: DatabaseSource | undefined;
  let canClone: Promise<boolean> | undefined;
  const look = ({ path, known }: SourceFile, original: Stats | undefined): HeldFile | undefined => {
    if (known === undefined || !hasOwn(poolPath(known), known, path, original)) return undefined;
    return { isWholeInSite: original?.size === known.sizeBytes, isDue: isDue(known) };
  };
  const putFile = async (file: SourceFile, options: HashOptions): Promise<PutFile | undefined> => {
    const { path, known } = file;
    const held = look(file, path === undefined ? undefined : statOf(path));
    if (known && held && (!held.isDue || (await isContent(poolPath(known), known, options)))) {
      const isWholeInSite =
        held.isWholeInSite && path !== undefined && (!held.isDue || (await isContent(path, known, options)));
      return { content: known, isNew: false, isWholeInSite };
    }
    if (path === undefined) return undefined;
    canClone ??= isCloning(path, partial);
    const isSmall = (statOf(path)?.size ?? 0) <= SMALL_BYTES;
    if (isSmall && !(await canClone)) {
      const bytes = readSmallFile(path);
      const content = contentOfBytes(bytes);
      await writer.add(bytes, content.sha256);
      options.onBytes?.(bytes.length);
      return { content, isNew: true, isWholeInSite: known === undefined || known.sha256 === content.sha256 };
    }
    const scratch = join(partial, randomUUID());
    const content = await addContent(directory, path, { scratch, isCloned: await canClone }, options);
    touched.add(dirname(poolPath(content)));
    return { content, isNew: true, isWholeInSite: known === undefined || known.sha256 === content.sha256 };
  };
  return {
    scratchDir: partial,
    written: { path: partial, contentRoot: directory },
    look,
    missingBytes: async ({ path, sizeBytes }) => {
      if (path === undefined) return 0;
      canClone ??= isCloning(path, partial);
      return (await canClone) ? 0 : sizeBytes;
    },
    putDatabase: async (path, options) => {
      const content = await contentOf(readChunks(path), options);
      await rename(path, join(partial, DATABASE_MEMBER));
      return content;
    },
    putPages: async (pages, options) => {
      const known = pages.before && (await heldPieces(pieces, pages.before, options));
      const put = known ?? (await putPieces(pieces, pages, options));
      if (pages.identity !== undefined) source = { identity: pages.identity, database: put.database };
      return put;
    },
    putSiteFile: (path) => writeNew(readChunks(path), join(partial, SITE_MEMBER), { mode: 0o600 }),
    putFile: (file, options) => ifReadable(() => putFile(file, options)),
    putManifest: async (manifest) => {
      await writer.settle();
      const { text, sum } = encodeManifest(manifest);
      await writeDurably(join(partial, MANIFEST_FILE), text);
      await writeSummary(partial, manifest, sum, source);
      await writeSecondCopies(partial);
    },
    commit: async () => {
      for (const folder of writer.folders) touched.add(folder);
      return await publish(directory, id, touched);
    },
    close: async () => {
      try {
        await writer.settle().catch(() => undefined);
        await rm(partial, { recursive: true, force: true });
      } finally {
        lock.release();
      }
    },
  };
}

/** Makes a written backup visible. @param touched folders that its content was added to */
export async function publish(directory: string, id: string, touched: ReadonlySet<string>): Promise<string> {
  const partial = partialBackupPath(directory, id);
  for (const folder of touched) await syncDirectory(folder);
  if (touched.size > 0) await syncDirectory(join(directory, 'files'));
  await syncDirectory(partial);
  await rename(partial, backupPath(directory, id));
  await syncDirectory(directory);
  return backupPath(directory, id);
}

function isPieceThere(
  path: string,
  content: Content,
  isDue: (content: Content) => boolean,
): boolean | Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.size !== content.sizeBytes) return false;
  return !isDue(content) || isContent(path, content, {});
}

/** What cannot be looked at counts as not there, so that it is stored again. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Whether the folder has this content in bytes of its own, judged by size. A file that shares its inode with the one of the
 * site, as earlier versions made them, is no copy: what spoils one spoils both.
 */
function hasOwn(path: string, content: Content, sitePath: string | undefined, original: Stats | undefined): boolean {
  const held = statOf(path);
  if (held?.size !== content.sizeBytes) return false;
  if (sitePath === undefined || held.ino !== original?.ino || held.dev !== original.dev) return true;
  // Numbers of some file systems exceed a double's precision, so different files may seem to be the same.
  const [here, there] = [path, sitePath].map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }));
  return here?.ino !== there?.ino || here?.dev !== there?.dev;
}

/** The caller has compared the size. What cannot be read is not the content, so that it is stored again. */
async function isContent(path: string, { sizeBytes, sha256 }: Content, { signal }: HashOptions): Promise<boolean> {
  const found = await ifReadable(async () =>
    sizeBytes <= SMALL_BYTES ? sha256Hex(readSmallFile(path)) : (await contentOf(readOneFile(path), { signal })).sha256,
  );
  return found === sha256;
}

/**
 * Whether the file system clones files (Btrfs, XFS, APFS): both names then have an inode of their own and share blocks only
 * until one of them is written to.
 */
async function isCloning(source: string, folder: string): Promise<boolean> {
  const probe = join(folder, randomUUID());
  try {
    await copyFile(source, probe, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true });
  }
}

/** Puts a copy of a file among the content under its hash, which is taken from the bytes that were copied. */
async function addContent(
  directory: string,
  source: string,
  { scratch, isCloned }: { scratch: string; isCloned: boolean },
  options: HashOptions,
): Promise<Content> {
  try {
    let content = isCloned ? await clone(source, scratch, options).catch(() => undefined) : undefined;
    if (!content) {
      // Only a copy tells whether the file cannot be read or the copy not be written.
      await rm(scratch, { force: true });
      content = await writeNew(readOneFile(source), scratch, { ...options, mode: 0o600 });
    }
    const path = join(directory, contentPath(content.sha256));
    await mkdir(dirname(path), { recursive: true });
    await rename(scratch, path);
    return content;
  } finally {
    // Renaming one hard link of a file onto another does nothing, so the first name would stay.
    await rm(scratch, { force: true });
  }
}

async function clone(source: string, path: string, options: HashOptions): Promise<Content> {
  await copyFile(source, path, constants.COPYFILE_FICLONE_FORCE);
  await chmod(path, 0o600);
  const handle = await open(path, 'r+');
  await handle.sync().finally(() => handle.close());
  return await contentOf(readOneFile(path), options);
}

/** Ends where a file cannot be read, because a member of a ZIP that has begun has to end. */
async function* upTo(source: AsyncIterable<Uint8Array>, onUnreadable: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (thrown) {
    if (!(thrown instanceof UnreadableFile)) throw thrown;
    onUnreadable();
  }
}

/** A single file, whole or not there. @throws SITE_EXISTS when it is there already */
export async function zipTarget(file: string): Promise<BackupTarget> {
  await mkdir(dirname(file), { recursive: true });
  if (await stat(file).catch(() => null)) {
    throw new OutpostError('SITE_EXISTS', `There is a file ${file} already. Choose another name.`);
  }
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  const zip = new ZipFile();
  const out = createWriteStream(partial, { mode: 0o600 });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  zip.on('error', failed.reject);
  const written = pipeline(zip.outputStream, out);
  written.catch(failed.reject);
  const names = new Set<string>();
  const add = async (name: string, source: AsyncIterable<Uint8Array>, options: HashOptions = {}): Promise<Content> => {
    let content: Content = { sizeBytes: 0, sha256: '' };
    const stream = Readable.from(
      hashed(source, (found) => (content = found), options),
      { objectMode: false },
    );
    const read = finished(stream);
    read.catch(() => undefined);
    zip.addReadStreamLazy(name, { compress: false, mtime: new Date(), mode: 0o100600 }, (give) => give(null, stream));
    try {
      await Promise.race([read, failed.promise]);
    } catch (thrown) {
      stream.destroy();
      throw thrown;
    }
    names.add(name);
    return content;
  };
  /** Hashes of members that end where their file cannot be read. The manifest names none of them. */
  const unfinished = new Set<string>();
  const addReadable = async (name: string, path: string, options: HashOptions): Promise<Content | undefined> => {
    let isWhole = true;
    const content = await add(
      name,
      upTo(readOneFile(path), () => (isWhole = false)),
      options,
    );
    return isWhole ? content : undefined;
  };
  return {
    scratchDir: dirname(file),
    written: { path: partial, contentRoot: partial },
    look: () => undefined,
    missingBytes: async ({ path, sizeBytes }) => (path === undefined ? 0 : sizeBytes),
    putDatabase: async (path, options) => {
      const content = await add(DATABASE_MEMBER, readChunks(path), options);
      await rm(path);
      return content;
    },
    putSiteFile: (path) => add(SITE_MEMBER, readChunks(path)),
    putFile: async ({ path, known }, options) => {
      if (path === undefined) return undefined;
      // The name of a member comes before its bytes, and is their hash.
      const content = known ?? (await ifReadable(() => contentOf(readOneFile(path))));
      if (!content || unfinished.has(content.sha256)) return undefined;
      const name = contentPath(content.sha256);
      if (names.has(name)) return { content, isNew: false, isWholeInSite: true };
      const whole = await addReadable(name, path, options);
      if (!whole) {
        unfinished.add(content.sha256);
        return undefined;
      }
      if (whole.sha256 === content.sha256) return { content, isNew: true, isWholeInSite: true };
      const actual = contentPath(whole.sha256);
      if (!names.has(actual)) await add(actual, readChunks(path), options);
      return { content: whole, isNew: true, isWholeInSite: known === undefined };
    },
    putManifest: async (manifest) => {
      const { text, sum } = encodeManifest(manifest);
      await add(MANIFEST_FILE, Readable.from([Buffer.from(text)]));
      await add(MANIFEST_SUM_FILE, Readable.from([Buffer.from(sum)]));
      zip.end();
      await Promise.race([written, failed.promise]);
      const handle = await open(partial, 'r+');
      await handle.sync().finally(() => handle.close());
    },
    commit: async () => {
      await rename(partial, file);
      await syncDirectory(dirname(file));
      return file;
    },
    close: async () => {
      if (!out.destroyed) out.destroy();
      await rm(partial, { force: true });
    },
  };
}
