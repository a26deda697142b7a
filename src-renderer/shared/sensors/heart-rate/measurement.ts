/** The measurement of the standard Heart Rate Service (0x2A37). */
import type { Decoded } from '../driver.ts';

const RATE_IS_WIDE = 1;
const CONTACT = 2;
const CONTACT_SUPPORTED = 4;
const HAS_ENERGY = 8;
const HAS_INTERVALS = 16;

export interface HeartRateMeasurement {
  rateBpm: number;
  /** Null: the strap does not feel contact. */
  hasContact: boolean | null;
  /** In 1/1024 s, oldest first. */
  intervals: number[];
}

/** Returns null for bytes that are too short for their flags. */
export function readMeasurement(bytes: Uint8Array): HeartRateMeasurement | null {
  const flags = bytes[0];
  if (flags === undefined) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWide = (flags & RATE_IS_WIDE) !== 0;
  let at = isWide ? 3 : 2;
  if (bytes.length < at) return null;
  const rateBpm = isWide ? view.getUint16(1, true) : bytes[1]!;
  if (flags & HAS_ENERGY) at += 2;
  const intervals: number[] = [];
  if (flags & HAS_INTERVALS) for (; at + 2 <= bytes.length; at += 2) intervals.push(view.getUint16(at, true));
  return { rateBpm, hasContact: flags & CONTACT_SUPPORTED ? (flags & CONTACT) !== 0 : null, intervals };
}

const MAX_COUNT = 32_767;

export function decodeHeartRate(bytes: Uint8Array): Decoded {
  const measurement = readMeasurement(bytes);
  if (!measurement) return { kind: 'NOTHING' };
  const { rateBpm, hasContact, intervals } = measurement;
  return {
    kind: 'BEATS',
    channel: 0,
    intervals: intervals.map((count) => ({ counts: [count], isValid: count > 0 && count <= MAX_COUNT })),
    isAbsent: hasContact === false || rateBpm === 0,
  };
}
