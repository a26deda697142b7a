/** Rhythm per second: ectopic beats, pauses, episodes of slow and fast rate, state of the ECG, and its quality. */
import { DEFAULT_ANALYSIS_PARAMETERS } from '../../vocabulary/analysis-parameters.ts';
import type { IntervalSeries } from '../hrv/index.ts';
import { type EcgFeatures, HEART_SOURCES, type RhythmSeconds } from '../types.ts';
import { atrialFibrillationSeconds } from './atrial-fibrillation.ts';
import { AF_STATES, ECG_STATES, NO_ECG, RATE_EPISODES, RATE_INTERVALS, type RhythmSettings } from './settings.ts';

const BRADYCARDIA = RATE_EPISODES.indexOf('BRADYCARDIA');
const TACHYCARDIA = RATE_EPISODES.indexOf('TACHYCARDIA');
const READABLE = ECG_STATES.indexOf('READABLE');
const UNRESOLVED = ECG_STATES.indexOf('UNRESOLVED');
const UNREADABLE = ECG_STATES.indexOf('UNREADABLE');
const AF = AF_STATES.indexOf('AF');
const ECG = HEART_SOURCES.indexOf('ECG');
/** Early beats in a row from which they are a run. */
const RUN_BEATS = 3;

/**
 * One row per second of a span.
 *
 * @param ecgs the ECGs of the span, with corrections
 * @param startSecond first second of the span, epoch seconds
 * @param unresolved 1 in seconds whose rhythm cannot be resolved into beats
 * @param excluded 1 in seconds whose beats a person excluded
 * @param settings of the study
 */
export function rhythmSeconds(
  series: IntervalSeries,
  ecgs: readonly EcgFeatures[],
  startSecond: number,
  count: number,
  unresolved: Uint8Array,
  excluded?: Uint8Array | undefined,
  settings: RhythmSettings = DEFAULT_ANALYSIS_PARAMETERS.rhythm,
): RhythmSeconds {
  const { pauseUs, pauseMs } = series;
  const columns: RhythmSeconds = {
    quality: new Uint8Array(count).fill(NO_ECG),
    ventricular: new Uint8Array(count),
    supraventricular: new Uint8Array(count),
    supraventricularRuns: new Uint8Array(count),
    pauseMs: new Float32Array(count),
    rateEpisode: rateEpisodes(series, startSecond, count, settings),
    ecgState: new Uint8Array(count),
    afState: atrialFibrillationSeconds(series, startSecond, count),
  };
  const contact = addQuality(columns.quality, ecgs, startSecond, count);
  addStates(columns, contact, unresolved, excluded);
  const rowOf = (us: number): number => Math.floor(us / 1e6) - startSecond;
  // Quality stands for two seconds after a beat: a longer interval between clear beats was read all the same.
  const read = (endUs: number, ms: number): void => {
    const to = Math.min(count - 1, rowOf(endUs));
    for (let i = Math.max(0, rowOf(endUs - 1000 * ms)); i <= to; i++)
      if (columns.ecgState[i]) columns.ecgState[i] = READABLE;
  };
  for (let i = 0; i < series.endUs.length; i++)
    if (series.source[i] === ECG) read(series.endUs[i]!, series.intervalMs[i]!);
  for (let i = 0; i < pauseUs.length; i++) {
    read(pauseUs[i]!, pauseMs[i]!);
    const row = rowOf(pauseUs[i]!);
    if (row >= 0 && row < count && pauseMs[i]! >= 1000 * settings.pauseSeconds) columns.pauseMs[row] = pauseMs[i]!;
  }
  const counted = countedBeats(series, startSecond, columns.afState);
  const add = (column: Uint8Array, times: readonly number[]): void => {
    for (const us of times) {
      const row = rowOf(us);
      if (row >= 0 && row < count) column[row]!++;
    }
  };
  add(columns.ventricular, counted.ventricular);
  add(columns.supraventricular, counted.supraventricular);
  add(columns.supraventricularRuns, counted.supraventricularRuns);
  return columns;
}

/** Times of the ectopic beats that count, and of the first beats of supraventricular runs, epoch microseconds, ascending. */
interface CountedBeats {
  ventricular: number[];
  supraventricular: number[];
  supraventricularRuns: number[];
}

/**
 * The ectopic beats of a span that count. In atrial fibrillation no beat is early, and a bundle branch conducts late after a long interval
 * and a short one (Gouaux and Ashman 1947): there, nothing is supraventricular ectopy, nor ventricular by its shape alone.
 *
 * @param afState of each second of the span, codes of AF_STATES
 */
export function countedBeats(
  { ventricularUs, ventricularByShapeUs, supraventricularUs, supraventricularNext }: IntervalSeries,
  startSecond: number,
  afState: Uint8Array,
): CountedBeats {
  const isAf = (us: number): boolean => afState[Math.floor(us / 1e6) - startSecond] === AF;
  const byShape = new Set(ventricularByShapeUs);
  const found: CountedBeats = {
    ventricular: Array.from(ventricularUs).filter((us) => !(byShape.has(us) && isAf(us))),
    supraventricular: [],
    supraventricularRuns: [],
  };
  let run = 0;
  for (const [i, us] of supraventricularUs.entries()) {
    if (isAf(us)) {
      run = 0;
      continue;
    }
    found.supraventricular.push(us);
    run = supraventricularNext[i] ? run + 1 : 1;
    if (run === RUN_BEATS) found.supraventricularRuns.push(supraventricularUs[i - RUN_BEATS + 1]!);
  }
  return found;
}

function addStates(
  { ecgState, quality }: RhythmSeconds,
  contact: Uint8Array,
  unresolved: Uint8Array,
  excluded?: Uint8Array,
): void {
  for (let i = 0; i < ecgState.length; i++) {
    if (excluded?.[i]) continue;
    if (unresolved[i]) ecgState[i] = UNRESOLVED;
    else if (quality[i] !== NO_ECG && quality[i]! > 0) ecgState[i] = READABLE;
    else if (contact[i]) ecgState[i] = UNREADABLE;
  }
}

/** Quality of the best ECG in each second that is not excluded; returns 1 where one has contact. */
function addQuality(quality: Uint8Array, ecgs: readonly EcgFeatures[], startSecond: number, count: number): Uint8Array {
  const contact = new Uint8Array(count);
  for (const { seconds, excluded = [] } of ecgs) {
    const { quality: ownQuality, contact: ownContact } = seconds.columns;
    const shift = startSecond - seconds.startSecond;
    const to = Math.min(count, seconds.count - shift);
    for (let i = Math.max(0, -shift); i < to; i++) {
      if (
        excluded.length > 0 &&
        excluded.some((span) => startSecond + i >= span.startSecond && startSecond + i < span.stopSecond)
      )
        continue;
      const own = ownQuality[i + shift]!;
      if (quality[i] === NO_ECG || own > quality[i]!) quality[i] = own;
      if (ownContact[i + shift]) contact[i] = 1;
    }
  }
  return contact;
}

/** Seconds in episodes: stretches of successive intervals whose mean over eight stays beyond a threshold for half a minute. */
function rateEpisodes(
  { endUs, intervalMs, follows }: IntervalSeries,
  startSecond: number,
  count: number,
  { bradycardiaBpm, tachycardiaBpm, episodeSeconds }: RhythmSettings,
): Uint8Array {
  const found = new Uint8Array(count);
  const codes = new Uint8Array(endUs.length);
  let run = 0;
  let sum = 0;
  for (let i = 0; i < endUs.length; i++) {
    if (!follows[i]) {
      run = 0;
      sum = 0;
    }
    sum += intervalMs[i]!;
    run++;
    if (run > RATE_INTERVALS) sum -= intervalMs[i - RATE_INTERVALS]!;
    if (run < RATE_INTERVALS) continue;
    const bpm = (60_000 * RATE_INTERVALS) / sum;
    const code = bpm < bradycardiaBpm ? BRADYCARDIA : bpm > tachycardiaBpm ? TACHYCARDIA : 0;
    // Intervals belong to an episode that any eight of them around show.
    if (code > 0) codes.fill(code, i - RATE_INTERVALS + 1, i + 1);
  }
  for (let from = 0; from < codes.length; ) {
    let to = from + 1;
    while (to < codes.length && codes[to] === codes[from] && follows[to]) to++;
    const startUs = endUs[from]! - 1000 * intervalMs[from]!;
    if (codes[from]! > 0 && endUs[to - 1]! - startUs >= episodeSeconds * 1e6) {
      const first = Math.max(0, Math.floor(startUs / 1e6) - startSecond);
      const last = Math.min(count - 1, Math.floor(endUs[to - 1]! / 1e6) - startSecond);
      if (last >= first) found.fill(codes[from]!, first, last + 1);
    }
    from = to;
  }
  return found;
}
