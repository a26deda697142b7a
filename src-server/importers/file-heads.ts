/** What the tests of formats see: the first bytes of a file, the members of a ZIP, the files below a folder. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { OutpostError } from '../errors.ts';
import { type FileHead, HEAD_BYTES } from './foreign-format.ts';
import { empty, unsupported } from './refusals.ts';
import { fileSize, readHead } from './source-bytes.ts';
import { utf16Of } from './text/utf16.ts';

const ZIP_MEMBER = 0x04034b50;
const ZIP_END = 0x06054b50;
const MAX_UNPACKED_HEAD = 8 << 20;
const MAX_FOLDER_DEPTH = 6;
/** A year and more of the half-hour files of an EmbracePlus. */
const MAX_FOLDER_FILES = 20_000;

/** @throws NOT_FOUND, FILE_EMPTY, FILE_DAMAGED, ZIP_UNSAFE, UNSUPPORTED_FORMAT */
export async function headOf(path: string): Promise<FileHead | { zipMembers: string[] }> {
  const sizeBytes = await fileSize(path);
  if (sizeBytes === 0) throw empty(path);
  const bytes = await readHead(path, HEAD_BYTES);
  const magic = bytes.length >= 4 ? bytes.readUInt32LE(0) : 0;
  if (magic === ZIP_END) throw empty(path, 'the ZIP is empty.');
  if (magic === ZIP_MEMBER) {
    return { zipMembers: await membersOf(path, bytes) };
  }
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? unzipped(bytes) : bytes;
  const text = new TextDecoder(utf16Of(plain) ?? 'utf-8').decode(plain.subarray(0, HEAD_BYTES));
  return { bytes, text, sizeBytes, name: basename(path).toLowerCase() };
}

/** Of a ZIP that was cut off, those whose own headers are there. */
async function membersOf(path: string, head: Buffer): Promise<string[]> {
  try {
    const zip = await (await import('./csv/zip-members.ts')).openZipMembers(path);
    zip.close();
    return zip.members.map(({ name }) => name);
  } catch (thrown) {
    const first = (await import('../files/zip-salvage.ts')).firstMemberName(head);
    if (first === null || !(thrown instanceof OutpostError) || thrown.code !== 'FILE_DAMAGED') throw thrown;
    const salvaged = await (await import('./csv/zip-members.ts')).salvagedFiles(path).catch(() => []);
    return salvaged.length > 0 ? salvaged.map(({ name }) => name) : [first];
  }
}

/** The decompressed head of a gzip file; empty when it is damaged. */
function unzipped(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_UNPACKED_HEAD });
  } catch {
    return Buffer.alloc(0);
  }
}

/** Paths of all files in a folder and below, relative to it with `/`, in order of name; hidden ones are left out. */
export async function filesBelow(root: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && depth < MAX_FOLDER_DEPTH) await visit(name, depth + 1);
      else if (entry.isFile()) found.push(name);
      if (found.length > MAX_FOLDER_FILES) throw unsupported(root, `it has more than ${MAX_FOLDER_FILES} files.`);
    }
  };
  await visit('', 0);
  return found.sort();
}
