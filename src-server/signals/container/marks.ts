/** Encodes and decodes blocks of marks: faults inside a signal, stored with its samples (recording-format.md, section 5). */
import { z } from 'zod';
import { BLOCK_MARKS, type BlockHead, encodeBlock } from '../codec/block.ts';
import { compressFrame, decompressFrame } from '../codec/frame.ts';
import type { SignalMark } from '../types.ts';

/** Marks per block; a reason may take 256 characters, so a block stays far below the limits. */
export const MARKS_PER_BLOCK = 4096;
export const MAX_REASON_LENGTH = 256;

const rowsSchema = z.array(z.tuple([z.number().int().nonnegative(), z.number(), z.string().max(MAX_REASON_LENGTH)]));

export function encodeMarks(marks: SignalMark[], sequence: number): Buffer {
  const raw = Buffer.from(JSON.stringify(marks.map((mark) => [mark.channel, mark.timeUs, mark.reason])), 'utf8');
  const times = marks.map((mark) => mark.timeUs);
  return encodeBlock(
    {
      kind: BLOCK_MARKS,
      flags: 0,
      channel: 0,
      sequence,
      startUs: 0,
      periodUs: 0,
      firstUs: Math.min(...times),
      lastUs: Math.max(...times),
      count: marks.length,
      rawLength: raw.length,
    },
    [compressFrame(raw)],
  );
}

/** Returns the marks of a block, or null when its payload does not match its head. */
export function decodeMarks(head: BlockHead, payload: Buffer): SignalMark[] | null {
  if (head.count > MARKS_PER_BLOCK) return null;
  const raw = decompressFrame(payload, head.rawLength);
  if (raw === null) return null;
  let rows: unknown;
  try {
    rows = JSON.parse(raw.toString('utf8'));
  } catch {
    return null;
  }
  const parsed = rowsSchema.safeParse(rows);
  if (!parsed.success || parsed.data.length !== head.count) return null;
  return parsed.data.map(([channel, timeUs, reason]) => ({ channel, timeUs, reason }));
}
