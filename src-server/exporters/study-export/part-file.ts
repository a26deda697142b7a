/**
 * A part of a study export: the samples of one recording, encoded as members of the archive will hold them. Parts are made in
 * parallel and kept until the export ends, so that an interrupted export continues with the recordings that it had finished.
 *
 * Layout: the members one after the other, the index as JSON, its length (four bytes, little-endian), and the SHA-256 of all
 * before. A file is named after its key and gets this name when it is complete. It is not fsynced: after a power cut the hash
 * tells whether it is whole, and a part that is not is made again.
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { hashFile } from '../../files/content-hash.ts';

const HASH_BYTES = 32;
const LENGTH_BYTES = 4;
const READ_BYTES = 1 << 18;

interface PartMember {
  name: string;
  offset: number;
  sizeBytes: number;
}

interface PartIndex {
  key: string;
  members: PartMember[];
  /** Damage that was found while reading, as the reader describes it. */
  problems: string[];
}

/** Content of one member; `name` is unique in the part. */
export interface PartContent {
  name: string;
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Writes a part at `path`. On failure no file is left. */
export async function writePart(
  path: string,
  key: string,
  contents: Iterable<PartContent> | AsyncIterable<PartContent>,
  problems: () => readonly string[],
): Promise<void> {
  const unfinished = `${path}.partial`;
  const handle = await open(unfinished, 'w');
  try {
    const hash = createHash('sha256');
    const members: PartMember[] = [];
    let offset = 0;
    for await (const { name, content } of contents) {
      const start = offset;
      for await (const chunk of content) offset += await append(handle, hash, chunk);
      members.push({ name, offset: start, sizeBytes: offset - start });
    }
    const index = Buffer.from(JSON.stringify({ key, members, problems: [...problems()] } satisfies PartIndex));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(index.length);
    await append(handle, hash, index);
    await append(handle, hash, length);
    await handle.write(hash.digest());
  } catch (thrown) {
    await handle.close();
    await rm(unfinished, { force: true });
    throw thrown;
  }
  await handle.close();
  await rename(unfinished, path);
}

async function append(handle: FileHandle, hash: Hash, bytes: Uint8Array): Promise<number> {
  hash.update(bytes);
  await handle.writeFile(bytes);
  return bytes.length;
}

/** True for a whole part with this key. */
export async function isIntactPart(path: string, key: string): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return false;
  try {
    const { size } = await handle.stat();
    if (size < HASH_BYTES + LENGTH_BYTES) return false;
    const { bytes, buffer } = { bytes: HASH_BYTES, buffer: Buffer.alloc(HASH_BYTES) };
    await handle.read(buffer, 0, bytes, size - bytes);
    const { sha256 } = await hashFile(path, { stopBytes: size - bytes });
    return sha256 === buffer.toString('hex') && (await readIndex(handle)).key === key;
  } finally {
    await handle.close();
  }
}

async function readIndex(handle: FileHandle): Promise<PartIndex> {
  const { size } = await handle.stat();
  const end = size - HASH_BYTES - LENGTH_BYTES;
  const length = Buffer.alloc(LENGTH_BYTES);
  await handle.read(length, 0, LENGTH_BYTES, end);
  const index = Buffer.alloc(length.readUInt32LE());
  await handle.read(index, 0, index.length, end - index.length);
  return JSON.parse(index.toString()) as PartIndex;
}

/** An open part. */
export class Part {
  readonly problems: readonly string[];
  readonly #handle: FileHandle;
  readonly #members: ReadonlyMap<string, PartMember>;

  private constructor(handle: FileHandle, { members, problems }: PartIndex) {
    this.#handle = handle;
    this.#members = new Map(members.map((member) => [member.name, member]));
    this.problems = problems;
  }

  static async open(path: string): Promise<Part> {
    const handle = await open(path, 'r');
    try {
      return new Part(handle, await readIndex(handle));
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  get names(): string[] {
    return [...this.#members.keys()];
  }

  /** Yields the bytes of a member. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const member = this.#members.get(name);
    if (!member) throw new Error(`The part has no member ${name}.`);
    for (let at = 0; at < member.sizeBytes; ) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, member.sizeBytes - at));
      const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, member.offset + at);
      if (bytesRead === 0) throw new Error('The part ends early.');
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
