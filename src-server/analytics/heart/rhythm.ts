import { medianInPlace, OrderedWindow } from '../median.ts';
import { HEART_SETTINGS, type HeartSettings } from './settings.ts';

/** A stretch of beats in time order, as the rhythm rules see them. */
export interface BeatRow {
  /** R-peak times, epoch microseconds, increasing. */
  timesUs: ArrayLike<number>;
  /** 1 where no interval ends at this beat: the signal broke before it. */
  afterGap: ArrayLike<number>;
  /** 1 where the shape already tells that the beat is not one of the sinus node. */
  strange: ArrayLike<number>;
}

/** Beats on either side that make the local rhythm: 91 in all (Lipponen and Tarvainen 2019). */
const REACH = 45;
/** Beats on either side that make the usual interval. */
const NEAR = 8;
/** Changes that must be known to tell what stands out. */
const MIN_CHANGES = 10;
const MIN_INTERVALS = 3;
/** Where too few changes are known, one of this part of the usual interval stands out (Malik 1989: 20 %). */
const DEFAULT_CHANGE = 0.2;
/** The pause after such a beat is longer than its interval by this part of the usual one. */
const PAUSE_PART = 0.4;
/** A run of extra beats lasts less than half a minute (a longer one is a rhythm of its own) and is this much faster. */
const RUN_US = 30_000_000;
const RUN_PART = 0.85;
/** Three extra beats in a row are a tachycardia, which by its definition is faster than 100 beats/min. */
const TACHYCARDIA_US = 600_000;
/**
 * Of a slow rhythm (below 50 beats/min) the interval that halves it, to at most 80 beats/min, is no early beat: every second
 * beat was blocked before, and one came through.
 */
const CONDUCTED_US = 750_000;
const CONDUCTED_PARTS: readonly [number, number] = [1.6, 2.2];
/**
 * In bigeminy and after couplets every usual interval is spoilt, so nothing is left to stand out from; the pattern tells:
 * early beats and a pause come this often alike. Intervals of atrial fibrillation do not repeat themselves.
 */
const PATTERN_CYCLES = 2;
/**
 * In trigeminy and quadrigeminy one or two sinus beats precede the early one, so the cycle is asked for once more: chance
 * repeats a shape with a usual interval in it more easily.
 */
const SINUS_CYCLES = 3;
/** Bigeminy, couplets, trigeminy and quadrigeminy: sinus beats and early beats of a cycle, and how often it must come. */
const PATTERNS: readonly { sinus: number; early: number; cycles: number }[] = [
  { sinus: 0, early: 1, cycles: PATTERN_CYCLES },
  { sinus: 0, early: 2, cycles: PATTERN_CYCLES },
  { sinus: 1, early: 1, cycles: SINUS_CYCLES },
  { sinus: 2, early: 1, cycles: SINUS_CYCLES },
];
/** Intervals of a couplet differ by less than this part. */
const COUPLET_ALIKE = 0.25;
/** Marks settle within a few passes. */
const PASSES = 4;
/** A pause this many usual intervals long is one only where a beat within it could not have been overlooked. */
const PAUSE_INTERVALS = 1.5;
/** Quality (see BlockBeats) from which no beat is overlooked. */
const CLEAR_QUALITY = 50;

/**
 * Marks extra beats by time: an interval much shorter than the usual one which is followed by a pause, or which begins a
 * run that ends by an equal step, or which is part of a pattern that repeats. What is much follows from the spread of the changes around (Lipponen and Tarvainen, J
 * Med Eng Technol 2019;43:173), so that nothing is marked in atrial fibrillation, where every interval is its own.
 *
 * @returns 1 for every extra beat, those of strange shape among them
 */
export function extraBeats(row: BeatRow, settings: HeartSettings = HEART_SETTINGS): Uint8Array {
  const n = row.timesUs.length;
  const extra = Uint8Array.from(row.strange);
  const interval = new Float64Array(n).fill(Number.NaN);
  for (let i = 1; i < n; i++) if (!row.afterGap[i]) interval[i] = row.timesUs[i]! - row.timesUs[i - 1]!;
  for (const i of patternedExtras(interval, extra, settings)) extra[i] = 1;
  const rhythm = new Rhythm(interval, extra, settings.outstanding);
  // What one pass finds no longer widens the spread for the next.
  for (let pass = 0; pass < PASSES; pass++) {
    const marked = extrasOf(row, interval, extra, rhythm, settings);
    if (marked.length === 0) break;
    for (const i of marked) extra[i] = 1;
    rhythm.update(marked);
  }
  return extra;
}

/** Extra beats that the rhythm as known so far shows, ascending. */
function extrasOf(
  row: BeatRow,
  interval: Float64Array,
  extra: Uint8Array,
  rhythm: Rhythm,
  { prematurePart, halved, leadPart }: HeartSettings,
): number[] {
  const n = interval.length;
  const { usual, limits } = rhythm;
  const marked: number[] = [];
  for (let i = 1; i < n; i++) {
    if (extra[i] || extra[i - 1] || !(interval[i]! > 0) || !(usual[i]! > 0)) continue;
    const own = interval[i]!;
    const before = i > 1 && !extra[i - 2]! && interval[i - 1]! > 0 ? Math.min(interval[i - 1]!, usual[i]!) : usual[i]!;
    const lead = before - own;
    const after = i + 1 < n ? interval[i + 1]! : Number.NaN;
    const pause = after - own;
    if (lead < prematurePart * before) continue;
    const long = i > 1 && !extra[i - 2]! && interval[i - 1]! > 0 ? Math.max(interval[i - 1]!, usual[i]!) : usual[i]!;
    const far = own < halved * long && pause > PAUSE_PART * long;
    const wasBlocked = long > CONDUCTED_PARTS[0] * own && long < CONDUCTED_PARTS[1] * own;
    if (own >= CONDUCTED_US && wasBlocked) continue;
    if ((lead > leadPart * limits[i]! && pause > limits[i]! && lead + pause > 2 * limits[i]!) || far) marked.push(i);
    else if (lead > limits[i]! && own < RUN_PART * usual[i]! && own < TACHYCARDIA_US) {
      const stop = runStop(row, interval, i, limits[i]!, before);
      for (let k = i; k < stop; k++) marked.push(k);
      if (stop > i) i = stop;
    }
  }
  return marked;
}

/** Beats that end the short intervals of a repeated pattern of sinus beats, early beats and a pause. */
function patternedExtras(interval: Float64Array, strange: Uint8Array, settings: HeartSettings): number[] {
  const marked: number[] = [];
  for (const { sinus, early, cycles } of PATTERNS) {
    const beats = sinus + early + 1;
    let first = 1;
    while (first + beats <= interval.length) {
      let stop = first;
      while (
        isCycle(interval, strange, stop, sinus, early, settings) &&
        (stop === first || isRepeated(interval, stop, beats, settings))
      )
        stop += beats;
      if (stop - first < cycles * beats) {
        first++;
        continue;
      }
      for (let cycle = first; cycle < stop; cycle += beats) {
        for (let i = cycle + sinus; i < cycle + sinus + early; i++) marked.push(i);
      }
      first = stop;
    }
  }
  return marked;
}

/** Whether intervals from `first` are `sinus` usual ones, then `early` short ones of one length, then a pause. */
function isCycle(
  interval: Float64Array,
  strange: Uint8Array,
  first: number,
  sinus: number,
  early: number,
  { patternPause }: HeartSettings,
): boolean {
  const last = first + sinus + early;
  if (last >= interval.length) return false;
  for (let i = first; i <= last; i++) if (strange[i] || !(interval[i]! > 0)) return false;
  let shortest = Infinity;
  let longest = 0;
  for (let i = first + sinus; i < last; i++) {
    shortest = Math.min(shortest, interval[i]!);
    longest = Math.max(longest, interval[i]!);
  }
  if (longest >= CONDUCTED_US || longest - shortest > COUPLET_ALIKE * longest) return false;
  for (let i = first; i < first + sinus; i++) {
    if (longest > RUN_PART * interval[i]! || interval[i]! > RUN_PART * interval[last]!) return false;
  }
  return interval[last]! > patternPause * longest;
}

/** Whether every interval of the cycle from `first` is like its counterpart in the cycle before. */
function isRepeated(interval: Float64Array, first: number, beats: number, { patternAlike }: HeartSettings): boolean {
  for (let i = first; i < first + beats; i++) {
    const before = interval[i - beats]!;
    if (Math.abs(interval[i]! - before) > patternAlike * before) return false;
  }
  return true;
}

/**
 * Marks intervals that may hold an overlooked beat: half as long again as usual, at the edge of noise.
 *
 * @param quality of each beat, 0..100
 * @returns 1 where the interval that ends at the beat is not to be used
 */
export function doubtfulPauses(row: BeatRow, quality: ArrayLike<number>): Uint8Array {
  const n = row.timesUs.length;
  const doubtful = new Uint8Array(n);
  const near = new Float64Array(2 * NEAR + 1);
  for (let i = 1; i < n; i++) {
    if (row.afterGap[i] || Math.min(quality[i]!, quality[i - 1]!) >= CLEAR_QUALITY) continue;
    let used = 0;
    for (let k = Math.max(1, i - NEAR); k <= Math.min(n - 1, i + NEAR); k++) {
      if (k !== i && !row.afterGap[k]) near[used++] = row.timesUs[k]! - row.timesUs[k - 1]!;
    }
    if (used === 0 || row.timesUs[i]! - row.timesUs[i - 1]! > PAUSE_INTERVALS * medianInPlace(near, used))
      doubtful[i] = 1;
  }
  return doubtful;
}

/** One past the last beat of a run that begins at `first`, or `first` when nothing ends it. */
function runStop(row: BeatRow, interval: Float64Array, first: number, limit: number, before: number): number {
  for (let k = first + 1; k < interval.length; k++) {
    if (!(interval[k]! > 0) || row.timesUs[k]! - row.timesUs[first]! > RUN_US) return first;
    if (interval[k]! - interval[k - 1]! > limit && interval[k]! > RUN_PART * before) return k;
    if (interval[k]! > RUN_PART * before) return first;
  }
  return first;
}

/** The usual interval and the outstanding change around each beat, as far as the extra beats are known. */
class Rhythm {
  /** Median interval of the sinus beats around each beat. */
  readonly usual: Float64Array;
  /** The change of interval that stands out around each beat. */
  readonly limits: Float64Array;
  readonly #interval: Float64Array;
  readonly #extra: Uint8Array;
  /** Intervals of the sinus node: an extra beat and the pause after it make two. */
  readonly #sinus: Float64Array;
  readonly #change: Float64Array;
  readonly #outstanding: number;

  constructor(interval: Float64Array, extra: Uint8Array, outstanding: number) {
    this.#outstanding = outstanding;
    const n = interval.length;
    this.usual = new Float64Array(n).fill(Number.NaN);
    this.limits = new Float64Array(n);
    this.#interval = interval;
    this.#extra = extra;
    this.#sinus = new Float64Array(n).fill(Number.NaN);
    this.#change = new Float64Array(n).fill(Number.NaN);
    this.#describe(0, n);
    this.#judge(0, n);
  }

  /** Takes newly found extra beats (ascending) into account: only what lies near them changes. */
  update(marked: readonly number[]): void {
    const n = this.usual.length;
    for (let m = 0; m < marked.length; ) {
      const from = marked[m]!;
      let last = from;
      while (m < marked.length && marked[m]! - last <= 2 * REACH) last = marked[m++]!;
      this.#describe(from, Math.min(n, last + 3));
      this.#judge(Math.max(0, from - REACH), Math.min(n, last + 3 + REACH));
    }
  }

  #describe(from: number, to: number): void {
    const interval = this.#interval;
    const extra = this.#extra;
    for (let i = Math.max(1, from); i < to; i++) {
      let sinus = Number.NaN;
      if (!extra[i]) {
        if (!extra[i - 1]) sinus = interval[i]!;
        else if (i > 1 && !extra[i - 2]) sinus = (interval[i]! + interval[i - 1]!) / 2;
      }
      this.#sinus[i] = sinus;
      const known = i > 1 && !extra[i] && !extra[i - 1] && !extra[i - 2];
      this.#change[i] = known ? Math.abs(interval[i]! - interval[i - 1]!) : Number.NaN;
    }
  }

  #judge(from: number, to: number): void {
    const { usual, limits } = this;
    const sinus = this.#sinus;
    const change = this.#change;
    const near = new OrderedWindow(2 * NEAR + 1);
    const around = new OrderedWindow(2 * REACH + 1);
    for (let i = from - NEAR; i < from + NEAR; i++) near.replace(Number.NaN, valueAt(sinus, i));
    for (let i = from - REACH; i < from + REACH; i++) around.replace(Number.NaN, valueAt(change, i));
    for (let i = from; i < to; i++) {
      near.replace(i > from ? valueAt(sinus, i - NEAR - 1) : Number.NaN, valueAt(sinus, i + NEAR));
      around.replace(i > from ? valueAt(change, i - REACH - 1) : Number.NaN, valueAt(change, i + REACH));
      usual[i] = near.count - (sinus[i]! >= 0 ? 1 : 0) >= MIN_INTERVALS ? near.medianWithout(sinus[i]!) : Number.NaN;
      limits[i] = around.count >= MIN_CHANGES ? this.#outstanding * around.median() : DEFAULT_CHANGE * usual[i]!;
    }
  }
}

/** NaN outside the array. */
const valueAt = (values: Float64Array, i: number): number => (i >= 0 && i < values.length ? values[i]! : Number.NaN);
