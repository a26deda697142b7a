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

/** Blocks at the beginning that show the clock of the first, and the period of its samples. */
const FIRST_BLOCKS = 8;
const HOUR_US = 3600e6;
const MAX_RATE_ERROR = 0.03;

/**
 * The first whole block of the recording, and whether the file's blocks have checksums; null when there is none. The file may begin
 * with blocks of an earlier session, or with one whose clock is not that of the blocks behind it.
 *
 * @param session as the header says; the file's first block decides when no block has it
 */
export async function firstBlockOf(
  file: Omit<CwaFile, 'isSummed'>,
  session: number | undefined,
): Promise<{ block: CwaBlock; periodUs: number; isSummed: boolean } | null> {
  for (const isSummed of [true, false]) {
    let first: CwaBlock | undefined;
    const begin: CwaBlock[] = [];
    for await (const block of walkBlocks({ ...file, isSummed }, (_, __, found) => {
      const isWanted = first === undefined || session === undefined || found.session === session;
      return isWanted ? { ...found } : undefined;
    })) {
      first ??= block;
      if (session === undefined || block.session === session) begin.push(block);
      if (begin.length === FIRST_BLOCKS) break;
    }
    if (first) {
      const block = begin.length > 0 ? agreeing(begin) : first;
      return { block, periodUs: measuredPeriodUs(begin, block), isSummed };
    }
  }
  return null;
}

/** Of the first two blocks that follow each other: a first block before a gap has no other. Nominal where there are none. */
function measuredPeriodUs(begin: readonly CwaBlock[], { rateHz, isFine }: CwaBlock): number {
  const nominalUs = 1e6 / rateHz;
  for (let i = 1; isFine && i < begin.length; i++) {
    const [before, block] = [begin[i - 1]!, begin[i]!];
    const periodUs = (block.timeUs - before.timeUs) / before.count;
    const isNext = block.sequence === before.sequence + 1 && before.rateHz === rateHz && block.rateHz === rateHz;
    if (isNext && Math.abs(periodUs / nominalUs - 1) <= MAX_RATE_ERROR) return periodUs;
  }
  return nominalUs;
}

function agreeing([first, second, third]: CwaBlock[]): CwaBlock {
  return second && isStray(first!, second, third) ? second : first!;
}

/**
 * Whether the time of the first block cannot be: those behind it lie before it, or, in the same sequence, over an hour behind it while
 * they follow each other.
 */
function isStray(first: CwaBlock, second: CwaBlock, third?: CwaBlock): boolean {
  if (second.timeUs < first.timeUs) return third !== undefined && third.timeUs < first.timeUs;
  const isSequence = second.sequence === first.sequence + 1 && third?.sequence === second.sequence + 1;
  return (
    isSequence &&
    second.timeUs - first.timeUs > HOUR_US &&
    third.timeUs > second.timeUs &&
    third.timeUs - second.timeUs <= HOUR_US
  );
}
