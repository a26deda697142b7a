/**
 * Writes ZIP archives of any size and number of members as a stream (APPNOTE 6.3.10, with ZIP64 where a number needs it), and
 * takes members that are compressed already, which no ZIP library that we use does: samples are compressed on several threads,
 * and would be unpacked and compressed again on the one of the archive. Keeps the central directory, 100 bytes and a name per member.
 */
import { once } from 'node:events';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import type { MemberPacking, ZipEngine } from './zip-engines.ts';

const LOCAL_HEADER = 0x04034b50;
const DATA_DESCRIPTOR = 0x08074b50;
const CENTRAL_HEADER = 0x02014b50;
const ZIP64_END = 0x06064b50;
const ZIP64_LOCATOR = 0x07064b50;
const END = 0x06054b50;

const UTF8_NAME = 0x0800;
/** Size and CRC-32 follow the content. */
const HAS_DESCRIPTOR = 0x0008;
const STORED = 0;
const DEFLATED = 8;
const DEFLATE_VERSION = 20;
const ZIP64_VERSION = 45;
/** Made on Unix, so that the mode of a file counts, by version 6.3. */
const MADE_BY = (3 << 8) | 63;
const FILE_MODE = 0o100644;
/** 1 January 1980, 00:00: an archive's bytes depend on its content alone. */
const DOS_TIME = 0;
const DOS_DATE = (1 << 5) | 1;
const ZIP64_EXTRA = 1;
const MOST_16 = 0xffff;
const MOST_32 = 0xffff_ffff;

const BUFFERED_BYTES = 1 << 20;

interface Sizes {
  crc32: number;
  packedBytes: number;
  sizeBytes: number;
}

/** A member whose size and CRC-32 are known before its content is written. */
export interface ReadyMember extends Sizes {
  isDeflated: boolean;
  content: AsyncIterable<Uint8Array>;
}

interface Member extends Sizes {
  name: Buffer;
  flags: number;
  method: number;
  offset: number;
}

const NOTHING_YET: Sizes = { crc32: 0, packedBytes: 0, sizeBytes: 0 };

export class ZipStream implements ZipEngine {
  readonly output = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;
  readonly #directory: Buffer[] = [];
  #offset = 0;

  constructor() {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    this.output.on('error', reject);
  }

  async add(path: string, source: Readable, packing: MemberPacking): Promise<void> {
    const isStored = packing === 'STORED';
    const method = isStored ? STORED : DEFLATED;
    const flags = UTF8_NAME | HAS_DESCRIPTOR;
    const member = { name: Buffer.from(path), flags, method, offset: this.#offset, ...NOTHING_YET };
    await this.#write(localHeader(member));
    const counted = countedContent(source, member);
    for await (const chunk of isStored ? counted : deflated(counted)) {
      member.packedBytes += chunk.length;
      await this.#write(chunk);
    }
    await this.#write(descriptor(member));
    this.#directory.push(centralHeader(member));
  }

  /** Writes a member as it is. */
  async addReady(path: string, { content, isDeflated, ...sizes }: ReadyMember): Promise<void> {
    const method = isDeflated ? DEFLATED : STORED;
    const { crc32: crc, packedBytes, sizeBytes } = sizes;
    const name = Buffer.from(path);
    const member = { name, flags: UTF8_NAME, method, offset: this.#offset, crc32: crc, packedBytes, sizeBytes };
    await this.#write(localHeader(member));
    for await (const chunk of content) await this.#write(chunk);
    this.#directory.push(centralHeader(member));
  }

  end(): void {
    this.#finish().catch(this.#fail);
  }

  async #finish(): Promise<void> {
    const start = this.#offset;
    for (const header of this.#directory) await this.#write(header);
    await this.#write(endOfArchive(this.#directory.length, start, this.#offset));
    this.output.end();
  }

  /** Waits while the reader of the archive is behind. */
  async #write(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.length;
    if (!this.output.write(bytes)) await once(this.output, 'drain');
  }
}

/** Yields content and keeps its size and CRC-32. */
async function* countedContent(source: AsyncIterable<Uint8Array>, sizes: Sizes): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    sizes.crc32 = crc32(chunk, sizes.crc32);
    sizes.sizeBytes += chunk.length;
    yield chunk;
  }
}

function deflated(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const deflate = createDeflateRaw();
  // Errors of either come out of the iteration.
  pipeline(content, deflate, () => undefined);
  return deflate;
}

const isLarge = ({ packedBytes, sizeBytes }: Sizes): boolean => packedBytes >= MOST_32 || sizeBytes >= MOST_32;

/** An extra field of 64-bit numbers, without any when there are none. */
function zip64Extra(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(ZIP64_EXTRA, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [i, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  return extra;
}

/** Writes what local and central headers have in common, from the version needed to the length of the extra field. */
function writeCommon(bytes: Buffer, at: number, member: Member, sizes: Sizes, extra: Buffer): void {
  bytes.writeUInt16LE(extra.length > 0 ? ZIP64_VERSION : DEFLATE_VERSION, at);
  bytes.writeUInt16LE(member.flags, at + 2);
  bytes.writeUInt16LE(member.method, at + 4);
  bytes.writeUInt16LE(DOS_TIME, at + 6);
  bytes.writeUInt16LE(DOS_DATE, at + 8);
  bytes.writeUInt32LE(sizes.crc32, at + 10);
  bytes.writeUInt32LE(Math.min(sizes.packedBytes, MOST_32), at + 14);
  bytes.writeUInt32LE(Math.min(sizes.sizeBytes, MOST_32), at + 18);
  bytes.writeUInt16LE(member.name.length, at + 22);
  bytes.writeUInt16LE(extra.length, at + 24);
}

function localHeader(member: Member): Buffer {
  const isKnown = (member.flags & HAS_DESCRIPTOR) === 0;
  const extra = zip64Extra(isKnown && isLarge(member) ? [member.sizeBytes, member.packedBytes] : []);
  const sizes = extra.length > 0 ? { ...member, packedBytes: MOST_32, sizeBytes: MOST_32 } : member;
  const bytes = Buffer.alloc(30);
  bytes.writeUInt32LE(LOCAL_HEADER, 0);
  writeCommon(bytes, 4, member, isKnown ? sizes : NOTHING_YET, extra);
  return Buffer.concat([bytes, member.name, extra]);
}

/** Of a large member its sizes have 64 bits. */
function descriptor(member: Member): Buffer {
  const { crc32: crc, packedBytes, sizeBytes } = member;
  const bytes = Buffer.alloc(isLarge(member) ? 24 : 16);
  bytes.writeUInt32LE(DATA_DESCRIPTOR, 0);
  bytes.writeUInt32LE(crc, 4);
  if (isLarge(member)) {
    bytes.writeBigUInt64LE(BigInt(packedBytes), 8);
    bytes.writeBigUInt64LE(BigInt(sizeBytes), 16);
  } else {
    bytes.writeUInt32LE(packedBytes, 8);
    bytes.writeUInt32LE(sizeBytes, 12);
  }
  return bytes;
}

function centralHeader(member: Member): Buffer {
  const { packedBytes, sizeBytes, offset } = member;
  const extra = zip64Extra([sizeBytes, packedBytes, offset].filter((value) => value >= MOST_32));
  const bytes = Buffer.alloc(46);
  bytes.writeUInt32LE(CENTRAL_HEADER, 0);
  bytes.writeUInt16LE(MADE_BY, 4);
  writeCommon(bytes, 6, member, member, extra);
  bytes.writeUInt32LE((FILE_MODE << 16) >>> 0, 38);
  bytes.writeUInt32LE(Math.min(offset, MOST_32), 42);
  return Buffer.concat([bytes, member.name, extra]);
}

function endOfArchive(members: number, start: number, stop: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(Math.min(members, MOST_16), 8);
  end.writeUInt16LE(Math.min(members, MOST_16), 10);
  end.writeUInt32LE(Math.min(stop - start, MOST_32), 12);
  end.writeUInt32LE(Math.min(start, MOST_32), 16);
  if (members < MOST_16 && start < MOST_32 && stop - start < MOST_32) return end;
  const large = Buffer.alloc(56);
  large.writeUInt32LE(ZIP64_END, 0);
  large.writeBigUInt64LE(BigInt(large.length - 12), 4);
  large.writeUInt16LE(MADE_BY, 12);
  large.writeUInt16LE(ZIP64_VERSION, 14);
  large.writeBigUInt64LE(BigInt(members), 24);
  large.writeBigUInt64LE(BigInt(members), 32);
  large.writeBigUInt64LE(BigInt(stop - start), 40);
  large.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(ZIP64_LOCATOR, 0);
  locator.writeBigUInt64LE(BigInt(stop), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([large, locator, end]);
}
