/**
 * Rows of samples as delimited text: the time, then the value of each dimension. Text goes into bytes without a string per
 * sample; `count-bytes.ts` has how numbers are written.
 */
import { valueOfCount } from '../signals/index.ts';
import type { SampleArray, SignalChannel } from '../signals/types.ts';
import {
  COPIED_BEYOND_END,
  IntegerText,
  NUMBER_BYTES,
  type NumberFormat,
  SecondsText,
  textsOf,
  writeText,
} from './count-bytes.ts';

export interface RowStyle {
  separator: ',' | '\t';
  /** Epoch microseconds, or seconds since a start that the caller has subtracted. */
  time: 'microseconds' | 'seconds';
  format: NumberFormat;
}

type Put = (view: DataView, at: number, count: number) => number;

const LINE_FEED = 10;

export class SampleRows {
  readonly #separator: number;
  readonly #time: { put(view: DataView, at: number, us: number): number };
  readonly #puts: Put[];
  readonly #rowBytes: number;
  #view = new DataView(new ArrayBuffer(0));

  constructor(channel: SignalChannel, { separator, time, format }: RowStyle) {
    this.#separator = separator.charCodeAt(0);
    this.#time = time === 'seconds' ? new SecondsText() : new IntegerText();
    this.#puts = channel.dimensions.map((_, dimension) => putterOf(channel, dimension, format));
    this.#rowBytes = (1 + channel.dimensions.length) * NUMBER_BYTES;
  }

  /** Returns rows `from` to `to - 1` of a page; the bytes are the caller's. */
  rows(times: Float64Array, columns: readonly SampleArray[], from: number, to: number): Uint8Array {
    const room = (to - from) * this.#rowBytes + COPIED_BEYOND_END;
    if (this.#view.byteLength < room) this.#view = new DataView(new ArrayBuffer(room));
    const view = this.#view;
    const puts = this.#puts;
    const separator = this.#separator;
    let at = 0;
    for (let i = from; i < to; i++) {
      at = this.#time.put(view, at, times[i]!);
      view.setUint8(at++, separator);
      for (let d = 0; d < puts.length; d++) {
        at = puts[d]!(view, at, columns[d]![i]!);
        view.setUint8(at - 1, separator);
      }
      view.setUint8(at - 1, LINE_FEED);
    }
    return new Uint8Array(view.buffer, 0, at).slice();
  }
}

/** Writes a value and one further byte, which the row's separator replaces. */
function putterOf(channel: SignalChannel, dimension: number, format: NumberFormat): Put {
  if (channel.sampleBits === 16) {
    const texts = textsOf(channel, dimension, format);
    return (view, at, count) => texts.put(view, at, count);
  }
  const toValue = valueOfCount(channel, dimension);
  return (view, at, count) => writeText(view, at, format(toValue(count))) + 1;
}
