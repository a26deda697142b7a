/** A single zstd frame with bounded decompression: output beyond the declared length is rejected. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

// Level 1 is within 1 % of level 6 on zigzag planes of real recordings (often smaller) and several times faster.
const COMPRESS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** 2^25 bytes is the largest block; a frame that asks for a larger window is not one of ours. */
const WINDOW_LOG_MAX = 25;
/** The smallest piece that zlib accepts. */
const LEAST_CHUNK = 64;

export function compressFrame(raw: Uint8Array): Buffer {
  return raw.length === 0 ? Buffer.alloc(0) : zstdCompressSync(raw, COMPRESS);
}

/**
 * Frames of fewer bytes share Node's pool of small buffers: the index of a short file is a few hundred bytes, and a buffer of its own
 * would be as long as the whole pool.
 */
const POOLED_BYTES = 4096;

/** Frees the result of {@link decompressFrame}: thousands of pages would pile up before garbage collection. */
export function detachFrame(raw: Uint8Array): void {
  if (raw.length < POOLED_BYTES) return;
  const { buffer } = raw;
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= Buffer.poolSize) buffer.transfer(0);
}

/** Exactly `rawLength` bytes, or null when the frame is damaged or holds more or fewer. */
export function decompressFrame(frame: Uint8Array, rawLength: number): Buffer | null {
  if (rawLength === 0) return frame.length === 0 ? Buffer.alloc(0) : null;
  try {
    const raw = zstdDecompressSync(frame, {
      maxOutputLength: rawLength,
      // One byte more than needed: output that fills its piece to the end makes zlib take another. Larger pieces
      // share no pool with others, so that they can be detached.
      chunkSize: Math.min(Math.max(rawLength + 1, rawLength < POOLED_BYTES ? LEAST_CHUNK : Buffer.poolSize), 1 << 17),
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX },
    });
    return raw.length === rawLength ? raw : null;
  } catch {
    return null;
  }
}
