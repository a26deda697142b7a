/** A single zstd frame with bounded decompression: output beyond the declared length is rejected. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

// Level 1 is within 1 % of level 6 on zigzag planes of real recordings (often smaller) and several times faster.
const COMPRESS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** 2^25 bytes is the largest block; a frame that asks for a larger window is not one of ours. */
const WINDOW_LOG_MAX = 25;

export function compressFrame(raw: Uint8Array): Buffer {
  return raw.length === 0 ? Buffer.alloc(0) : zstdCompressSync(raw, COMPRESS);
}

/** Frees the result of {@link decompressFrame}: thousands of pages would pile up before garbage collection. */
export function detachFrame({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= Buffer.poolSize) buffer.transfer(0);
}

/** Exactly `rawLength` bytes, or null when the frame is damaged or holds more or fewer. */
export function decompressFrame(frame: Uint8Array, rawLength: number): Buffer | null {
  if (rawLength === 0) return frame.length === 0 ? Buffer.alloc(0) : null;
  try {
    const raw = zstdDecompressSync(frame, {
      maxOutputLength: rawLength,
      // One byte more than needed: output that fills its piece to the end makes zlib take another. Pieces of this size
      // share no pool with others, so that they can be detached.
      chunkSize: Math.min(Math.max(rawLength + 1, Buffer.poolSize), 1 << 17),
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX },
    });
    return raw.length === rawLength ? raw : null;
  } catch {
    return null;
  }
}
