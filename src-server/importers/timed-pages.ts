/**
 * Builds pages from samples with individual time stamps.
 *
 * Rows are collected for up to a minute, cut where time jumps by more than one and a half periods, and yielded as pages with a
 * measured period and residuals that preserve every stamp exactly. The period is a local median, since sensor clocks are up
 * to 2 % off nominal and single stamps jitter by up to 1.2 periods without a gap.
 */
import type { SampleArray, SignalPage } from '../signals/types.ts';

const PAGE_US = 60_000_000;
const MAX_ROWS = 1 << 17;
/** Steps per local median: half a second of 125 Hz, yet enough that a few jumps do not move it. */
const MEDIAN_STEPS = 64;
const GAP_PERIODS = 1.5;
/** So many even steps in a row are a period of their own, and no jitter. */
const STEPS_OF_PERIOD = 64;
const SAME_STEP = 0.02;

/** Median of the values; sorts its argument. 0 when there are none. */
export function medianInPlace(values: Float64Array): number {
  if (values.length === 0) return 0;
  values.sort();
  return values[values.length >> 1]!;
}

export class TimedPageBuilder {
  readonly #channel: number;
  readonly #sampleBits: 16 | 32;
  readonly #columns: Int32Array[];
  #times = new Float64Array(4096);
  #rows = 0;
  #lastPeriodUs: number;
  readonly #pageUs: number;
  readonly #splitsAtNewStep: boolean;

  /**
   * @param pageUs longer than a minute for signals with few samples in it
   * @param splitsAtNewStep ends a page where the step between samples changes permanently, so that its period is true throughout
   */
  constructor(
    channel: number,
    dimensions: number,
    sampleBits: 16 | 32,
    nominalPeriodUs: number,
    pageUs = PAGE_US,
    splitsAtNewStep = false,
  ) {
    this.#pageUs = pageUs;
    this.#splitsAtNewStep = splitsAtNewStep;
    this.#channel = channel;
    this.#sampleBits = sampleBits;
    this.#lastPeriodUs = nominalPeriodUs;
    this.#columns = Array.from({ length: dimensions }, () => new Int32Array(4096));
  }

  /** Adds rows (times in microseconds, one count array per dimension) and yields the pages that became full. */
  *push(times: Float64Array, columns: Int32Array[], count: number): Generator<SignalPage> {
    let taken = 0;
    while (taken < count) {
      const firstUs = this.#rows > 0 ? this.#times[0]! : times[taken]!;
      let stop = taken;
      const limit = Math.min(count, taken + MAX_ROWS - this.#rows);
      while (stop < limit && times[stop]! - firstUs < this.#pageUs) stop++;
      this.#append(times, columns, taken, stop);
      taken = stop;
      if (taken < count) yield* this.flush();
    }
  }

  #append(times: Float64Array, columns: Int32Array[], start: number, stop: number): void {
    const needed = this.#rows + stop - start;
    if (needed > this.#times.length) this.#grow(needed);
    this.#times.set(times.subarray(start, stop), this.#rows);
    for (let d = 0; d < columns.length; d++) this.#columns[d]!.set(columns[d]!.subarray(start, stop), this.#rows);
    this.#rows = needed;
  }

  #grow(needed: number): void {
    const capacity = Math.max(needed, this.#times.length * 2);
    const times = new Float64Array(capacity);
    times.set(this.#times);
    this.#times = times;
    for (let d = 0; d < this.#columns.length; d++) {
      const column = new Int32Array(capacity);
      column.set(this.#columns[d]!);
      this.#columns[d] = column;
    }
  }

  /** Yields the collected rows; also called at the end. */
  *flush(): Generator<SignalPage> {
    const rows = this.#rows;
    this.#rows = 0;
    let start = 0;
    const newSteps = this.#splitsAtNewStep ? this.#newSteps(rows) : null;
    for (let block = 0; block < rows; block += MEDIAN_STEPS) {
      const blockStop = Math.min(rows, block + MEDIAN_STEPS);
      const periodUs = this.#localPeriodUs(block, blockStop, rows);
      for (let i = Math.max(block, 1); i < blockStop; i++) {
        const stepUs = this.#times[i]! - this.#times[i - 1]!;
        if (stepUs > GAP_PERIODS * periodUs || newSteps?.has(i)) {
          yield this.#page(start, i, periodUs);
          start = i;
        }
      }
      this.#lastPeriodUs = periodUs;
    }
    if (start < rows) yield this.#page(start, rows, this.#lastPeriodUs);
  }

  /** Rows with which a long run of even steps begins that differ from those of the run before. */
  #newSteps(rows: number): Set<number> {
    const found = new Set<number>();
    let knownUs = Number.NaN;
    let row = 1;
    while (row < rows) {
      const from = row;
      const stepUs = this.#times[row]! - this.#times[row - 1]!;
      for (row++; row < rows; row++) {
        if (Math.abs(this.#times[row]! - this.#times[row - 1]! - stepUs) > SAME_STEP * stepUs) break;
      }
      if (row - from < STEPS_OF_PERIOD) continue;
      if (Math.abs(stepUs - knownUs) > SAME_STEP * knownUs) found.add(from);
      knownUs = stepUs;
    }
    return found;
  }

  #localPeriodUs(block: number, blockStop: number, rows: number): number {
    const from = Math.max(1, blockStop === rows ? rows - MEDIAN_STEPS : block);
    const steps = new Float64Array(Math.max(0, blockStop - from));
    for (let i = from; i < blockStop; i++) steps[i - from] = this.#times[i]! - this.#times[i - 1]!;
    return steps.length < 3 ? this.#lastPeriodUs : medianInPlace(steps) || this.#lastPeriodUs;
  }

  #page(start: number, stop: number, localPeriodUs: number): SignalPage {
    const count = stop - start;
    const startUs = this.#times[start]!;
    const periodUs = count > 1 ? (this.#times[stop - 1]! - startUs) / (count - 1) : localPeriodUs;
    const page: SignalPage = { channel: this.#channel, startUs, periodUs, count, columns: [] };
    for (const column of this.#columns) {
      const part = column.subarray(start, stop);
      page.columns.push(this.#sampleBits === 16 ? Int16Array.from(part) : part.slice());
    }
    const residuals = new Int32Array(count);
    let exact = true;
    for (let i = 0; i < count; i++) {
      const residual = this.#times[start + i]! - Math.round(startUs + i * periodUs);
      residuals[i] = residual;
      if (residual !== 0) exact = false;
    }
    if (!exact) page.timeResidualsUs = residuals;
    return page;
  }
}

/**
 * A page of evenly spaced samples; counts are copied into the narrowest array the channel allows. `Int16Array.from` would take ten
 * times as long as the constructor.
 */
export function evenPage(
  channel: number,
  startUs: number,
  periodUs: number,
  columns: Int32Array[],
  sampleBits: 16 | 32,
): SignalPage {
  const copied: SampleArray[] = columns.map((column) => (sampleBits === 16 ? new Int16Array(column) : column.slice()));
  return { channel, startUs, periodUs, count: columns[0]!.length, columns: copied };
}
