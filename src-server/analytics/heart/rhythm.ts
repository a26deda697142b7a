/**
 * Rhythm rules: ectopic beats by their timing (Lipponen and Tarvainen 2019, with additions for bigeminy and its like), and
 * intervals that may span a missed beat.
 */
import { medianInPlace, OrderedWindow } from '../median.ts';
import { HEART_SETTINGS, type HeartSettings } from './settings.ts';

/** Beats in time order, without artefacts. */
export interface BeatRow {
  /** R-peak times, epoch microseconds, increasing. */
  timesUs: ArrayLike<number>;
  /** 1 where a gap precedes the beat, so no interval ends at it. */
  afterGap: ArrayLike<number>;
  /** 1 where the QRS shape already shows that the beat is ectopic. */
  ectopicShape: ArrayLike<number>;
  /** 1 where no P waves repeat before the beats around. Absent without an ECG. */
  pAbsent?: ArrayLike<number>;
}

/** Beats on either side whose interval changes give the local threshold: 91 in all (Lipponen and Tarvainen 2019). */
const REACH = 45;
/** Beats on either side whose sinus intervals give the local median. */
const NEAR = 8;
/** Least number of known changes for a threshold, and of known intervals for a median. */
const MIN_CHANGES = 10;
const MIN_INTERVALS = 3;
/** Threshold where too few changes are known, as a part of the median interval (Malik 1989: 20 %). */
const DEFAULT_CHANGE = 0.2;
/** The pause after a very premature beat exceeds its interval by this part of the median one. */
const PAUSE_PART = 0.4;
/** A run of ectopic beats lasts less than half a minute (a longer one is a rhythm of its own) and is this much faster. */
const RUN_US = 30_000_000;
const RUN_PART = 0.85;
/**
 * Least beats of a run, and the median change of the intervals, as a part of one, up to which a rhythm is steady: an RMSSD of a tenth of
 * the interval, above which it may be atrial fibrillation (Dash et al. 2009), as the median of normal values.
 */
const LEAST_RUN = 3;
const STEADY_PART = 0.067;
/** An interpolated beat and the sinus beat after it come within this many sinus intervals. */
const INTERPOLATED_PART = 1.2;
/** Three ectopic beats in a row are a tachycardia, which by definition is faster than 100 beats/min. */
const TACHYCARDIA_US = 600_000;
/**
 * In a slow rhythm (below 50 beats/min) an interval of half the length, at most 80 beats/min, is not premature: 2:1 block
 * suppressed every second beat before, and one was conducted.
 */
const CONDUCTED_US = 750_000;
const CONDUCTED_PARTS: readonly [number, number] = [1.6, 2.2];
/**
 * Bigeminy and couplets leave no sinus interval to compare with, so they are recognised by repetition: premature beats and a
 * pause that recur this often. Intervals of atrial fibrillation do not repeat.
 */
const PATTERN_CYCLES = 2;
/**
 * Trigeminy and quadrigeminy have one or two sinus beats before the premature one; such a cycle repeats by chance more easily,
 * so one more repetition is required.
 */
const SINUS_CYCLES = 3;
/** Bigeminy, couplets, trigeminy and quadrigeminy: sinus and premature beats per cycle, and the cycles required. */
const PATTERNS: readonly { sinus: number; early: number; cycles: number }[] = [
  { sinus: 0, early: 1, cycles: PATTERN_CYCLES },
  { sinus: 0, early: 2, cycles: PATTERN_CYCLES },
  { sinus: 1, early: 1, cycles: SINUS_CYCLES },
  { sinus: 2, early: 1, cycles: SINUS_CYCLES },
];
/** The two intervals of a couplet differ by less than this part. */
const COUPLET_ALIKE = 0.25;
/** The marks converge within a few passes. */
const PASSES = 4;
/** An interval longer than this many median ones is trusted only in a clear signal: elsewhere a beat may have been missed. */
const PAUSE_INTERVALS = 1.5;
/** Quality (see BlockBeats) from which no beat is missed. */
const CLEAR_QUALITY = 50;

/**
 * Marks ectopic beats: an interval much shorter than the median that a pause follows, that begins a run which ends with an equal
 * step, or that is part of a repeating pattern. "Much" is relative to the spread of the interval changes around (Lipponen and
 * Tarvainen, J Med Eng Technol 2019;43:173), so hardly anything is marked in atrial fibrillation, where all intervals vary.
 *
 * @returns 1 for every ectopic beat, including those of ectopic shape
 */
export function ectopicBeats(row: BeatRow, settings: HeartSettings = HEART_SETTINGS): Uint8Array {
  const n = row.timesUs.length;
  const ectopic = Uint8Array.from(row.ectopicShape);
  const interval = new Float64Array(n).fill(Number.NaN);
  for (let i = 1; i < n; i++) if (!row.afterGap[i]) interval[i] = row.timesUs[i]! - row.timesUs[i - 1]!;
  for (const i of patternBeats(interval, ectopic, settings)) ectopic[i] = 1;
  const rhythm = new Rhythm(interval, ectopic, settings.outstanding);
  // Beats found in one pass no longer widen the spread for the next.
  for (let pass = 0; pass < PASSES; pass++) {
    const marked = ectopicsOf(row, interval, ectopic, rhythm, settings);
    if (marked.length === 0) break;
    for (const i of marked) ectopic[i] = 1;
    rhythm.update(marked);
  }
  return ectopic;
}

/** Ectopic beats by the local rhythm as known so far, ascending. */
function ectopicsOf(
  row: BeatRow,
  interval: Float64Array,
  ectopic: Uint8Array,
  rhythm: Rhythm,
  settings: HeartSettings,
): number[] {
  const { prematurePart, halved, leadPart } = settings;
  const n = interval.length;
  const { median, limits } = rhythm;
  const marked: number[] = [];
  for (let i = 1; i < n; i++) {
    if (ectopic[i] || !(interval[i]! > 0) || !(median[i]! > 0)) continue;
    const own = interval[i]!;
    if (ectopic[i - 1]) {
      if (endsCouplet(interval, i, median[i]!, limits[i]!)) marked.push(i);
      continue;
    }
    const before =
      i > 1 && !ectopic[i - 2]! && interval[i - 1]! > 0 ? Math.min(interval[i - 1]!, median[i]!) : median[i]!;
    const lead = before - own;
    const after = i + 1 < n ? interval[i + 1]! : Number.NaN;
    const pause = after - own;
    const runEnd = steadyRunStop(row, interval, ectopic, i, limits[i]! / settings.outstanding, limits[i]!);
    if (runEnd > i) {
      for (let k = i; k < runEnd; k++) marked.push(k);
      i = runEnd;
      continue;
    }
    if (lead < prematurePart * before) continue;
    const long =
      i > 1 && !ectopic[i - 2]! && interval[i - 1]! > 0 ? Math.max(interval[i - 1]!, median[i]!) : median[i]!;
    const isVeryEarly = own < halved * long && pause > PAUSE_PART * long;
    const wasBlocked = long > CONDUCTED_PARTS[0] * own && long < CONDUCTED_PARTS[1] * own;
    if (own >= CONDUCTED_US && wasBlocked) continue;
    if ((lead > leadPart * limits[i]! && pause > limits[i]! && lead + pause > 2 * limits[i]!) || isVeryEarly)
      marked.push(i);
    else if (lead > limits[i]! && own < RUN_PART * median[i]! && own < TACHYCARDIA_US) {
      const stop = runStop(row, interval, i, limits[i]!, before);
      for (let k = i; k < stop; k++) marked.push(k);
      if (stop > i) i = stop;
    }
  }
  return marked;
}

/**
 * One past the last beat of a run that begins with one step out of a steady rhythm; `first` when none does. The intervals before it alone
 * show the sinus rhythm: those of a long run would pass for it. In atrial fibrillation and flutter such steps are chance.
 *
 * @param change median change of the intervals around
 */
function steadyRunStop(
  row: BeatRow,
  interval: Float64Array,
  ectopic: Uint8Array,
  first: number,
  change: number,
  limit: number,
): number {
  const own = interval[first]!;
  if (own >= TACHYCARDIA_US || row.pAbsent?.[first] || !(interval[first - 1]! - own > limit)) return first;
  const known = new Float64Array(NEAR);
  let used = 0;
  for (let i = first - 1; i > Math.max(0, first - 1 - 2 * NEAR) && used < NEAR; i--)
    if (!ectopic[i] && !ectopic[i - 1] && interval[i]! > 0) known[used++] = interval[i]!;
  if (used < MIN_INTERVALS) return first;
  const sinus = medianInPlace(known, used);
  if (change > STEADY_PART * sinus || own > RUN_PART * sinus || sinus - own < limit) return first;
  const stop = runStop(row, interval, first, limit, sinus);
  return stop - first >= LEAST_RUN ? stop : first;
}

/**
 * Whether a beat after an ectopic one is the last of a couplet or run: the node comes back only after a pause, or on time where the
 * ectopic beat was interpolated between two of its own.
 */
function endsCouplet(interval: Float64Array, i: number, median: number, limit: number): boolean {
  const own = interval[i]!;
  const isInterpolated = own + interval[i - 1]! < INTERPOLATED_PART * median;
  return !isInterpolated && own < RUN_PART * median && median - own > limit && interval[i + 1]! - own > limit;
}

/** Beats that end the short intervals of a repeated pattern of sinus beats, premature beats and a pause. */
function patternBeats(interval: Float64Array, ectopic: Uint8Array, settings: HeartSettings): number[] {
  const marked: number[] = [];
  for (const { sinus, early, cycles } of PATTERNS) {
    const beats = sinus + early + 1;
    let first = 1;
    while (first + beats <= interval.length) {
      let stop = first;
      while (
        isCycle(interval, ectopic, stop, sinus, early, settings) &&
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

/** Whether the intervals from `first` are `sinus` sinus ones, then `early` short ones of equal length, then a pause. */
function isCycle(
  interval: Float64Array,
  ectopic: Uint8Array,
  first: number,
  sinus: number,
  early: number,
  { patternPause }: HeartSettings,
): boolean {
  const last = first + sinus + early;
  if (last >= interval.length) return false;
  for (let i = first; i <= last; i++) if (ectopic[i] || !(interval[i]! > 0)) return false;
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

/** Whether every interval of the cycle from `first` resembles its counterpart in the cycle before. */
function isRepeated(interval: Float64Array, first: number, beats: number, { patternAlike }: HeartSettings): boolean {
  for (let i = first; i < first + beats; i++) {
    const before = interval[i - beats]!;
    if (Math.abs(interval[i]! - before) > patternAlike * before) return false;
  }
  return true;
}

/**
 * Marks intervals that may span a missed beat: over one and a half times the local median, next to noise.
 *
 * @param quality of each beat, 0..100
 * @returns 1 where the interval that ends at the beat must not be used
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

/** One past the last beat of a run that begins at `first`; `first` when the run has no end. */
function runStop(row: BeatRow, interval: Float64Array, first: number, limit: number, before: number): number {
  for (let k = first + 1; k < interval.length; k++) {
    if (!(interval[k]! > 0) || row.timesUs[k]! - row.timesUs[first]! > RUN_US) return first;
    if (interval[k]! - interval[k - 1]! > limit && interval[k]! > RUN_PART * before) return k;
    if (interval[k]! > RUN_PART * before) return first;
  }
  return first;
}

/** The median sinus interval and the threshold of interval changes around each beat, given the ectopic beats known so far. */
export class Rhythm {
  /** Median sinus interval around each beat. */
  readonly median: Float64Array;
  /** Threshold of interval changes around each beat. */
  readonly limits: Float64Array;
  readonly #interval: Float64Array;
  readonly #ectopic: Uint8Array;
  /** Sinus intervals; an ectopic beat and the pause after it count as two. */
  readonly #sinus: Float64Array;
  readonly #change: Float64Array;
  readonly #outstanding: number;
  readonly #unknownChange: number;

  /** @param unknownChange threshold where too few changes are known, as a part of the median interval */
  constructor(interval: Float64Array, ectopic: Uint8Array, outstanding: number, unknownChange = DEFAULT_CHANGE) {
    this.#unknownChange = unknownChange;
    this.#outstanding = outstanding;
    const n = interval.length;
    this.median = new Float64Array(n).fill(Number.NaN);
    this.limits = new Float64Array(n);
    this.#interval = interval;
    this.#ectopic = ectopic;
    this.#sinus = new Float64Array(n).fill(Number.NaN);
    this.#change = new Float64Array(n).fill(Number.NaN);
    this.#updateIntervals(0, n);
    this.#updateLimits(0, n);
  }

  /** Recomputes what newly found ectopic beats (ascending) affect. */
  update(marked: readonly number[]): void {
    const n = this.median.length;
    for (let m = 0; m < marked.length; ) {
      const from = marked[m]!;
      let last = from;
      while (m < marked.length && marked[m]! - last <= 2 * REACH) last = marked[m++]!;
      this.#updateIntervals(from, Math.min(n, last + 3));
      this.#updateLimits(Math.max(0, from - REACH), Math.min(n, last + 3 + REACH));
    }
  }

  #updateIntervals(from: number, to: number): void {
    const interval = this.#interval;
    const ectopic = this.#ectopic;
    for (let i = Math.max(1, from); i < to; i++) {
      let sinus = Number.NaN;
      if (!ectopic[i]) {
        if (!ectopic[i - 1]) sinus = interval[i]!;
        else if (i > 1 && !ectopic[i - 2]) sinus = (interval[i]! + interval[i - 1]!) / 2;
      }
      this.#sinus[i] = sinus;
      const known = i > 1 && !ectopic[i] && !ectopic[i - 1] && !ectopic[i - 2];
      this.#change[i] = known ? Math.abs(interval[i]! - interval[i - 1]!) : Number.NaN;
    }
  }

  #updateLimits(from: number, to: number): void {
    const { median, limits } = this;
    const sinus = this.#sinus;
    const change = this.#change;
    const near = new OrderedWindow(2 * NEAR + 1);
    const around = new OrderedWindow(2 * REACH + 1);
    for (let i = from - NEAR; i < from + NEAR; i++) near.replace(Number.NaN, valueAt(sinus, i));
    for (let i = from - REACH; i < from + REACH; i++) around.replace(Number.NaN, valueAt(change, i));
    for (let i = from; i < to; i++) {
      near.replace(i > from ? valueAt(sinus, i - NEAR - 1) : Number.NaN, valueAt(sinus, i + NEAR));
      around.replace(i > from ? valueAt(change, i - REACH - 1) : Number.NaN, valueAt(change, i + REACH));
      median[i] = near.count - (sinus[i]! >= 0 ? 1 : 0) >= MIN_INTERVALS ? near.medianWithout(sinus[i]!) : Number.NaN;
      limits[i] = around.count >= MIN_CHANGES ? this.#outstanding * around.median() : this.#unknownChange * median[i]!;
    }
  }
}

/** NaN outside the array. */
const valueAt = (values: Float64Array, i: number): number => (i >= 0 && i < values.length ? values[i]! : Number.NaN);
