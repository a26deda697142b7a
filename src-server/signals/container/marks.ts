/** Encodes and decodes blocks of marks: faults inside a signal, stored with its samples (recording-format.md, section 5). */
import { BLOCK_MARKS, type BlockCodec, type BlockHead } from '../codec/block.ts';
import type { CodecPlatform } from '../codec/platform.ts';
import type { SignalMark } from '../types.ts';

/** Marks per block; a reason may take 256 characters, so a block stays far below the limits. */
export const MARKS_PER_BLOCK = 4096;
export const MAX_REASON_LENGTH = 256;

/** A row as section 5 has it. */
function isRow(row: unknown): row is [number, number, string] {
  if (!Array.isArray(row) || row.length !== 3) return false;
  const [channel, timeUs, reason] = row as unknown[];
  return (
    Number.isSafeInteger(channel) &&
    Number(channel) >= 0 &&
    Number.isFinite(timeUs) &&
    typeof reason === 'string' &&
    reason.length <= MAX_REASON_LENGTH
  );
}

export function createMarksCodec({ compressFrame, decompressFrame }: CodecPlatform, { encodeBlock }: BlockCodec) {
  function encodeMarks(marks: SignalMark[], sequence: number): Uint8Array<ArrayBuffer> {
    const raw = new TextEncoder().encode(JSON.stringify(marks.map((mark) => [mark.channel, mark.timeUs, mark.reason])));
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
  function decodeMarks(head: BlockHead, payload: Uint8Array): SignalMark[] | null {
    if (head.count > MARKS_PER_BLOCK) return null;
    const raw = decompressFrame(payload, head.rawLength);
    if (raw === null) return null;
    let rows: unknown;
    try {
      rows = JSON.parse(new TextDecoder().decode(raw));
    } catch {
      return null;
    }
    if (!Array.isArray(rows) || rows.length !== head.count || !rows.every(isRow)) return null;
    return rows.map(([channel, timeUs, reason]) => ({ channel, timeUs, reason }));
  }

  return { encodeMarks, decodeMarks };
}
