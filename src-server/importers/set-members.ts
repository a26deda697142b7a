/** The files of a format that comes as a ZIP, as a folder or as files given together, read in one way. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OutpostError } from '../errors.ts';
import { openZipMembers, salvagedFiles } from './csv/zip-members.ts';
import { filesBelow } from './file-heads.ts';
import { damaged } from './refusals.ts';
import { fileSize, sourceHash } from './source-bytes.ts';
import type { ImportOptions } from './types.ts';

export interface SetMember {
  /** Path inside the set, with `/`. */
  name: string;
  sizeBytes: number;
  /** Streams the bytes; can be called again. */
  open(onBytes?: (bytes: number) => void): AsyncIterable<Uint8Array>;
  /** Of a ZIP that was cut off: whether the last reading ended before the member did. */
  endsCut?(): boolean;
}

export interface MemberSet {
  members: SetMember[];
  /** SHA-256 of the ZIP, or of all files; empty when the options leave it out. */
  sha256: string;
  /** Set when a ZIP was cut off: members, or the ends of them, may be missing. */
  note?: string;
  close(): void;
}

/** @throws FILE_DAMAGED, ZIP_UNSAFE, UNSUPPORTED_FORMAT, NOT_FOUND or CANCELLED */
export async function openMemberSet(paths: string[], options: ImportOptions): Promise<MemberSet> {
  const hashOf = async (files: string[]): Promise<string> =>
    options.withoutHash ? '' : sourceHash(files, options.signal);
  const [first = ''] = paths;
  const isOne = paths.length === 1;
  if (isOne && (await stat(first)).isDirectory()) {
    const names = await filesBelow(first);
    const files = names.map((name) => join(first, name));
    const members = await Promise.all(files.map((file, i) => fileMember(file, names[i]!)));
    return { members, sha256: await hashOf(files), close: () => undefined };
  }
  if (!isOne) {
    const members = await Promise.all(paths.map((path) => fileMember(path, basename(path))));
    return { members, sha256: await hashOf(paths), close: () => undefined };
  }
  const zip = await openZipMembers(first).catch((thrown: unknown) => salvagedSet(first, thrown));
  try {
    return { ...zip, sha256: await hashOf([first]), close: () => zip.close() };
  } catch (thrown) {
    zip.close();
    throw thrown;
  }
}

/** What is left of a ZIP that was cut off. @throws what its opening threw when nothing is */
async function salvagedSet(path: string, thrown: unknown): Promise<Omit<MemberSet, 'sha256'>> {
  if (!(thrown instanceof OutpostError) || thrown.code !== 'FILE_DAMAGED') throw thrown;
  const members = await salvagedFiles(path).catch(() => []);
  if (members.length === 0) throw thrown;
  const note = 'The ZIP was cut off: what is whole was read, and files or rows after that are missing.';
  return { members, note, close: () => undefined };
}

async function fileMember(path: string, name: string): Promise<SetMember> {
  return {
    name,
    sizeBytes: await fileSize(path),
    async *open(onBytes) {
      for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
        onBytes?.((chunk as Uint8Array).byteLength);
        yield chunk as Uint8Array;
      }
    },
  };
}

/** Reads a member that must be small. @throws FILE_DAMAGED when it is larger than `limitBytes` */
export async function readMember(member: SetMember, limitBytes: number): Promise<Buffer> {
  if (member.sizeBytes > limitBytes) throw damaged(member.name, `it is larger than ${limitBytes} bytes.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of member.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Lines longer than this hold no row of numbers. */
const MAX_LINE_CHARACTERS = 4096;

/** The lines of a text in batches; `isCut` marks a last line without a line end. */
export async function* linesOf(
  member: SetMember,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<{ lines: string[]; isCut: boolean }> {
  let rest = '';
  const decoder = new TextDecoder('utf-8');
  for await (const chunk of member.open(onBytes)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() as string;
    if (rest.length > MAX_LINE_CHARACTERS) throw damaged(member.name, 'it has a line longer than any row of numbers.');
    if (lines.length > 0) yield { lines, isCut: false };
  }
  rest += decoder.decode();
  // The end of a cut member may lie inside a number.
  if (rest !== '' && !member.endsCut?.()) yield { lines: [rest], isCut: true };
}
