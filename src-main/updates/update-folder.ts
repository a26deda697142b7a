/**
 * Reads a folder of updates, on a network or a USB stick, which somebody else may change at any moment. So everything is decided about
 * bytes in memory and about a copy in the program's own folder: the copy is hashed, the copy is installed, and it is hashed again
 * right before. Links and paths out of the folder are refused.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory, writeDurably } from '../../src-server/files/durable-files.ts';
import { asRefusal, UpdateRefused } from './refusal.ts';
import {
  chooseUpdate,
  type FoundUpdate,
  LIST_FILE,
  LIST_LIMIT_BYTES,
  type ReleaseFile,
  readUpdateList,
  SIGNATURE_FILE,
  type ThisProgram,
  type UpdateList,
} from './update-list.ts';

const BUFFER_BYTES = 1 << 20;
const SIGNATURE_LIMIT_BYTES = 4096;

/** A signed list as it was read, and what it offers to this computer. */
export interface CheckedFolder {
  folder: string;
  bytes: Buffer;
  signatures: string;
  list: UpdateList;
  /** Absent when this program is the newest. */
  update?: FoundUpdate;
}

/** An update in the program's own folder. */
export interface StagedUpdate {
  version: string;
  path: string;
  file: ReleaseFile;
}

/** Opens a plain file of a folder: no link, no device, not replaced while it is opened. @throws UpdateRefused */
async function openPlain(folder: string, name: string): Promise<{ handle: FileHandle; sizeBytes: number }> {
  const path = join(folder, name);
  const facts = { file: name };
  try {
    const before = await lstat(path, { bigint: true });
    if (!before.isFile()) throw new UpdateRefused('file-not-plain', facts);
    // Windows has no O_NOFOLLOW; there the comparison of what was opened has to do.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const opened = await handle.stat({ bigint: true });
    if (opened.dev === before.dev && opened.ino === before.ino) return { handle, sizeBytes: Number(opened.size) };
    await handle.close();
    throw new UpdateRefused('folder-changed', facts);
  } catch (thrown) {
    throw asRefusal(thrown, facts);
  }
}

async function readSmall(folder: string, name: string, limitBytes: number): Promise<Buffer> {
  const { handle, sizeBytes } = await openPlain(folder, name);
  try {
    if (sizeBytes > limitBytes) throw new UpdateRefused('list-unreadable');
    const bytes = await handle.readFile();
    if (bytes.length > limitBytes) throw new UpdateRefused('list-unreadable');
    return bytes;
  } finally {
    await handle.close();
  }
}

async function requireFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) throw new UpdateRefused('folder-missing', { folder });
}

/** Reads the list of a folder and chooses the update in it; no installer is read yet. @throws UpdateRefused */
export async function checkFolder(folder: string, program: ThisProgram, newestTs = 0): Promise<CheckedFolder> {
  await requireFolder(folder);
  const missing = (thrown: unknown) => {
    const isMissing = thrown instanceof UpdateRefused && thrown.reason === 'file-missing';
    throw isMissing ? new UpdateRefused('no-list', { folder, file: String(thrown.facts.file) }) : thrown;
  };
  const bytes = await readSmall(folder, LIST_FILE, LIST_LIMIT_BYTES).catch(missing);
  const signatures = (await readSmall(folder, SIGNATURE_FILE, SIGNATURE_LIMIT_BYTES).catch(missing)).toString('latin1');
  const list = readUpdateList(bytes, signatures, program.keys, newestTs);
  const update = chooseUpdate(list, program);
  return { folder, bytes, signatures, list, ...(update && { update }) };
}

/** Reads a file to its end. @returns its SHA-512 in Base64, and its size */
async function digest(
  handle: FileHandle,
  onChunk?: (chunk: Uint8Array) => Promise<unknown>,
): Promise<{ sha512: string; sizeBytes: number }> {
  const hash = createHash('sha512');
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let sizeBytes = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, BUFFER_BYTES, sizeBytes);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await onChunk?.(chunk);
    sizeBytes += bytesRead;
  }
  return { sha512: hash.digest('base64'), sizeBytes };
}

/** What a file must be. */
type Expected = Pick<ReleaseFile, 'name' | 'sizeBytes' | 'sha512'>;

function requireSame(found: { sha512: string; sizeBytes: number }, { name, sizeBytes, sha512 }: Expected): void {
  if (found.sizeBytes !== sizeBytes) throw new UpdateRefused('size-differs', { file: name });
  if (found.sha512 !== sha512) throw new UpdateRefused('hash-differs', { file: name });
}

/** @throws UpdateRefused when a file is not what the list says */
export async function requireFile(path: string, file: Expected): Promise<void> {
  const handle = await open(path, 'r').catch((thrown: unknown) => {
    throw asRefusal(thrown, { file: file.name });
  });
  try {
    requireSame(await digest(handle), file);
  } finally {
    await handle.close();
  }
}

/**
 * Copies a file of a folder into another one. The copy counts only once it is whole, hashed and flushed: after a power cut there is either
 * all of it or a remainder that {@link stageUpdate} removes.
 * @throws UpdateRefused
 */
export async function copyChecked(
  from: string,
  to: string,
  file: ReleaseFile,
  onProgress: (doneBytes: number) => void = () => {},
): Promise<string> {
  const target = join(to, file.name);
  const partial = `${target}.partial`;
  const { handle: source, sizeBytes } = await openPlain(from, file.name);
  try {
    if (sizeBytes !== file.sizeBytes) throw new UpdateRefused('size-differs', { file: file.name });
    const copy = await open(partial, 'w', 0o600);
    try {
      let done = 0;
      const found = await digest(source, async (chunk) => {
        // A file that grows while it is read must not fill the disk.
        if (done + chunk.length > file.sizeBytes) throw new UpdateRefused('folder-changed', { file: file.name });
        await copy.writeFile(chunk);
        done += chunk.length;
        onProgress(done);
      });
      requireSame(found, file);
      await copy.sync();
    } finally {
      await copy.close();
    }
    await rename(partial, target);
    await syncDirectory(to);
    return target;
  } catch (thrown) {
    await rm(partial, { force: true });
    throw asRefusal(thrown, { file: file.name });
  } finally {
    await source.close();
  }
}

/**
 * Copies the update that a check found into `root`, with the list that vouches for it. What other attempts left there is removed.
 * @throws UpdateRefused
 */
export async function stageUpdate(
  { folder, bytes, signatures, update }: CheckedFolder & { update: FoundUpdate },
  root: string,
  onProgress?: (doneBytes: number, totalBytes: number) => void,
): Promise<StagedUpdate> {
  const { version, file } = update;
  const to = join(root, version);
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) {
    if (name !== version) await rm(join(root, name), { recursive: true, force: true });
  }
  await mkdir(to, { recursive: true });
  const staged = { version, path: join(to, file.name), file };
  const isThere = await requireFile(staged.path, file).then(
    () => true,
    () => false,
  );
  if (!isThere) await copyChecked(folder, to, file, (done) => onProgress?.(done, file.sizeBytes));
  await writeDurably(join(to, LIST_FILE), bytes);
  await writeDurably(join(to, SIGNATURE_FILE), signatures);
  return staged;
}

/** The staged update, checked again with its own list and its own bytes, right before it is installed. @throws UpdateRefused */
export async function verifyStaged(root: string, version: string, program: ThisProgram): Promise<StagedUpdate> {
  const folder = join(root, version);
  const { update } = await checkFolder(folder, program);
  if (update?.version !== version) throw new UpdateRefused('folder-changed', { version });
  const path = join(folder, update.file.name);
  await requireFile(path, update.file);
  return { version, path, file: update.file };
}
