/** The parameters record: pairs of (space u16, id u16) and a value u32, and the 32-bit floating form of ActiGraph. */

/** `space * 65536 + id`. */
export type ParameterId = number;

export const PARAMETER = {
  TEMPERATURE_SCALE: 57,
  TEMPERATURE_OFFSET: 58,
  ACCELERATION_SCALE: 55,
  SAMPLE_RATE: 0x1_000a,
} as const;

/** A signed 24-bit fraction of 2^23, and a signed exponent of two in the top byte. */
export function sspFloat(value: number): number {
  const fraction = (value << 8) >> 8;
  const exponent = value >> 24;
  return (fraction / 0x80_0000) * 2 ** exponent;
}

export function readParameters(bytes: Uint8Array, start: number, size: number): Map<ParameterId, number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, size);
  const found = new Map<ParameterId, number>();
  for (let at = 0; at + 8 <= size; at += 8) {
    found.set(view.getUint16(at, true) * 65_536 + view.getUint16(at + 2, true), view.getUint32(at + 4, true));
  }
  return found;
}
