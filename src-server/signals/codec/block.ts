/**
 * Blocks: the frames a signal file is made of. Each carries its own magic, lengths, times and two CRC-32C sums, so that
 * a scan finds every intact block regardless of damage around it. Layout: recording-format.md, section 3.
 */
import { crc32c } from '@node-rs/crc32';

export const BLOCK_HEAD_BYTES = 64;
/** A first byte outside of ASCII, then "SBK" (signal block). */
export const BLOCK_MAGIC = Buffer.from([0xd9, 0x53, 0x42, 0x4b]);

export const BLOCK_PAGE = 1;
export const BLOCK_MARKS = 2;
export const BLOCK_INDEX = 3;
export const BLOCK_OVERVIEW = 4;

/** Flag of a page: the last column holds time residuals. */
export const FLAG_TIME_RESIDUALS = 1;

/** Limits of a file, so that a hostile one cannot make a reader allocate or loop without bound. */
export const LIMITS = Object.freeze({
  headerBytes: 1 << 20,
  channels: 1024,
  dimensions: 1024,
  pageSamples: 1 << 20,
  /** Bytes of one block after decompression (the index has its own bound, the size of the file). */
  rawBytes: 32 << 20,
  payloadBytes: (32 << 20) + (1 << 16),
  /** Blocks of one file; with a page a minute, ten channels for ten weeks. */
  blocks: 1_000_000,
});

export interface BlockHead {
  kind: number;
  flags: number;
  channel: number;
  payloadLength: number;
  /** Number of the block in its file, from 0. */
  sequence: number;
  /** Page: `startUs` and `periodUs` of the page. */
  startUs: number;
  periodUs: number;
  /** Page: exact times of its first and last sample. Marks: of the first and last mark. */
  firstUs: number;
  lastUs: number;
  /** Samples per column, marks, or index entries. */
  count: number;
  /** Bytes of the payload's zstd frame after decompression. */
  rawLength: number;
  payloadCrc: number;
}

/** A block in a file: its head and where it begins. */
export interface BlockEntry extends BlockHead {
  offset: number;
}

/** Head and payload as they go to disk; `payloadLength` and `payloadCrc` are filled in. */
export function encodeBlock(fields: Omit<BlockHead, 'payloadLength' | 'payloadCrc'>, parts: Uint8Array[]): Buffer {
  const payloadLength = parts.reduce((sum, part) => sum + part.length, 0);
  const block = Buffer.allocUnsafe(BLOCK_HEAD_BYTES + payloadLength);
  let at = BLOCK_HEAD_BYTES;
  for (const part of parts) {
    block.set(part, at);
    at += part.length;
  }
  const payloadCrc = crc32c(block.subarray(BLOCK_HEAD_BYTES));
  writeBlockHead({ ...fields, payloadLength, payloadCrc }, block, 0);
  return block;
}

export function writeBlockHead(head: BlockHead, target: Buffer, at: number): void {
  BLOCK_MAGIC.copy(target, at);
  target[at + 4] = head.kind;
  target[at + 5] = head.flags;
  target.writeUInt16LE(head.channel, at + 6);
  target.writeUInt32LE(head.payloadLength, at + 8);
  target.writeUInt32LE(head.sequence, at + 12);
  target.writeDoubleLE(head.startUs, at + 16);
  target.writeDoubleLE(head.periodUs, at + 24);
  target.writeDoubleLE(head.firstUs, at + 32);
  target.writeDoubleLE(head.lastUs, at + 40);
  target.writeUInt32LE(head.count, at + 48);
  target.writeUInt32LE(head.rawLength, at + 52);
  target.writeUInt32LE(head.payloadCrc, at + 56);
  target.writeUInt32LE(crc32c(target.subarray(at, at + 60)), at + 60);
}

/** Returns the head at `at`, or null if the magic, the CRC or a limit is violated. */
export function readBlockHead(source: Buffer, at: number): BlockHead | null {
  if (at + BLOCK_HEAD_BYTES > source.length) return null;
  if (source.compare(BLOCK_MAGIC, 0, 4, at, at + 4) !== 0) return null;
  if (crc32c(source.subarray(at, at + 60)) !== source.readUInt32LE(at + 60)) return null;
  return parseBlockHead(source, at);
}

/** Returns the head at `at` in bytes with a checksum of their own, such as an index; null if it violates a limit. */
export function parseBlockHead(source: Buffer, at: number): BlockHead | null {
  const head: BlockHead = {
    kind: source[at + 4]!,
    flags: source[at + 5]!,
    channel: source.readUInt16LE(at + 6),
    payloadLength: source.readUInt32LE(at + 8),
    sequence: source.readUInt32LE(at + 12),
    startUs: source.readDoubleLE(at + 16),
    periodUs: source.readDoubleLE(at + 24),
    firstUs: source.readDoubleLE(at + 32),
    lastUs: source.readDoubleLE(at + 40),
    count: source.readUInt32LE(at + 48),
    rawLength: source.readUInt32LE(at + 52),
    payloadCrc: source.readUInt32LE(at + 56),
  };
  return isPlausible(head) ? head : null;
}

function isPlausible(head: BlockHead): boolean {
  const isTime = (us: number): boolean => Math.abs(us) <= Number.MAX_SAFE_INTEGER;
  if (!isTime(head.startUs) || !isTime(head.firstUs) || !isTime(head.lastUs)) return false;
  if (head.firstUs > head.lastUs) return false;
  switch (head.kind) {
    case BLOCK_PAGE:
    case BLOCK_OVERVIEW:
      return (
        head.count > 0 &&
        head.count <= LIMITS.pageSamples &&
        head.periodUs > 0 &&
        Number.isFinite(head.periodUs) &&
        head.rawLength <= LIMITS.rawBytes &&
        head.payloadLength <= LIMITS.payloadBytes
      );
    case BLOCK_MARKS:
      return head.count > 0 && head.rawLength <= LIMITS.rawBytes && head.payloadLength <= LIMITS.payloadBytes;
    case BLOCK_INDEX:
      return true;
    default:
      return false;
  }
}

/** True if the payload matches its checksum. */
export function isIntactPayload(head: BlockHead, payload: Uint8Array): boolean {
  return payload.length === head.payloadLength && crc32c(payload) === head.payloadCrc;
}
