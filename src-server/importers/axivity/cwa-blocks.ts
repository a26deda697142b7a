/** Finds the whole blocks of a CWA file, also behind damage that moved everything after it. */
import type { FileHandle } from 'node:fs/promises';
import { throwIfAborted } from '../refusals.ts';
import { readFully } from '../source-bytes.ts';
import { BLOCK_BYTES, HEADER_BYTES } from './cwa.ts';
import { type CwaBlock, emptyBlock, hasGoodSum, isUnsummed, readBlock } from './cwa-block.ts';

const CHUNK_BYTES = 4 << 20;
/** The 32-bit signature of a block as it lies in the file. */
const SIGNATURE = Buffer.from([0x41, 0x58, 0xfc, 0x01]);

export interface CwaFile {
  handle: FileHandle;
  sizeBytes: number;
  /** False in files of 2010 firmware, whose blocks have no checksum. */
  isSummed: boolean;
  signal: AbortSignal | undefined;
}

/** Called for each whole block; `skippedBytes` of what is none lie before it. Returning false ends the walk. */
type OnBlock<T> = (bytes: Buffer, at: number, block: CwaBlock, skippedBytes: number) => T;

/** Walks over all whole blocks and yields what `onBlock` returns, unless that is undefined. Returns the bytes behind the last one. */
export async function* walkBlocks<T>(
  file: CwaFile,
  onBlock: OnBlock<T | undefined>,
  onProgress?: (doneBytes: number) => void,
): AsyncGenerator<T, number> {
  const bytes = Buffer.alloc(CHUNK_BYTES + BLOCK_BYTES);
  const block = emptyBlock();
  let kept = 0;
  let position = HEADER_BYTES;
  let skipped = 0;
  while (position < file.sizeBytes) {
    throwIfAborted(file.signal);
    const read = await readFully(file.handle, bytes.subarray(kept, kept + CHUNK_BYTES), position);
    if (read === 0) break;
    position += read;
    const end = kept + read;
    let at = 0;
    while (at + BLOCK_BYTES <= end) {
      if (isWhole(bytes, at, block, file.isSummed)) {
        const made = onBlock(bytes, at, block, skipped);
        if (made !== undefined) yield made;
        skipped = 0;
        at += BLOCK_BYTES;
      } else {
        const next = nextSignature(bytes, at + 1, end);
        skipped += next - at;
        at = next;
      }
    }
    bytes.copyWithin(0, at, end);
    kept = end - at;
    onProgress?.(position);
  }
  return skipped + kept;
}

/** A block may begin at any byte behind damage: where the next signature is, or where the rest is too short for one. */
function nextSignature(bytes: Buffer, from: number, end: number): number {
  const found = bytes.subarray(0, end).indexOf(SIGNATURE, from);
  return found >= 0 ? found : Math.max(from, end - SIGNATURE.length + 1);
}

function isWhole(bytes: Buffer, at: number, block: CwaBlock, isSummed: boolean): boolean {
  if (!readBlock(bytes, at, block)) return false;
  return isSummed ? !isUnsummed(bytes, at) && hasGoodSum(bytes, at) : isUnsummed(bytes, at) || hasGoodSum(bytes, at);
}

/** The first whole block, and whether the file's blocks have checksums; null when there is none. */
export async function firstBlockOf(
  file: Omit<CwaFile, 'isSummed'>,
): Promise<{ block: CwaBlock; isSummed: boolean } | null> {
  for (const isSummed of [true, false]) {
    for await (const block of walkBlocks({ ...file, isSummed }, (_, __, found) => ({ ...found }))) {
      return { block, isSummed };
    }
  }
  return null;
}
