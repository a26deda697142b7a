/** Messages of Movesense's GATT SensorData service. */
import type { Decoded, StreamPlan } from '../driver.ts';

const SUBSCRIBE = 1;
const UNSUBSCRIBE = 2;
const RESULT = 1;
const DATA = 2;
const HEAD_BYTES = 2;
const STAMP_BYTES = 4;

export const ECG_REFERENCE = 1;
export const ACC_REFERENCE = 2;
export const ECG_RATE_HZ = 200;
export const ACC_RATE_HZ = 52;

export function subscribe(reference: number, path: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([SUBSCRIBE, reference, ...new TextEncoder().encode(path)]);
}

export const unsubscribe = (reference: number): Uint8Array<ArrayBuffer> => Uint8Array.from([UNSUBSCRIBE, reference]);

/** The result of a command, like an HTTP status; null for another message. */
export function readResult(bytes: Uint8Array): { reference: number; status: number } | null {
  if (bytes[0] !== RESULT || bytes.length < 4) return null;
  return { reference: bytes[1]!, status: bytes[2]! | (bytes[3]! << 8) };
}

const STANDARD_GRAVITY = 9.80665;
/** Counts of acceleration: millionths of g, far below the sensor's step. */
export const ACC_SCALE_G = 1e-6;

/** Stamps are ms since the sensor woke, in 32 bits, of the first sample. */
export function decodeMovesense(bytes: Uint8Array, plan: readonly StreamPlan[]): Decoded {
  const reference = bytes[1];
  const channel = plan.findIndex(({ stream }) => stream === reference);
  if (bytes[0] !== DATA || channel < 0 || bytes.length <= HEAD_BYTES + STAMP_BYTES) return { kind: 'NOTHING' };
  const view = new DataView(bytes.buffer, bytes.byteOffset + HEAD_BYTES, bytes.byteLength - HEAD_BYTES);
  const stampNs = BigInt(view.getUint32(0, true)) * 1_000_000n;
  const contentBytes = view.byteLength - STAMP_BYTES;
  let columns: number[][];
  if (reference === ECG_REFERENCE) {
    const count = Math.floor(contentBytes / 2);
    columns = [Array.from({ length: count }, (_, i) => view.getInt16(STAMP_BYTES + 2 * i, true))];
  } else {
    const count = Math.floor(contentBytes / 12);
    columns = [0, 1, 2].map((d) =>
      Array.from({ length: count }, (_, i) => {
        const metresPerS2 = view.getFloat32(STAMP_BYTES + 4 * (3 * i + d), true);
        return Math.round(metresPerS2 / STANDARD_GRAVITY / ACC_SCALE_G);
      }),
    );
  }
  const count = columns[0]!.length;
  return count === 0 ? { kind: 'NOTHING' } : { kind: 'EVEN', channel, stampNs, stampIs: 'FIRST', count, columns };
}
