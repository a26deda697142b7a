/**
 * A part of a study export: the samples of one recording, encoded as members of the archive will hold them. Parts are made in
 * parallel and kept until the export ends, so that an interrupted export continues with the recordings that it had finished.
 *
 * Layout: the members one after the other, the index as JSON, its length (four bytes, little-endian), and the SHA-256 of all
 * before. The index has what an archive says of a member, so that the archive copies it. A file is named after its key and gets this name when it is complete. It is not fsynced: after a power cut the hash
 * tells whether it is whole, and a part that is not is made again.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { hashFile } from '../../files/content-hash.ts';
import type { TextFacts } from '../deflate/deflated-text.ts';
import type { PackedMember } from '../zip-writer.ts';

const HASH_BYTES = 32;
const LENGTH_BYTES = 4;
const READ_BYTES = 1 << 20;
const WRITE_BYTES = 1 << 20;

interface PartMember extends TextFacts {
  name: string;
  offset: number;
  packedBytes: number;
  isDeflated: boolean;
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
  /** A chunk is valid until the next one is requested. */
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** For content that is the DEFLATE of a text: facts of the text, known after the content was read. */
  text?: () => TextFacts;
}

/** Compressed content comes without waiting for anything, and the message that cancels an export needs the event loop. */
const LONGEST_TURN_MS = 50;

/** Appends to a file in large writes, and lets the event loop turn meanwhile. */
class PartOutput {
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  readonly #buffer = Buffer.allocUnsafeSlow(WRITE_BYTES);
  #used = 0;
  #turnedMs = performance.now();
  offset = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + WRITE_BYTES - this.#used);
      this.#buffer.set(piece, this.#used);
      this.#used += piece.length;
      at += piece.length;
      if (this.#used === WRITE_BYTES) await this.#flush();
    }
    this.offset += bytes.length;
    if (performance.now() - this.#turnedMs < LONGEST_TURN_MS) return;
    await nextTurn();
    this.#turnedMs = performance.now();
  }

  /** Writes the hash of everything before. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#handle.writeFile(this.#hash.digest());
  }

  async #flush(): Promise<void> {
    const bytes = this.#buffer.subarray(0, this.#used);
    this.#hash.update(bytes);
    await this.#handle.writeFile(bytes);
    this.#used = 0;
  }
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
    const out = new PartOutput(handle);
    const members: PartMember[] = [];
    for await (const content of contents) members.push(await writeMember(out, content));
    const index = Buffer.from(JSON.stringify({ key, members, problems: [...problems()] } satisfies PartIndex));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(index.length);
    await out.append(index);
    await out.append(length);
    await out.finish();
  } catch (thrown) {
    await handle.close();
    await rm(unfinished, { force: true });
    throw thrown;
  }
  await handle.close();
  await rename(unfinished, path);
}

async function writeMember(out: PartOutput, { name, content, text }: PartContent): Promise<PartMember> {
  const { offset } = out;
  const sha256 = createHash('sha256');
  let crc = 0;
  for await (const chunk of content) {
    if (!text) {
      sha256.update(chunk);
      crc = crc32(chunk, crc);
    }
    await out.append(chunk);
  }
  const packedBytes = out.offset - offset;
  const facts = text?.() ?? { crc32: crc, sizeBytes: packedBytes, sha256: sha256.digest('hex') };
  return { name, offset, packedBytes, isDeflated: text !== undefined, ...facts };
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
  readonly key: string;
  readonly problems: readonly string[];
  readonly #handle: FileHandle;
  readonly #members: ReadonlyMap<string, PartMember>;

  private constructor(handle: FileHandle, { key, members, problems }: PartIndex) {
    this.#handle = handle;
    this.key = key;
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

  /** Returns a member as an archive holds it. */
  read(name: string): PackedMember {
    const member = this.#members.get(name);
    if (!member) throw new Error(`The part has no member ${name}.`);
    return { ...member, content: this.#bytes(member) };
  }

  async *#bytes({ offset, packedBytes }: PartMember): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < packedBytes; ) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, packedBytes - at));
      const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, offset + at);
      if (bytesRead === 0) throw new Error('The part ends early.');
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
