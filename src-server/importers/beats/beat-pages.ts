/**
 * Pages of beat intervals (recording-format.md, section 11): inside a page each beat follows the one before by its own interval, and
 * a page ends where beats are missing.
 */
import type { SignalChannel, SignalMark, SignalPage } from '../../signals/types.ts';
import type { GapReason } from '../../vocabulary/coverage.ts';

const PAGE_US = 60_000_000;
/** Behind a gap a beat is missing: no heart beats faster than this. */
const LEAST_GAP_US = 250_000;
const MOST_COUNT = 32_767;

/** Intervals between R waves, in steps of `stepSeconds`. */
export const rrChannel = (stepSeconds: number): SignalChannel => ({
  type: 'RR',
  dimensions: ['rr'],
  unit: 's',
  nominalRateHz: 1,
  scale: [stepSeconds],
  offset: [0],
  sampleBits: 16,
});

/** Intervals between pulse waves, with the device's estimate of their error, in milliseconds. */
export const ppiChannel = (): SignalChannel => ({
  type: 'PPI',
  dimensions: ['ppi', 'error'],
  unit: 's',
  nominalRateHz: 1,
  scale: [0.001, 0.001],
  offset: [0, 0],
  sampleBits: 16,
});

/** Whether the format can hold an interval. */
export const isStorable = (count: number): boolean => count >= 1 && count <= MOST_COUNT;

export class BeatPages {
  readonly #channel: number;
  readonly #stepUs: number;
  readonly #marks: SignalMark[];
  #timesUs: number[] = [];
  #counts: number[][] = [];
  /** Unrounded time of the last beat. */
  #lastUs: number | null = null;
  #isInRun = false;

  /** @param marks receives why beats are missing, at the last beat before each gap */
  constructor(channel: number, stepSeconds: number, marks: SignalMark[]) {
    this.#channel = channel;
    this.#stepUs = stepSeconds * 1e6;
    this.#marks = marks;
  }

  /** When the interval that follows begins; null before an anchor is known. */
  get beginUs(): number | null {
    return this.#isInRun ? this.#lastUs : null;
  }

  /** Ends the run: the next beat needs a new anchor. */
  *breakRun(reason: GapReason): Generator<SignalPage> {
    if (!this.#isInRun) return;
    this.#isInRun = false;
    this.#marks.push({ channel: this.#channel, timeUs: Math.round(this.#lastUs!), reason });
    yield* this.flush();
  }

  /** Begins a run with an interval that begins at a time; never before what is stored. */
  anchor(beginUs: number): void {
    this.#lastUs = this.#lastUs === null ? beginUs : Math.max(beginUs, this.#lastUs + LEAST_GAP_US);
    this.#isInRun = true;
  }

  /** Adds the beat that ends the next interval. @param counts the interval first, each storable */
  *add(counts: readonly number[]): Generator<SignalPage> {
    this.#lastUs = this.#lastUs! + counts[0]! * this.#stepUs;
    this.#timesUs.push(Math.round(this.#lastUs));
    this.#counts.push([...counts]);
    if (this.#lastUs - this.#timesUs[0]! >= PAGE_US) yield* this.flush();
  }

  *flush(): Generator<SignalPage> {
    const count = this.#timesUs.length;
    if (count === 0) return;
    const startUs = this.#timesUs[0]!;
    const lastUs = this.#timesUs[count - 1]!;
    const periodUs = count > 1 ? (lastUs - startUs) / (count - 1) : this.#counts[0]![0]! * this.#stepUs;
    yield {
      channel: this.#channel,
      startUs,
      periodUs,
      count,
      columns: this.#counts[0]!.map((_, d) => Int16Array.from(this.#counts, (counts) => counts[d]!)),
      timeResidualsUs: Int32Array.from(this.#timesUs, (us, i) => us - Math.round(startUs + i * periodUs)),
    };
    this.#timesUs = [];
    this.#counts = [];
  }
}
