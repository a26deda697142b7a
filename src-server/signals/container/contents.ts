/** Finds the header and blocks of a file from its footer or, if that is missing or damaged, by a scan. */

import { detachBuffer } from '../../detach-buffer.ts';
import { OutpostError } from '../../errors.ts';
import { BLOCK_HEAD_BYTES, BLOCK_INDEX, BLOCK_MAGIC, type BlockEntry, LIMITS } from '../codec/block.ts';
import { decodeContainerHeader, decodeIndex, decodeTrailer, isIntactPayload, readBlockHead } from '../node-codec.ts';
import { MAX_INDEX_BYTES, TRAILER_BYTES } from './footer.ts';
import { containerHeaderLength } from './header.ts';
import type { ReadPlan } from './io.ts';

export interface Contents {
  header: unknown;
  /** Offset of the first block. */
  headerBytes: number;
  /** Intact blocks in file order, without the index. */
  entries: BlockEntry[];
  /** Samples per channel by the index; null without a usable index. */
  totals: number[] | null;
  /** Offset of the index; null without a usable index. */
  indexOffset: number | null;
  /** Problems found, one sentence each. */
  problems: string[];
  /** End of the last intact block: anything after it except a footer is a torn tail. */
  dataEnd: number;
}

/** Returns how many channels a header declares; the index has one total for each. */
type ChannelCounter = (header: unknown) => number;

/** Reads the container header and its JSON. @throws SIGNAL_FILE_DAMAGED, UNSUPPORTED_FORMAT */
export function* planHeader(magic: Uint8Array, path: string): ReadPlan<{ header: unknown; headerBytes: number }> {
  let bytes = yield { position: 0, length: 16384 };
  const length = containerHeaderLength(magic, bytes, path);
  if (bytes.length < length) bytes = yield { position: 0, length };
  if (bytes.length < length) throw new OutpostError('SIGNAL_FILE_DAMAGED', `${path} ends inside its header.`);
  return { header: decodeContainerHeader(bytes.subarray(0, length), path), headerBytes: length };
}

/** Reads the contents from an intact footer, else by a scan. Only a scan checks payloads. */
export function* planContents(
  magic: Uint8Array,
  path: string,
  fileSize: number,
  channelCount: ChannelCounter,
): ReadPlan<Contents> {
  const { header, headerBytes } = yield* planHeader(magic, path);
  const fromFooter = yield* planFooter(fileSize, headerBytes, channelCount(header));
  if (fromFooter) return { header, headerBytes, problems: [], ...fromFooter };
  const scanned = yield* planScan(headerBytes, fileSize);
  if (scanned.problems.length === 0) scanned.problems.push('The footer is damaged; the blocks were found by a scan.');
  return { header, headerBytes, ...scanned };
}

function* planFooter(
  fileSize: number,
  headerBytes: number,
  channelCount: number,
): ReadPlan<Pick<Contents, 'entries' | 'totals' | 'indexOffset' | 'dataEnd'> | null> {
  if (fileSize < headerBytes + BLOCK_HEAD_BYTES + TRAILER_BYTES) return null;
  const trailer = decodeTrailer(yield { position: fileSize - TRAILER_BYTES, length: TRAILER_BYTES }, fileSize);
  if (trailer === null || trailer.indexOffset < headerBytes) return null;
  const { indexOffset } = trailer;
  if (fileSize - indexOffset > MAX_INDEX_BYTES) return null;
  const block = yield { position: indexOffset, length: fileSize - TRAILER_BYTES - indexOffset };
  const head = readBlockHead(block, 0);
  if (head === null || head.kind !== BLOCK_INDEX || head.count !== trailer.blockCount) return null;
  const payload = block.subarray(BLOCK_HEAD_BYTES);
  if (!isIntactPayload(head, payload)) return null;
  const index = decodeIndex(head, payload, channelCount, headerBytes, indexOffset);
  if (index === null) return null;
  const last = index.entries.at(-1);
  const dataEnd = last ? last.offset + BLOCK_HEAD_BYTES + last.payloadLength : headerBytes;
  return { ...index, indexOffset, dataEnd };
}

const SCAN_WINDOW_BYTES = 1 << 20;
/** Problems listed individually; beyond that only a count, so that a garbage file cannot exhaust memory. */
export const MAX_PROBLEMS = 100;

/**
 * Finds every intact block from `from` to the end, regardless of the bytes between them. Damage inside a block loses that block
 * only: the search continues right after its head. The work is bounded by four times the file's size, because a hostile file
 * could nest heads that each claim the rest of the file.
 */
export function* planScan(
  from: number,
  fileSize: number,
): ReadPlan<Pick<Contents, 'entries' | 'totals' | 'indexOffset' | 'problems' | 'dataEnd'>> {
  const entries: BlockEntry[] = [];
  const problems: string[] = [];
  let problemCount = 0;
  const report = (problem: string): void => {
    problemCount += 1;
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  let budget = 4 * fileSize + (4 << 20);
  let window: Buffer = Buffer.alloc(0);
  let windowStart = from;
  let position = from;
  let dataEnd = from;
  let expectedSequence = 0;
  let lostFrom: number | null = null;
  let isLossReported = false;
  let sawIndex = false;

  while (position + BLOCK_HEAD_BYTES <= fileSize && budget > 0 && entries.length < LIMITS.blocks) {
    if (position < windowStart || position + BLOCK_HEAD_BYTES > windowStart + window.length) {
      detachBuffer(window);
      window = yield { position, length: Math.min(SCAN_WINDOW_BYTES, fileSize - position) };
      windowStart = position;
      budget -= window.length;
      if (window.length < BLOCK_HEAD_BYTES) break;
    }
    const head = readBlockHead(window, position - windowStart);
    const end = head === null ? 0 : position + BLOCK_HEAD_BYTES + head.payloadLength;
    if (head !== null && end <= fileSize && head.payloadLength <= MAX_INDEX_BYTES) {
      const start = position + BLOCK_HEAD_BYTES;
      const inside = end <= windowStart + window.length;
      const payload = inside
        ? window.subarray(start - windowStart, end - windowStart)
        : yield { position: start, length: head.payloadLength };
      budget -= head.payloadLength;
      const isIntact = isIntactPayload(head, payload);
      if (!inside) detachBuffer(payload);
      if (isIntact) {
        if (lostFrom !== null && !isLossReported)
          report(`${position - lostFrom} bytes starting at byte ${lostFrom} are damaged.`);
        if (head.sequence !== expectedSequence && lostFrom === null) {
          report(`Block ${head.sequence} at byte ${position} follows where block ${expectedSequence} belongs.`);
        }
        lostFrom = null;
        isLossReported = false;
        expectedSequence = head.sequence + 1;
        if (head.kind === BLOCK_INDEX) sawIndex = true;
        else {
          if (sawIndex) report(`Block ${head.sequence} at byte ${position} lies after an index.`);
          entries.push({ ...head, offset: position });
          dataEnd = end;
        }
        position = end;
        continue;
      }
      report(describeLoss(head, position));
      isLossReported = true;
    }
    if (!(sawIndex && fileSize - position <= TRAILER_BYTES)) lostFrom ??= position;
    const found = window.indexOf(BLOCK_MAGIC, position - windowStart + 1);
    position = found >= 0 ? windowStart + found : Math.max(position + 1, windowStart + window.length - 3);
  }
  if (!sawIndex && position < fileSize) lostFrom ??= position;
  if (entries.length >= LIMITS.blocks) report(`The file has more than ${LIMITS.blocks} blocks; the rest is not read.`);
  else if (budget <= 0) report('The scan gave up: the file is too badly damaged.');
  else if (lostFrom !== null) report(`The file ends with ${fileSize - lostFrom} bytes that are not a complete block.`);
  else if (!sawIndex) report('The file has no index: writing it was never finished.');
  if (problemCount > problems.length) problems.push(`There are ${problemCount - problems.length} more problems.`);
  return { entries, totals: null, indexOffset: null, problems, dataEnd };
}

function describeLoss(
  head: { kind: number; channel: number; count: number; firstUs: number; lastUs: number },
  position: number,
): string {
  if (head.kind === BLOCK_INDEX) return `The index at byte ${position} is damaged.`;
  const times = `${new Date(head.firstUs / 1000).toISOString()} to ${new Date(head.lastUs / 1000).toISOString()}`;
  return `The block at byte ${position} is damaged: channel ${head.channel}, ${head.count} entries, ${times}.`;
}
