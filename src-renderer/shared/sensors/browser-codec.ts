/**
 * The signal codec in a browser. Checksums by table. No zstd encoder: a frame holds raw blocks, which the recording format allows and
 * every zstd decoder reads, so a file is about the size of its samples.
 */
import type { CodecPlatform } from '../../../src-server/signals/codec/platform.ts';
import { createSignalCodec } from '../../../src-server/signals/container/signal-codec.ts';

/** Castagnoli, reflected. */
const POLYNOMIAL = 0x82f63b78;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

function crc32c(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}

const ZSTD_MAGIC = 0xfd2fb528;
/** Single segment, content size in four bytes, no checksum, no dictionary (RFC 8878, 3.1.1.1). */
const FRAME_DESCRIPTOR = 0b1010_0000;
const FRAME_HEAD_BYTES = 9;
const BLOCK_HEAD_BYTES = 3;
/** The largest block of the standard. */
const BLOCK_BYTES = 128 << 10;

function compressFrame(raw: Uint8Array): Uint8Array {
  if (raw.length === 0) return new Uint8Array(0);
  const blocks = Math.ceil(raw.length / BLOCK_BYTES);
  const frame = new Uint8Array(FRAME_HEAD_BYTES + blocks * BLOCK_HEAD_BYTES + raw.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, ZSTD_MAGIC, true);
  frame[4] = FRAME_DESCRIPTOR;
  view.setUint32(5, raw.length, true);
  let at = FRAME_HEAD_BYTES;
  for (let from = 0; from < raw.length; from += BLOCK_BYTES) {
    const block = raw.subarray(from, from + BLOCK_BYTES);
    const isLast = from + BLOCK_BYTES >= raw.length;
    // Three bytes: last block, type 0 (raw), size.
    const head = (block.length << 3) | (isLast ? 1 : 0);
    frame.set([head & 0xff, (head >> 8) & 0xff, (head >> 16) & 0xff], at);
    frame.set(block, at + BLOCK_HEAD_BYTES);
    at += BLOCK_HEAD_BYTES + block.length;
  }
  return frame;
}

/** Reads frames made by {@link compressFrame}; a browser never opens files of others. */
function decompressFrame(frame: Uint8Array, rawLength: number): Uint8Array | null {
  if (rawLength === 0) return frame.length === 0 ? new Uint8Array(0) : null;
  if (frame.length < FRAME_HEAD_BYTES) return null;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== ZSTD_MAGIC || frame[4] !== FRAME_DESCRIPTOR) return null;
  if (view.getUint32(5, true) !== rawLength) return null;
  const raw = new Uint8Array(rawLength);
  let at = FRAME_HEAD_BYTES;
  let filled = 0;
  for (let isLast = false; !isLast; ) {
    if (at + BLOCK_HEAD_BYTES > frame.length) return null;
    const head = frame[at]! | (frame[at + 1]! << 8) | (frame[at + 2]! << 16);
    const size = head >> 3;
    isLast = (head & 1) === 1;
    at += BLOCK_HEAD_BYTES;
    if ((head & 0b110) !== 0 || at + size > frame.length || filled + size > rawLength) return null;
    raw.set(frame.subarray(at, at + size), filled);
    filled += size;
    at += size;
  }
  return filled === rawLength && at === frame.length ? raw : null;
}

const platform: CodecPlatform = { crc32c, compressFrame, decompressFrame, detachFrame: () => undefined };

export const browserCodec = createSignalCodec(platform);
