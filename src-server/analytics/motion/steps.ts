/**
 * Step detection: within a segment of gait rhythm, each step is the strongest peak of the magnitude about one step period after
 * the previous one. The rhythm decides how many steps there are (windowed autocorrelation, the best family of methods in the
 * comparison of Brajdic and Harle 2013, UbiComp, at every phone placement), the peaks when they occur. At the edges of a walk,
 * where the rhythm's window covers only half a walk, peaks that resemble its steps are added.
 */
import type { BodySite } from '../types.ts';
import { GRID_HZ } from './resample-page.ts';
import type { RhythmColumns } from './rhythm.ts';
import { STEP_SETTINGS, type StepSettings } from './settings.ts';

/** From 150 steps/min gait is running, which is never gentle: faster rhythms with less movement are hands and vehicles. */
const SHORTEST_GENTLE_STEP_SECONDS = 0.4;
const GENTLE_TRUNK_G = 0.45;
const GENTLE_LIMB_G = 0.7;
/** A second or two of rhythm occurs by chance; a bout of walking has at least three steps. */
const SHORTEST_BOUT_SECONDS = 3;
/** A walk can extend beyond its rhythmic segment by half of the rhythm's window and a little more. */
const LONGEST_EDGE_SECONDS = 4;

/**
 * Appends the step times (seconds from the start of the segment) of the gapless run [start, stop).
 *
 * @param firstCell cells of the segment before those given; steps are placed in cells of the segment, so that rounding does not
 *   depend on how it was cut
 */
export function findSteps(
  magnitude: Float32Array,
  start: number,
  stop: number,
  rhythm: RhythmColumns,
  deviation: Float32Array,
  site: BodySite,
  into: number[],
  settings: StepSettings = STEP_SETTINGS,
  firstCell = 0,
): void {
  const lastSecond = Math.ceil(stop / GRID_HZ);
  const gentle = site === 'chest' || site === 'back' ? GENTLE_TRUNK_G : GENTLE_LIMB_G;
  const isRhythmic = (second: number): boolean =>
    second < lastSecond &&
    rhythm.stepPeriod[second]! > 0 &&
    rhythm.strideRhythm[second]! >= settings.leastStrideRhythm &&
    deviation[second]! >= settings.leastDeviationG &&
    (rhythm.stepPeriod[second]! >= SHORTEST_GENTLE_STEP_SECONDS || deviation[second]! >= gentle);
  let second = Math.floor(start / GRID_HZ);
  let free = start;
  while (second < lastSecond) {
    if (!isRhythmic(second)) {
      second++;
      continue;
    }
    let end = second + 1;
    while (isRhythmic(end)) end++;
    if (end - second >= SHORTEST_BOUT_SECONDS) {
      let next = end;
      while (next < lastSecond && !isRhythmic(next)) next++;
      const bout = new Bout(
        magnitude,
        firstCell,
        firstCell + Math.max(start, second * GRID_HZ),
        firstCell + Math.min(stop, end * GRID_HZ),
        rhythm,
        settings,
      );
      bout.walk();
      const reach = LONGEST_EDGE_SECONDS * GRID_HZ;
      bout.extendBack(firstCell + Math.max(free, second * GRID_HZ - reach));
      bout.extendForward(firstCell + Math.min(stop, next * GRID_HZ, end * GRID_HZ + reach));
      for (const cell of bout.steps) into.push(cell / GRID_HZ);
      free = Math.max(free, bout.steps[bout.steps.length - 1]! + Math.round(bout.period / 2) - firstCell);
    }
    second = end;
  }
}

/** One bout of gait rhythm and its steps, as cells of the segment in ascending order. */
class Bout {
  steps: number[] = [];
  /** Last step period used, in cells. */
  period = 0;
  readonly #magnitude: Float32Array;
  readonly #firstCell: number;
  readonly #start: number;
  readonly #stop: number;
  readonly #rhythm: RhythmColumns;
  readonly #settings: StepSettings;

  constructor(
    magnitude: Float32Array,
    firstCell: number,
    start: number,
    stop: number,
    rhythm: RhythmColumns,
    settings: StepSettings,
  ) {
    this.#firstCell = firstCell;
    this.#settings = settings;
    this.#magnitude = magnitude;
    this.#start = start;
    this.#stop = stop;
    this.#rhythm = rhythm;
  }

  /** Follows the rhythm from its first to its last second. */
  walk(): void {
    let period = this.#periodAt(this.#start);
    let at = this.#peak(this.#start, Math.min(this.#stop, this.#start + Math.round(period)), -1, period);
    this.steps.push(at);
    for (;;) {
      period = this.#periodAt(Math.min(this.#stop - 1, Math.round(at + period)));
      if (at + period > this.#stop) break;
      const from = Math.round(at + (1 - this.#settings.tolerance) * period);
      const to = Math.min(this.#stop, Math.round(at + (1 + this.#settings.tolerance) * period) + 1);
      at = this.#peak(from, to, at + period, period);
      this.steps.push(at);
    }
    this.period = period;
  }

  /** Adds the steps after the rhythmic segment, up to cell `limit`. */
  extendForward(limit: number): void {
    const least = this.#settings.edgeStepShare * this.#medianSize();
    let at = this.steps[this.steps.length - 1]!;
    for (;;) {
      const from = Math.round(at + (1 - this.#settings.tolerance) * this.period);
      const to = Math.round(at + (1 + this.#settings.tolerance) * this.period) + 1;
      if (to > limit) return;
      const next = this.#peak(from, to, at + this.period, this.period);
      if (this.#size(at, next) < least) return;
      this.steps.push(next);
      at = next;
    }
  }

  /** Adds the steps before the rhythmic segment, down to cell `limit`. */
  extendBack(limit: number): void {
    const least = this.#settings.edgeStepShare * this.#medianSize();
    const period = this.#periodAt(this.#start);
    let at = this.steps[0]!;
    for (;;) {
      const from = Math.round(at - (1 + this.#settings.tolerance) * period);
      const to = Math.round(at - (1 - this.#settings.tolerance) * period) + 1;
      if (from < limit) return;
      const before = this.#peak(from, to, at - period, period);
      if (this.#size(at, before) < least) return;
      this.steps.unshift(before);
      at = before;
    }
  }

  #periodAt(cell: number): number {
    return this.#rhythm.stepPeriod[Math.floor((cell - this.#firstCell) / GRID_HZ)]! * GRID_HZ;
  }

  /** Moving mean over 0.17 s, which leaves one hump per step. */
  #smooth(cell: number): number {
    const magnitude = this.#magnitude;
    const last = magnitude.length - 1;
    let sum = 0;
    const middle = cell - this.#firstCell;
    for (let i = middle - 2; i <= middle + 2; i++) sum += magnitude[i < 0 ? 0 : Math.min(i, last)]!;
    return sum / 5;
  }

  /** Cell of the best peak in [from, to): height minus a penalty for the distance to the expected cell (-1: no penalty). */
  #peak(from: number, to: number, expected: number, period: number): number {
    const { offBeatCostG } = this.#settings;
    let best = from;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (let cell = from; cell < to; cell++) {
      const off = expected < 0 ? 0 : (cell - expected) / period;
      const value = this.#smooth(cell) - offBeatCostG * off * off;
      if (value > bestValue) {
        bestValue = value;
        best = cell;
      }
    }
    return best;
  }

  /** Height of the peak at `to` above the lowest cell between it and its neighbour. */
  #size(neighbour: number, to: number): number {
    let low = Number.POSITIVE_INFINITY;
    for (let cell = Math.min(neighbour, to); cell <= Math.max(neighbour, to); cell++)
      low = Math.min(low, this.#smooth(cell));
    return this.#smooth(to) - low;
  }

  /** Median height of the steps so far. */
  #medianSize(): number {
    const sizes = this.steps.slice(1).map((step, i) => this.#size(this.steps[i]!, step));
    sizes.sort((a, b) => a - b);
    return sizes[sizes.length >> 1] ?? Number.POSITIVE_INFINITY;
  }
}
