/** Encodes and decodes the footer: an index block with every block's head and offset, then a trailer (recording-format.md, section 6). */
import { crc32c } from '@node-rs/crc32';
import {
  BLOCK_HEAD_BYTES,
  BLOCK_INDEX,
  type BlockEntry,
  type BlockHead,
  encodeBlock,
  LIMITS,
  parseBlockHead,
  writeBlockHead,
} from '../codec/block.ts';
import { compressFrame, decompressFrame } from '../codec/frame.ts';

export const TRAILER_BYTES = 32;
const TRAILER_MAGIC = Buffer.from('OSIGEND\n', 'latin1');
const INDEX_ENTRY_BYTES = 8 + BLOCK_HEAD_BYTES;
/** Upper bound of an index in a file: incompressible bytes grow by far less than the 1 MiB added. */
export const MAX_INDEX_BYTES = LIMITS.blocks * INDEX_ENTRY_BYTES + (1 << 20);

export interface Trailer {
  indexOffset: number;
  blockCount: number;
}

/** Returns the index block and trailer that complete a file of `offset` bytes. `totals`: samples per channel. */
export function encodeFooter(entries: BlockEntry[], totals: number[], offset: number, sequence: number): Buffer {
  const raw = Buffer.alloc(totals.length * 8 + entries.length * INDEX_ENTRY_BYTES);
  totals.forEach((total, channel) => {
    raw.writeBigUInt64LE(BigInt(total), channel * 8);
  });
  entries.forEach((entry, i) => {
    const at = totals.length * 8 + i * INDEX_ENTRY_BYTES;
    raw.writeBigUInt64LE(BigInt(entry.offset), at);
    writeBlockHead(entry, raw, at + 8);
  });
  const index = encodeBlock(
    {
      kind: BLOCK_INDEX,
      flags: 0,
      channel: 0,
      sequence,
      startUs: 0,
      periodUs: 0,
      firstUs: 0,
      lastUs: 0,
      count: entries.length,
      rawLength: raw.length,
    },
    [compressFrame(raw)],
  );
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeBigUInt64LE(BigInt(offset), 0);
  trailer.writeBigUInt64LE(BigInt(offset + index.length + TRAILER_BYTES), 8);
  trailer.writeUInt32LE(entries.length, 16);
  trailer.writeUInt32LE(crc32c(trailer.subarray(0, 20)), 20);
  TRAILER_MAGIC.copy(trailer, 24);
  return Buffer.concat([index, trailer]);
}

/** Returns the trailer of a file of `fileSize` bytes, or null if it is not intact. */
export function decodeTrailer(bytes: Buffer, fileSize: number): Trailer | null {
  if (bytes.length !== TRAILER_BYTES || bytes.compare(TRAILER_MAGIC, 0, 8, 24, 32) !== 0) return null;
  if (crc32c(bytes.subarray(0, 20)) !== bytes.readUInt32LE(20)) return null;
  if (bytes.readBigUInt64LE(8) !== BigInt(fileSize)) return null;
  const indexOffset = Number(bytes.readBigUInt64LE(0));
  if (indexOffset > fileSize - TRAILER_BYTES - BLOCK_HEAD_BYTES) return null;
  return { indexOffset, blockCount: bytes.readUInt32LE(16) };
}

/** Returns the entries and totals of an index block, or null if it is not an intact index of this file. */
export function decodeIndex(
  head: BlockHead,
  payload: Buffer,
  channelCount: number,
  firstBlockOffset: number,
  indexOffset: number,
): { entries: BlockEntry[]; totals: number[] } | null {
  // Decompression bomb: every block takes at least its head, so the file's size bounds the inflated index.
  if (head.count > LIMITS.blocks || head.count > (indexOffset - firstBlockOffset) / BLOCK_HEAD_BYTES) return null;
  if (head.rawLength !== channelCount * 8 + head.count * INDEX_ENTRY_BYTES) return null;
  const raw = decompressFrame(payload, head.rawLength);
  if (raw === null) return null;
  const totals = Array.from({ length: channelCount }, (_, channel) => Number(raw.readBigUInt64LE(channel * 8)));
  const entries: BlockEntry[] = [];
  let next = firstBlockOffset;
  for (let i = 0; i < head.count; i++) {
    const at = channelCount * 8 + i * INDEX_ENTRY_BYTES;
    const offset = Number(raw.readBigUInt64LE(at));
    const entryHead = parseBlockHead(raw, at + 8);
    if (entryHead === null || offset < next || entryHead.kind === BLOCK_INDEX) return null;
    next = offset + BLOCK_HEAD_BYTES + entryHead.payloadLength;
    entries.push({ ...entryHead, offset });
  }
  return next <= indexOffset ? { entries, totals } : null;
}
