/** Where a backup is written to: a folder of backups that share what is the same, or one ZIP with everything. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { syncDirectory, writeDurably } from '../../durable-files.ts';
import { OutpostError } from '../../errors.ts';
import { type Content, type CopyOptions, contentOf, hashed, readChunks, writeNew } from '../content.ts';
import { backupPath, lockBackups, partialBackupPath, removePartials } from './folder.ts';
import { contentPath, DATABASE_MEMBER, MANIFEST_FILE, MANIFEST_SUM_FILE, SITE_MEMBER } from './manifest.ts';

export interface BackupTarget {
  /** Folder on the same disk where the copy of the database may be made. */
  scratchDir: string;
  /** Bytes of content that it still needs of what is asked about; 0 for what it has. */
  missingBytes(content: Content): Promise<number>;
  /** Takes the checked copy of the database, which leaves the scratch folder. */
  putDatabase(path: string, options: CopyOptions): Promise<Content>;
  putSiteFile(path: string): Promise<Content>;
  /** Takes a file; `known` is what it should be, and spares reading what is there already. */
  putFile(
    path: string,
    known: Content | undefined,
    options: CopyOptions,
  ): Promise<{ content: Content; isNew: boolean }>;
  putManifest(text: string, sum: string): Promise<void>;
  /** The written backup, to be read back before it counts. */
  readonly written: { path: string; contentRoot: string };
  /** Makes it count; from here on it survives a power cut. */
  commit(): Promise<string>;
  /** Removes what was written unless it counts, and gives the lock back. */
  close(): Promise<void>;
}

/** @throws CONFLICT while another backup is made there */
export async function folderTarget(directory: string, id: string, isLinking: boolean): Promise<BackupTarget> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockBackups(directory);
  const partial = partialBackupPath(directory, id);
  const touched = new Set<string>();
  try {
    await removePartials(directory);
    await mkdir(partial, { mode: 0o700 });
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
  const poolPath = (content: Content) => join(directory, contentPath(content.sha256));
  const has = async (content: Content) => (await stat(poolPath(content)).catch(() => null))?.size === content.sizeBytes;
  return {
    scratchDir: partial,
    written: { path: partial, contentRoot: directory },
    missingBytes: async (content) => (isLinking || (await has(content)) ? 0 : content.sizeBytes),
    putDatabase: async (path, options) => {
      const content = await contentOf(readChunks(path), options);
      await rename(path, join(partial, DATABASE_MEMBER));
      return content;
    },
    putSiteFile: (path) => writeNew(readChunks(path), join(partial, SITE_MEMBER), { mode: 0o600 }),
    putFile: async (path, known, options) => {
      if (known && (await has(known))) return { content: known, isNew: false };
      const content = await addContent(directory, path, { scratch: join(partial, randomUUID()), isLinking }, options);
      touched.add(dirname(poolPath(content)));
      return { content, isNew: true };
    },
    putManifest: async (text, sum) => {
      await writeDurably(join(partial, MANIFEST_FILE), text);
      await writeDurably(join(partial, MANIFEST_SUM_FILE), sum);
    },
    commit: async () => {
      for (const folder of touched) await syncDirectory(folder);
      if (touched.size > 0) await syncDirectory(join(directory, 'files'));
      await syncDirectory(partial);
      await rename(partial, backupPath(directory, id));
      await syncDirectory(directory);
      return backupPath(directory, id);
    },
    close: async () => {
      try {
        await rm(partial, { recursive: true, force: true });
      } finally {
        lock.release();
      }
    },
  };
}

/**
 * Puts a file among the content under its hash. Linked, it costs no space: a deleted or replaced file of the site is still
 * there, though not one whose bytes the disk spoils. Copied, it is a second set of bytes.
 */
async function addContent(
  directory: string,
  source: string,
  { scratch, isLinking }: { scratch: string; isLinking: boolean },
  options: CopyOptions,
): Promise<Content> {
  let content: Content | undefined;
  if (isLinking) {
    try {
      await link(source, scratch);
      content = await contentOf(readChunks(scratch), options);
    } catch (thrown) {
      await rm(scratch, { force: true });
      // A file system without links, or another disk: a copy then.
      if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'].includes((thrown as NodeJS.ErrnoException).code ?? '')) {
        throw thrown;
      }
    }
  }
  content ??= await writeNew(readChunks(source), scratch, { ...options, mode: 0o600 });
  const path = join(directory, contentPath(content.sha256));
  try {
    await mkdir(dirname(path), { recursive: true });
    await rename(scratch, path);
  } finally {
    // Renaming one link of a file onto another does nothing at all, so the first is still there.
    await rm(scratch, { force: true });
  }
  return content;
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
  const add = async (name: string, source: AsyncIterable<Uint8Array>, options: CopyOptions = {}): Promise<Content> => {
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
  return {
    scratchDir: dirname(file),
    written: { path: partial, contentRoot: partial },
    missingBytes: async (content) => content.sizeBytes,
    putDatabase: async (path, options) => {
      const content = await add(DATABASE_MEMBER, readChunks(path), options);
      await rm(path);
      return content;
    },
    putSiteFile: (path) => add(SITE_MEMBER, readChunks(path)),
    putFile: async (path, known, options) => {
      // The name of a member comes before its bytes, and is their hash.
      const content = known ?? (await contentOf(readChunks(path)));
      const name = contentPath(content.sha256);
      if (names.has(name)) return { content, isNew: false };
      const found = await add(name, readChunks(path), options);
      if (found.sha256 === content.sha256) return { content, isNew: true };
      const actual = contentPath(found.sha256);
      if (!names.has(actual)) await add(actual, readChunks(path), options);
      return { content: found, isNew: true };
    },
    putManifest: async (text, sum) => {
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
