/**
 * Writes the physical values of counts as text directly into bytes. A 16-bit sensor has at most 65,536 counts, so the text of
 * each is formatted once and then copied. Used wherever samples become text: JSON of the API, CSV and TSV of exports.
 */
import { valueOfCount } from '../signals/index.ts';
import type { SignalChannel } from '../signals/types.ts';

const COUNTS_OF_16_BITS = 65_536;
/** The longest double has 24 characters; with its separator it fits a slot of whole words. */
const SLOT_BYTES = 32;
/** Tables are 2 MB each; the sensors of a study share a few scales. */
const KEPT_TABLES = 8;

/** Most bytes of one number with its separator. */
export const NUMBER_BYTES = 25;
/** Texts are copied in whole words. */
export const COPIED_BEYOND_END = 3;

const COMMA = 44;

/** Writes a number as text: the shortest digits of JSON and JavaScript, or those of another format. */
export type NumberFormat = (value: number) => string;

/** Text of each count of one scale, followed by a comma, formatted on first use. */
export class CountTexts {
  readonly #toPhysical: (count: number) => number;
  readonly #format: NumberFormat;
  readonly #slots = new DataView(new ArrayBuffer(COUNTS_OF_16_BITS * SLOT_BYTES));
  readonly #lengths = new Uint8Array(COUNTS_OF_16_BITS);

  constructor(toPhysical: (count: number) => number, format: NumberFormat) {
    this.#toPhysical = toPhysical;
    this.#format = format;
  }

  /** Writes `counts[from]` to `counts[to - 1]`; may overwrite up to three bytes past the end. */
  write(view: DataView, start: number, counts: Int16Array, from: number, to: number): number {
    let at = start;
    for (let i = from; i < to; i++) at = this.put(view, at, counts[i]!);
    return at;
  }

  /** Writes one count and a comma, and returns where it ends; may overwrite up to three bytes past the end. */
  put(view: DataView, at: number, count: number): number {
    const index = count + 32_768;
    let length = this.#lengths[index]!;
    if (length === 0) length = this.#fill(index);
    const slots = this.#slots;
    const slot = index * SLOT_BYTES;
    for (let word = 0; word < length; word += 4) view.setUint32(at + word, slots.getUint32(slot + word, true), true);
    return at + length;
  }

  #fill(index: number): number {
    const end = writeText(this.#slots, index * SLOT_BYTES, this.#format(this.#toPhysical(index - 32_768)));
    this.#slots.setUint8(end, COMMA);
    this.#lengths[index] = end + 1 - index * SLOT_BYTES;
    return this.#lengths[index];
  }
}

/** Writes ASCII text and returns where it ends. */
export function writeText(view: DataView, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) view.setUint8(at + i, text.charCodeAt(i));
  return at + text.length;
}

const tables = new Map<string, CountTexts>();
/** Keys of the scales of a channel, serialized once because exact rules are long. */
const scaleNames = new WeakMap<SignalChannel, string[]>();

/** Returns the texts of one dimension of a 16-bit channel, shared by all channels of the same scale. */
export function textsOf(channel: SignalChannel, dimension: number, format: NumberFormat = String): CountTexts {
  let names = scaleNames.get(channel);
  if (!names) {
    names = channel.dimensions.map((_, d) =>
      JSON.stringify([channel.scale[d], channel.offset[d], channel.exact?.[d] ?? null]),
    );
    scaleNames.set(channel, names);
  }
  const name = `${format.name} ${names[dimension]}`;
  const texts = tables.get(name) ?? new CountTexts(valueOfCount(channel, dimension), format);
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
const SECOND_US = 1e6;

/** A short text that is written again and again: copied in whole words. */
class RepeatedText {
  readonly #words = new DataView(new ArrayBuffer(SLOT_BYTES));
  length = 0;

  set(text: string): void {
    this.length = writeText(this.#words, 0, text);
  }

  /** Returns where it ends; may overwrite up to three bytes past the end. */
  put(view: DataView, at: number): number {
    const { length } = this;
    for (let word = 0; word < length; word += 4) view.setUint32(at + word, this.#words.getUint32(word, true), true);
    return at + length;
  }
}

/** Writes microseconds since a start as seconds with six decimals; fast when neighbours share their whole seconds. */
export class SecondsText {
  /** Start of the whole second of the last time. */
  #secondUs = Number.NaN;
  /** The whole seconds and the point. */
  readonly #head = new RepeatedText();
  /** The first decimal of the last time. */
  #tenth = 0;
  /** How many bytes the last time certainly shares with the one before. */
  sharedBytes = 0;

  /** Writes one time and returns where it ends; may overwrite up to three bytes past the end. */
  put(view: DataView, at: number, us: number): number {
    let micros = us - this.#secondUs;
    const tenth = this.#tenth;
    this.sharedBytes = this.#head.length;
    if (!(micros >= 0 && micros < SECOND_US)) {
      this.sharedBytes = 0;
      if (us < 0) return this.#putNegative(view, at, us);
      const second = Math.floor(us / SECOND_US);
      this.#secondUs = second * SECOND_US;
      this.#head.set(`${second}.`);
      micros = us - this.#secondUs;
    }
    const end = this.#head.put(view, at);
    const whole = micros | 0;
    const high = (whole / 100) | 0;
    this.#tenth = (whole / 100_000) | 0;
    if (this.sharedBytes > 0 && this.#tenth === tenth) this.sharedBytes += 1;
    view.setUint32(end, FOUR_DIGITS[high]!, true);
    view.setUint16(end + 4, FOUR_DIGITS[whole - high * 100]! >>> 16, true);
    return end + 6;
  }

  #putNegative(view: DataView, at: number, us: number): number {
    this.#secondUs = Number.NaN;
    return writeText(view, at, (us / SECOND_US).toFixed(6));
  }
}

/** Writes whole numbers; fast when neighbours share all but their last eight digits. */
export class IntegerText {
  #number = Number.NaN;
  readonly #head = new RepeatedText();

  /** Writes one number and returns where it ends; may overwrite up to three bytes past the end. */
  put(view: DataView, at: number, value: number): number {
    const head = Math.floor(value / LAST_EIGHT_DIGITS);
    if (head < 1) return writeText(view, at, `${value}`);
    if (head !== this.#number) {
      this.#number = head;
      this.#head.set(`${head}`);
    }
    const end = this.#head.put(view, at);
    const rest = value - head * LAST_EIGHT_DIGITS;
    const high = (rest / 10_000) | 0;
    view.setUint32(end, FOUR_DIGITS[high]!, true);
    view.setUint32(end + 4, FOUR_DIGITS[rest - high * 10_000]!, true);
    return end + 8;
  }
}

/** Writes integers, each followed by a comma. */
export function writeIntegers(view: DataView, start: number, length: number, valueAt: (i: number) => number): number {
  const integers = new IntegerText();
  let at = start;
  for (let i = 0; i < length; i++) {
    at = integers.put(view, at, valueAt(i));
    view.setUint8(at++, COMMA);
  }
  return at;
}
