/**
 * Atrial fibrillation from beat intervals and P waves: for research, never a diagnosis. Owns the state of each second of a span.
 *
 * The definition (Hindricks et al., Eur Heart J 2021;42:373): intervals that are irregular without a pattern, and no P waves that repeat,
 * for 30 s or more. Intervals without a pattern: the coefficient of sample entropy (COSEn; Lake and Moorman, Am J Physiol Heart Circ
 * Physiol 2011;300:H319), and a change from each to the next beyond sinus rhythm (Dash et al., Ann Biomed Eng 2009;37:1701). P waves: see
 * heart/p-waves.ts. What neither rules out nor shows atrial fibrillation is undecided, as is time with too few clean intervals.
 *
 * Atrial flutter with constant conduction is regular and hence no atrial fibrillation here; with changing conduction it has neither
 * regular intervals nor P waves in front of the beats, and counts.
 */
import { BEAT_P_ABSENT, BEAT_P_PRESENT } from '../heart/beats.ts';
import type { IntervalSeries } from '../hrv/index.ts';
import { prematureByPause } from '../intervals/sinus-rhythm.ts';
import { HEART_SOURCES } from '../types.ts';
import { AF_SETTINGS, AF_STATES, type AfSettings } from './settings.ts';

const NONE = AF_STATES.indexOf('NONE');
const AF = AF_STATES.indexOf('AF');
const UNDECIDED = AF_STATES.indexOf('UNDECIDED');
const ECG = HEART_SOURCES.indexOf('ECG');
const PPI = HEART_SOURCES.indexOf('PPI');

/** Intervals that are judged together: some 25 s, near the 30 s of the definition. */
const WINDOW = 30;
/** Intervals that take the state of the window around them. */
const HOP = 5;
/** A longer break between clean intervals begins another stretch: a third of the definition's 30 s. */
const BREAK_US = 10_000_000;
/** Clean intervals must cover this part of their window, or the rest hides the rhythm. */
const CLEAN_PART = 0.5;

/** Changes that a median needs: as those of variability (heart/rhythm.ts). */
const LEAST_CHANGES = 10;
/** As Lake and Moorman: the tolerance grows from 30 ms until there are five matches. */
const LEAST_TOLERANCE_MS = 30;
const LEAST_MATCHES = 5;

/** Intervals of a series that are judged together. */
interface Clean {
  /** Places in the series. */
  rows: number[];
  isEcg: boolean;
}

/**
 * COSEn of a series of intervals with m = 1: sample entropy at the least tolerance from 30 ms with five matches, as a density, less the
 * logarithm of the mean interval.
 *
 * @param isNext 1 where an interval follows the one before without a break; no pair reaches over a break
 * @returns nats; NaN where the intervals do not carry five matches
 */
export function coefficientOfSampleEntropy(intervalMs: ArrayLike<number>, isNext: ArrayLike<number>): number {
  const starts: number[] = [];
  let sum = 0;
  for (let i = 0; i < intervalMs.length; i++) {
    sum += intervalMs[i]!;
    if (i + 1 < intervalMs.length && isNext[i + 1]) starts.push(i);
  }
  // The five smallest distances of pairs of two, ascending: the last is the tolerance that gives five matches.
  const smallest = new Array<number>(LEAST_MATCHES).fill(Number.POSITIVE_INFINITY);
  for (const [n, a] of starts.entries()) {
    for (let m = n + 1; m < starts.length; m++) {
      const b = starts[m]!;
      const distance = Math.max(
        Math.abs(intervalMs[a]! - intervalMs[b]!),
        Math.abs(intervalMs[a + 1]! - intervalMs[b + 1]!),
      );
      if (distance >= smallest[LEAST_MATCHES - 1]!) continue;
      let at = LEAST_MATCHES - 1;
      for (; at > 0 && smallest[at - 1]! > distance; at--) smallest[at] = smallest[at - 1]!;
      smallest[at] = distance;
    }
  }
  const tolerance = Math.max(LEAST_TOLERANCE_MS, smallest[LEAST_MATCHES - 1]!);
  if (!Number.isFinite(tolerance)) return Number.NaN;
  let alike = 0;
  let stayAlike = 0;
  for (const [n, a] of starts.entries()) {
    for (let m = n + 1; m < starts.length; m++) {
      const b = starts[m]!;
      if (Math.abs(intervalMs[a]! - intervalMs[b]!) > tolerance) continue;
      alike++;
      if (Math.abs(intervalMs[a + 1]! - intervalMs[b + 1]!) <= tolerance) stayAlike++;
    }
  }
  return Math.log(alike / stayAlike) + Math.log(2 * tolerance) - Math.log(sum / intervalMs.length);
}

/** Median change from each interval to the next, as a part of their mean. */
function medianChange(intervalMs: readonly number[], isNext: readonly number[]): number {
  const changes: number[] = [];
  let sum = 0;
  for (const [i, ms] of intervalMs.entries()) {
    sum += ms;
    if (i > 0 && isNext[i]) changes.push(Math.abs(ms - intervalMs[i - 1]!));
  }
  changes.sort((a, b) => a - b);
  return changes.length >= LEAST_CHANGES ? (changes[changes.length >> 1]! * intervalMs.length) / sum : Number.NaN;
}

/** How irregular intervals are: 0 as in sinus rhythm, 1 between the thresholds, 2 as in atrial fibrillation; NaN with too few. */
function irregularity(
  intervalMs: readonly number[],
  isNext: readonly number[],
  { cosen, change, steadyChange }: AfSettings,
): number {
  const median = medianChange(intervalMs, isNext);
  if (Number.isNaN(median)) return Number.NaN;
  if (median < steadyChange) return 0;
  const entropy = coefficientOfSampleEntropy(intervalMs, isNext);
  if (entropy < cosen) return 0;
  return median < change || Number.isNaN(entropy) ? 1 : 2;
}

/** The state that a window of clean intervals shows; 0 where they are too few for the rhythm to show. */
function stateOf(series: IntervalSeries, rows: readonly number[], isEcg: boolean, settings: AfSettings): number {
  const { endUs, intervalMs, follows, pWave } = series;
  const p = pWave[rows[rows.length >> 1]!];
  if (isEcg && p === BEAT_P_PRESENT) return NONE;
  const values = rows.map((row) => intervalMs[row]!);
  const cover = values.reduce((sum, ms) => sum + 1000 * ms, 0);
  if (cover < CLEAN_PART * (endUs[rows.at(-1)!]! - endUs[rows[0]!]! + 1000 * values[0]!)) return 0;
  const isNext = rows.map((row, i) => (i > 0 && rows[i - 1] === row - 1 && follows[row] ? 1 : 0));
  const all = irregularity(values, isNext, settings);
  if (Number.isNaN(all)) return 0;
  if (all === 0) return NONE;
  if (isEcg) return all === 2 && p === BEAT_P_ABSENT ? AF : UNDECIDED;
  const without = irregularityWithoutEarly(values, isNext, settings);
  if (without === 0) return all === 2 ? UNDECIDED : NONE;
  return all === 2 && without === 2 ? AF : UNDECIDED;
}

/** Without an ECG, early beats in sinus rhythm must not make the difference: their intervals and the pauses after them left out. */
function irregularityWithoutEarly(
  intervalMs: readonly number[],
  isNext: readonly number[],
  settings: AfSettings,
): number {
  const early = prematureByPause(intervalMs);
  const kept: number[] = [];
  const isKeptNext: number[] = [];
  let isBroken = true;
  for (const [i, ms] of intervalMs.entries()) {
    const isLeftOut = early[i] === 1 || early[i - 1] === 1;
    if (!isLeftOut) {
      kept.push(ms);
      isKeptNext.push(isBroken ? 0 : isNext[i]!);
    }
    isBroken = isLeftOut;
  }
  return irregularity(kept, isKeptNext, settings);
}

/** Stretches of clean intervals without a long break. Pulse intervals are in none. */
function cleanStretches({ endUs, intervalMs, normal, source }: IntervalSeries): Clean[] {
  const found: Clean[] = [];
  let current: Clean | undefined;
  let lastUs = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < endUs.length; row++) {
    const isEcg = source[row] === ECG;
    // Of an ECG, shape and timing show ectopic beats. Without one, the irregularity itself would take the intervals out.
    if (source[row] === PPI || (isEcg && !normal[row])) continue;
    if (!current || current.isEcg !== isEcg || endUs[row]! - 1000 * intervalMs[row]! - lastUs > BREAK_US) {
      current = { rows: [], isEcg };
      found.push(current);
    }
    current.rows.push(row);
    lastUs = endUs[row]!;
  }
  return found;
}

/**
 * Returns the state of each second of a span, a code of AF_STATES: 0 where no interval between heartbeats lies.
 */
export function atrialFibrillationSeconds(
  series: IntervalSeries,
  startSecond: number,
  count: number,
  settings: AfSettings = AF_SETTINGS,
): Uint8Array {
  const { endUs, intervalMs, source, pWave } = series;
  const states = new Uint8Array(count);
  const ofEcg = new Uint8Array(count);
  const fill = (fromUs: number, toUs: number, state: number, into = states): void => {
    const first = Math.max(0, Math.floor(fromUs / 1e6) - startSecond);
    const last = Math.min(count - 1, Math.floor(toUs / 1e6) - startSecond);
    if (last >= first) into.fill(state, first, last + 1);
  };
  // P waves that repeat rule it out, however few intervals are clean.
  for (let row = 0; row < endUs.length; row++) {
    if (source[row] === PPI) continue;
    const state = pWave[row] === BEAT_P_PRESENT ? NONE : UNDECIDED;
    const startUs = endUs[row]! - 1000 * intervalMs[row]!;
    fill(startUs, endUs[row]!, state);
    if (source[row] === ECG) fill(startUs, endUs[row]!, 1, ofEcg);
  }
  for (const { rows, isEcg } of cleanStretches(series)) {
    if (rows.length < WINDOW) continue;
    const hops = Math.floor(rows.length / HOP);
    for (let hop = 0; hop < hops; hop++) {
      const from = hop * HOP;
      const to = hop === hops - 1 ? rows.length : from + HOP;
      const first = Math.min(rows.length - WINDOW, Math.max(0, from + ((HOP - WINDOW) >> 1)));
      const state = stateOf(series, rows.slice(first, first + WINDOW), isEcg, settings);
      if (state === 0) continue;
      const begin = rows[from]!;
      const startUs = from > 0 ? endUs[rows[from - 1]!]! : endUs[begin]! - 1000 * intervalMs[begin]!;
      fill(startUs, endUs[rows[to - 1]!]!, state);
    }
  }
  joinEpisodes(states, ofEcg, settings.leastSeconds);
  return states;
}

/**
 * Makes what is undecided for less than an episode within atrial fibrillation part of it, and shorter atrial fibrillation undecided. From
 * intervals alone nothing is joined: there, frequent ectopic beats waver between the two.
 */
function joinEpisodes(states: Uint8Array, ofEcg: Uint8Array, leastSeconds: number): void {
  const change = (from: number, to: number, isMeant: (first: number, stop: number) => boolean): void => {
    for (let first = 0; first < states.length; ) {
      let stop = first + 1;
      while (stop < states.length && states[stop] === states[first]) stop++;
      if (states[first] === from && stop - first < leastSeconds && isMeant(first, stop)) states.fill(to, first, stop);
      first = stop;
    }
  };
  const isWithin = (first: number, stop: number): boolean =>
    states[first - 1] === AF && states[stop] === AF && !ofEcg.subarray(first, stop).includes(0);
  change(UNDECIDED, AF, isWithin);
  change(AF, UNDECIDED, () => true);
}
