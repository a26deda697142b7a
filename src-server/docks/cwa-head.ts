/** What the first and last kilobytes of an Axivity file tell: whose it is and, on the recorder's clock, from when to when. */
import { Temporal } from 'temporal-polyfill';
import { BLOCK_BYTES, BLOCK_MAGIC, HEADER_BYTES } from '../importers/axivity/cwa.ts';
import { emptyBlock, hasGoodSum, isUnsummed, readBlock } from '../importers/axivity/cwa-block.ts';
import { parseCwaHeader } from '../importers/axivity/cwa-header.ts';

export interface CwaHead {
  model?: string;
  serial?: string;
  sessionId?: number;
  /** Code that the person who configured it entered. Shown for comparison only. */
  subjectCode?: string;
  /** Wall clock of the computer that configured it. */
  start?: Temporal.PlainDateTime;
  stop?: Temporal.PlainDateTime;
}

/** @param head at least the header @param tail the end of the file */
export function readCwaHead(head: Buffer, tail: Buffer): CwaHead {
  const { model, serial, session, subjectCode } = parseCwaHeader(head)?.device ?? {};
  const start = wallClock(head, HEADER_BYTES);
  const stop = lastWallClock(tail);
  return {
    ...(model !== undefined && { model }),
    ...(serial !== undefined && { serial }),
    ...(session !== undefined && { sessionId: session }),
    ...(subjectCode !== undefined && { subjectCode }),
    ...(start && { start }),
    ...(stop && { stop }),
  };
}

/** True for a data block whose checksum is right, or that was written without one. */
export function isGoodBlock(block: Buffer): boolean {
  return block.readUInt32LE(0) === BLOCK_MAGIC && (isUnsummed(block, 0) || hasGoodSum(block, 0));
}

/** Time of the last whole block; a broken-off one after it does not count. */
function lastWallClock(tail: Buffer): Temporal.PlainDateTime | undefined {
  for (let at = tail.length - BLOCK_BYTES; at >= 0; at -= 2) {
    const time = tail.readUInt32LE(at) === BLOCK_MAGIC ? wallClock(tail, at) : undefined;
    if (time) return time;
  }
  return undefined;
}

function wallClock(bytes: Buffer, at: number): Temporal.PlainDateTime | undefined {
  const block = emptyBlock();
  if (bytes.length < at + BLOCK_BYTES || !readBlock(bytes, at, block)) return undefined;
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(block.timeUs / 1000));
  return instant.toZonedDateTimeISO('UTC').toPlainDateTime();
}
