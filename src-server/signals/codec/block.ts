/**
 * Blocks: the frames a signal file is made of. Each carries its own magic, lengths, times and two CRC-32C sums, so that
 * a scan finds every intact block regardless of damage around it. Layout: recording-format.md, section 3.
 */
import { bytesEqual, viewOf } from './bytes.ts';
import type { CodecPlatform } from './platform.ts';

export const BLOCK_HEAD_BYTES = 64;
/** A first byte outside of ASCII, then "SBK" (signal block). */
export const BLOCK_MAGIC = Uint8Array.of(0xd9, 0x53, 0x42, 0x4b);

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

export type BlockCodec = ReturnType<typeof createBlockCodec>;

export function createBlockCodec({ crc32c }: CodecPlatform) {
  /** Head and payload as they go to disk; `payloadLength` and `payloadCrc` are filled in. */
  function encodeBlock(
    fields: Omit<BlockHead, 'payloadLength' | 'payloadCrc'>,
    parts: Uint8Array[],
  ): Uint8Array<ArrayBuffer> {
    const payloadLength = parts.reduce((sum, part) => sum + part.length, 0);
    const block = new Uint8Array(BLOCK_HEAD_BYTES + payloadLength);
    let at = BLOCK_HEAD_BYTES;
    for (const part of parts) {
      block.set(part, at);
      at += part.length;
    }
    const payloadCrc = crc32c(block.subarray(BLOCK_HEAD_BYTES));
    writeBlockHead({ ...fields, payloadLength, payloadCrc }, block, 0);
    return block;
  }

  function writeBlockHead(head: BlockHead, target: Uint8Array, at: number): void {
    const view = viewOf(target);
    target.set(BLOCK_MAGIC, at);
    target[at + 4] = head.kind;
    target[at + 5] = head.flags;
    view.setUint16(at + 6, head.channel, true);
    view.setUint32(at + 8, head.payloadLength, true);
    view.setUint32(at + 12, head.sequence, true);
    view.setFloat64(at + 16, head.startUs, true);
    view.setFloat64(at + 24, head.periodUs, true);
    view.setFloat64(at + 32, head.firstUs, true);
    view.setFloat64(at + 40, head.lastUs, true);
    view.setUint32(at + 48, head.count, true);
    view.setUint32(at + 52, head.rawLength, true);
    view.setUint32(at + 56, head.payloadCrc, true);
    view.setUint32(at + 60, crc32c(target.subarray(at, at + 60)), true);
  }

  /** Returns the head at `at`, or null if the magic, the CRC or a limit is violated. */
  function readBlockHead(source: Uint8Array, at: number): BlockHead | null {
    if (at + BLOCK_HEAD_BYTES > source.length) return null;
    if (!bytesEqual(source, at, BLOCK_MAGIC)) return null;
    if (crc32c(source.subarray(at, at + 60)) !== viewOf(source).getUint32(at + 60, true)) return null;
    return parseBlockHead(source, at);
  }

  /** True if the payload matches its checksum. */
  function isIntactPayload(head: BlockHead, payload: Uint8Array): boolean {
    return payload.length === head.payloadLength && crc32c(payload) === head.payloadCrc;
  }

  return { encodeBlock, writeBlockHead, readBlockHead, isIntactPayload };
}

/** Returns the head at `at` in bytes with a checksum of their own, such as an index; null if it violates a limit. */
export function parseBlockHead(source: Uint8Array, at: number): BlockHead | null {
  const view = viewOf(source);
  const head: BlockHead = {
    kind: source[at + 4]!,
    flags: source[at + 5]!,
    channel: view.getUint16(at + 6, true),
    payloadLength: view.getUint32(at + 8, true),
    sequence: view.getUint32(at + 12, true),
    startUs: view.getFloat64(at + 16, true),
    periodUs: view.getFloat64(at + 24, true),
    firstUs: view.getFloat64(at + 32, true),
    lastUs: view.getFloat64(at + 40, true),
    count: view.getUint32(at + 48, true),
    rawLength: view.getUint32(at + 52, true),
    payloadCrc: view.getUint32(at + 56, true),
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
