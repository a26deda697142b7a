/**
 * Writes numbers as JSON text directly into bytes. A 16-bit sensor has at most 65,536 counts, so the text of each is formatted
 * once and then copied; adjacent times differ only in their last digits.
 */

import { valueOfCount } from '../../../signals/index.ts';
import type { SignalChannel } from '../../../signals/types.ts';

const COUNTS_OF_16_BITS = 65_536;
/** The longest double in JSON has 24 characters; with its comma it fits a slot of whole words. */
const SLOT_BYTES = 32;
/** Tables are 2 MB each; the sensors of a study share a few scales. */
const KEPT_TABLES = 8;

/** Most bytes of one number with its comma. */
export const NUMBER_BYTES = 25;

/** JSON text of each count of one scale, followed by a comma, formatted on first use. */
class CountTexts {
  readonly #toPhysical: (count: number) => number;
  readonly #slots = new DataView(new ArrayBuffer(COUNTS_OF_16_BITS * SLOT_BYTES));
  readonly #lengths = new Uint8Array(COUNTS_OF_16_BITS);

  constructor(toPhysical: (count: number) => number) {
    this.#toPhysical = toPhysical;
  }

  /** Writes `counts[from]` to `counts[to - 1]`; may overwrite up to three bytes past the end. */
  write(view: DataView, start: number, counts: Int16Array, from: number, to: number): number {
    const slots = this.#slots;
    const lengths = this.#lengths;
    let at = start;
    for (let i = from; i < to; i++) {
      const index = counts[i]! + 32_768;
      let length = lengths[index]!;
      if (length === 0) length = this.#fill(index);
      const slot = index * SLOT_BYTES;
      for (let word = 0; word < length; word += 4) view.setUint32(at + word, slots.getUint32(slot + word, true), true);
      at += length;
    }
    return at;
  }

  #fill(index: number): number {
    const text = `${JSON.stringify(this.#toPhysical(index - 32_768))},`;
    for (let i = 0; i < text.length; i++) this.#slots.setUint8(index * SLOT_BYTES + i, text.charCodeAt(i));
    this.#lengths[index] = text.length;
    return text.length;
  }
}

const tables = new Map<string, CountTexts>();
/** Keys of the scales of a channel, serialized once because exact rules are long. */
const scaleNames = new WeakMap<SignalChannel, string[]>();

/** Returns the texts of one dimension of a 16-bit channel, shared by all channels of the same scale. */
export function textsOf(channel: SignalChannel, dimension: number): CountTexts {
  let names = scaleNames.get(channel);
  if (!names) {
    names = channel.dimensions.map((_, d) =>
      JSON.stringify([channel.scale[d], channel.offset[d], channel.exact?.[d] ?? null]),
    );
    scaleNames.set(channel, names);
  }
  const name = names[dimension]!;
  const texts = tables.get(name) ?? new CountTexts(valueOfCount(channel, dimension));
  tables.delete(name);
  tables.set(name, texts);
  if (tables.size > KEPT_TABLES) tables.delete(tables.keys().next().value as string);
  return texts;
}

/** The four digits of 0 to 9999, as little-endian words. */
const FOUR_DIGITS = Uint32Array.from({ length: 10_000 }, (_, n) => {
  const digit = (place: number) => 48 + (Math.floor(n / place) % 10);
  return digit(1000) | (digit(100) << 8) | (digit(10) << 16) | (digit(1) << 24);
});

const LAST_EIGHT_DIGITS = 1e8;
const COMMA = 44;

/** Writes integers, each followed by a comma; fast when neighbours share all but their last eight digits. */
export function writeIntegers(view: DataView, start: number, length: number, valueAt: (i: number) => number): number {
  let at = start;
  let prefix = Number.NaN;
  let prefixText = '';
  for (let i = 0; i < length; i++) {
    const value = valueAt(i);
    const head = Math.floor(value / LAST_EIGHT_DIGITS);
    if (head < 1) {
      for (const character of `${value},`) view.setUint8(at++, character.charCodeAt(0));
      continue;
    }
    if (head !== prefix) {
      prefix = head;
      prefixText = `${head}`;
    }
    for (let c = 0; c < prefixText.length; c++) view.setUint8(at + c, prefixText.charCodeAt(c));
    at += prefixText.length;
    const rest = value - head * LAST_EIGHT_DIGITS;
    const high = (rest / 10_000) | 0;
    view.setUint32(at, FOUR_DIGITS[high]!, true);
    view.setUint32(at + 4, FOUR_DIGITS[rest - high * 10_000]!, true);
    view.setUint8(at + 8, COMMA);
    at += 9;
  }
  return at;
}
