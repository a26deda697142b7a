/** Converts counts to the exact doubles of the source file, and packs the rules for that; see `ExactValueRule`. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ExactValueRule, SignalChannel } from './types.ts';

const COUNTS_OF_16_BITS = 65_536;

const bits = new DataView(new ArrayBuffer(8));

/** Returns the rank of a double among all doubles: neighbours differ by one. */
function orderedBits(value: number): bigint {
  bits.setFloat64(0, value);
  const raw = bits.getBigInt64(0);
  return raw >= 0n ? raw : -(raw & 0x7fff_ffff_ffff_ffffn);
}

function fromOrderedBits(order: bigint): number {
  bits.setBigInt64(0, order >= 0n ? order : BigInt.asIntN(64, -order | (1n << 63n)));
  return bits.getFloat64(0);
}

/** Returns the distance in units in the last place: 0 when equal, negative when `to` is below `from`. */
export function lastPlacesBetween(from: number, to: number): number {
  return Number(orderedBits(to) - orderedBits(from));
}

/** Returns the double that is `places` units in the last place above a value, or below it when negative. */
function moveByLastPlaces(value: number, places: number): number {
  return places === 0 ? value : fromOrderedBits(orderedBits(value) + BigInt(places));
}

/** Packs the corrections of counts -32768 to 32767 (index = count + 32768). Returns undefined when all are zero. */
export function packLastPlaces(corrections: Int32Array): string | undefined {
  if (corrections.every((places) => places === 0)) return undefined;
  const bytes = new Uint8Array(corrections.buffer, corrections.byteOffset, corrections.byteLength);
  return deflateRawSync(bytes).toString('base64');
}

function unpackLastPlaces(packed: string): Int32Array {
  const bytes = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: COUNTS_OF_16_BITS * 4 });
  const corrections = new Int32Array(COUNTS_OF_16_BITS);
  new Uint8Array(corrections.buffer).set(bytes);
  return corrections;
}

/** Returns the value of a count by a rule, without the corrections. */
export function ruleValue(rule: ExactValueRule, count: number): number {
  return ((count - rule.origin) / rule.divisor) * rule.span + rule.low;
}

/** Returns a function from counts of one dimension to values in the channel's unit, exact where the channel has a rule. */
export function valueOfCount(channel: SignalChannel, dimension: number): (count: number) => number {
  const rule = channel.exact?.[dimension];
  if (!rule) {
    const scale = channel.scale[dimension]!;
    const offset = channel.offset[dimension]!;
    return (count) => count * scale + offset;
  }
  if (rule.lastPlaces === undefined) return (count) => ruleValue(rule, count);
  const corrections = unpackLastPlaces(rule.lastPlaces);
  return (count) => moveByLastPlaces(ruleValue(rule, count), corrections[count + 32_768] ?? 0);
}

/** Returns the plain scale and offset that the channel stores beside a rule. */
export function scaleAndOffset(rule: ExactValueRule): { scale: number; offset: number } {
  const scale = rule.span / rule.divisor;
  return { scale, offset: rule.low - rule.origin * scale };
}
