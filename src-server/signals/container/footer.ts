/** Encodes and decodes the footer: an index block with every block's head and offset, then a trailer (recording-format.md, section 6). */
import {
  BLOCK_HEAD_BYTES,
  BLOCK_INDEX,
  type BlockCodec,
  type BlockEntry,
  type BlockHead,
  LIMITS,
  parseBlockHead,
} from '../codec/block.ts';
import { bytesEqual, concatBytes, viewOf } from '../codec/bytes.ts';
import type { CodecPlatform } from '../codec/platform.ts';

export const TRAILER_BYTES = 32;
/** `OSIGEND` and a line feed. */
const TRAILER_MAGIC = Uint8Array.of(0x4f, 0x53, 0x49, 0x47, 0x45, 0x4e, 0x44, 0x0a);
const INDEX_ENTRY_BYTES = 8 + BLOCK_HEAD_BYTES;
/** Upper bound of an index in a file: incompressible bytes grow by far less than the 1 MiB added. */
export const MAX_INDEX_BYTES = LIMITS.blocks * INDEX_ENTRY_BYTES + (1 << 20);

export interface Trailer {
  indexOffset: number;
  blockCount: number;
}

export function createFooterCodec(
  { crc32c, compressFrame, decompressFrame }: CodecPlatform,
  { encodeBlock, writeBlockHead }: BlockCodec,
) {
  /** Returns the index block and trailer that complete a file of `offset` bytes. `totals`: samples per channel. */
  function encodeFooter(
    entries: BlockEntry[],
    totals: number[],
    offset: number,
    sequence: number,
  ): Uint8Array<ArrayBuffer> {
    const raw = new Uint8Array(totals.length * 8 + entries.length * INDEX_ENTRY_BYTES);
    const view = viewOf(raw);
    totals.forEach((total, channel) => {
      view.setBigUint64(channel * 8, BigInt(total), true);
    });
    entries.forEach((entry, i) => {
      const at = totals.length * 8 + i * INDEX_ENTRY_BYTES;
      view.setBigUint64(at, BigInt(entry.offset), true);
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
    const trailer = new Uint8Array(TRAILER_BYTES);
    const trailerView = viewOf(trailer);
    trailerView.setBigUint64(0, BigInt(offset), true);
    trailerView.setBigUint64(8, BigInt(offset + index.length + TRAILER_BYTES), true);
    trailerView.setUint32(16, entries.length, true);
    trailerView.setUint32(20, crc32c(trailer.subarray(0, 20)), true);
    trailer.set(TRAILER_MAGIC, 24);
    return concatBytes([index, trailer]);
  }

  /** Returns the trailer of a file of `fileSize` bytes, or null if it is not intact. */
  function decodeTrailer(bytes: Uint8Array, fileSize: number): Trailer | null {
    if (bytes.length !== TRAILER_BYTES || !bytesEqual(bytes, 24, TRAILER_MAGIC)) return null;
    const view = viewOf(bytes);
    if (crc32c(bytes.subarray(0, 20)) !== view.getUint32(20, true)) return null;
    if (view.getBigUint64(8, true) !== BigInt(fileSize)) return null;
    const indexOffset = Number(view.getBigUint64(0, true));
    if (indexOffset > fileSize - TRAILER_BYTES - BLOCK_HEAD_BYTES) return null;
    return { indexOffset, blockCount: view.getUint32(16, true) };
  }

  /** Returns the entries and totals of an index block, or null if it is not an intact index of this file. */
  function decodeIndex(
    head: BlockHead,
    payload: Uint8Array,
    channelCount: number,
    firstBlockOffset: number,
    indexOffset: number,
  ): { entries: BlockEntry[]; totals: number[] } | null {
    // Decompression bomb: every block takes at least its head, so the file's size bounds the inflated index.
    if (head.count > LIMITS.blocks || head.count > (indexOffset - firstBlockOffset) / BLOCK_HEAD_BYTES) return null;
    if (head.rawLength !== channelCount * 8 + head.count * INDEX_ENTRY_BYTES) return null;
    const raw = decompressFrame(payload, head.rawLength);
    if (raw === null) return null;
    const view = viewOf(raw);
    const totals = Array.from({ length: channelCount }, (_, channel) => Number(view.getBigUint64(channel * 8, true)));
    const entries: BlockEntry[] = [];
    let next = firstBlockOffset;
    for (let i = 0; i < head.count; i++) {
      const at = channelCount * 8 + i * INDEX_ENTRY_BYTES;
      const offset = Number(view.getBigUint64(at, true));
      const entryHead = parseBlockHead(raw, at + 8);
      if (entryHead === null || offset < next || entryHead.kind === BLOCK_INDEX) return null;
      next = offset + BLOCK_HEAD_BYTES + entryHead.payloadLength;
      entries.push({ ...entryHead, offset });
    }
    return next <= indexOffset ? { entries, totals } : null;
  }

  return { encodeFooter, decodeTrailer, decodeIndex };
}
