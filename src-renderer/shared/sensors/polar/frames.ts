/** Data frames of Polar's measurement service: raw and compressed (delta) samples. */
import type { BeatInterval, Decoded, StreamPlan } from '../driver.ts';
import { ACC, ECG, PPI } from './control-point.ts';

const HEAD_BYTES = 10;
const COMPRESSED = 0x80;

const signed = (value: number, bits: number): number => (value << (32 - bits)) >> (32 - bits);

function littleEndian(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let i = 0; i < width; i++) value |= bytes[at + i]! << (8 * i);
  return signed(value, 8 * width);
}

/** Samples of `width` bytes for each dimension in turn. Bytes that do not make up a whole sample are left out. */
function rawColumns(content: Uint8Array, dimensions: number, width: number): number[][] {
  const count = Math.floor(content.length / (dimensions * width));
  return Array.from({ length: dimensions }, (_, d) =>
    Array.from({ length: count }, (_unused, i) => littleEndian(content, (i * dimensions + d) * width, width)),
  );
}

/** One reference sample, then blocks of {bits, count, deltas}: two's complement, least significant bit first. */
export function deltaColumns(content: Uint8Array, dimensions: number, resolutionBits: number): number[][] {
  const width = Math.ceil(resolutionBits / 8);
  const columns: number[][] = Array.from({ length: dimensions }, () => []);
  if (content.length < dimensions * width) return columns;
  const last = columns.map((column, d) => {
    const value = littleEndian(content, d * width, width);
    column.push(value);
    return value;
  });
  let at = dimensions * width;
  while (at + 2 <= content.length) {
    const bits = content[at]!;
    const count = content[at + 1]!;
    at += 2;
    if (bits === 0 || count === 0) continue;
    const bytes = Math.ceil((bits * count * dimensions) / 8);
    if (bits > 32 || at + bytes > content.length) break;
    let bit = 0;
    for (let i = 0; i < count; i++) {
      for (let d = 0; d < dimensions; d++) {
        let value = 0;
        for (let b = 0; b < bits; b++, bit++) value |= ((content[at + (bit >> 3)]! >> (bit & 7)) & 1) << b;
        last[d] = last[d]! + signed(value, bits);
        columns[d]!.push(last[d]!);
      }
    }
    at += bytes;
  }
  return columns;
}

const PPI_BYTES = 6;
const MAX_COUNT = 32_767;
const BLOCKER = 1;
const CONTACT = 2;
const CONTACT_SUPPORTED = 4;

function intervalsOf(content: Uint8Array): { intervals: BeatInterval[]; isAbsent: boolean } {
  const intervals: BeatInterval[] = [];
  let absent = 0;
  for (let at = 0; at + PPI_BYTES <= content.length; at += PPI_BYTES) {
    const ms = content[at + 1]! | (content[at + 2]! << 8);
    const errorMs = content[at + 3]! | (content[at + 4]! << 8);
    const flags = content[at + 5]!;
    const noContact = (flags & CONTACT_SUPPORTED) !== 0 && (flags & CONTACT) === 0;
    const isValid = (flags & BLOCKER) === 0 && !noContact && ms > 0 && ms <= MAX_COUNT;
    intervals.push({ counts: [ms, Math.min(errorMs, MAX_COUNT)], isValid });
    if (noContact) absent += 1;
  }
  return { intervals, isAbsent: intervals.length > 0 && absent === intervals.length };
}

/** @throws RangeError for a frame of a layout that is not known; its bytes stay stored */
export function decodePolarFrame(bytes: Uint8Array, plan: readonly StreamPlan[]): Decoded {
  if (bytes.length <= HEAD_BYTES) return { kind: 'NOTHING' };
  const type = bytes[0]! & 0x3f;
  const channel = plan.findIndex(({ stream }) => stream === type);
  if (channel < 0) return { kind: 'NOTHING' };
  const stampNs = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(1, true);
  const frameType = bytes[9]! & 0x7f;
  const isCompressed = (bytes[9]! & COMPRESSED) !== 0;
  const content = bytes.subarray(HEAD_BYTES);
  if (type === PPI && frameType === 0 && !isCompressed) return { kind: 'BEATS', channel, ...intervalsOf(content) };
  let columns: number[][];
  if (type === ECG && frameType === 0 && !isCompressed) columns = rawColumns(content, 1, 3);
  else if (type === ACC && !isCompressed && frameType <= 2) columns = rawColumns(content, 3, frameType + 1);
  else if (type === ACC && isCompressed && frameType <= 1) columns = deltaColumns(content, 3, 16);
  else throw new RangeError(`Frame type ${bytes[9]} of measurement ${type} is not known.`);
  const count = columns[0]!.length;
  return count === 0 ? { kind: 'NOTHING' } : { kind: 'EVEN', channel, stampNs, stampIs: 'LAST', count, columns };
}
