/** Beat intervals of a span, minute by minute from the sensor that shows the heart best: an ECG before reported intervals. */
import {
  BEAT_AFTER_GAP,
  BEAT_ARTEFACT,
  BEAT_FAR_SHAPE,
  BEAT_KIND_MASK,
  BEAT_NORMAL,
  BEAT_P_MASK,
  BEAT_SUPRAVENTRICULAR,
  BEAT_VENTRICULAR,
} from '../heart/beats.ts';
import { lowerBound } from '../lower-bound.ts';
import { HEART_SOURCES, type HeartFeatures } from '../types.ts';

/** One row per beat interval, in time order. */
export interface IntervalSeries {
  /** Time of the beat that ends the interval, epoch microseconds. */
  endUs: Float64Array;
  intervalMs: Float64Array;
  /** 1 when both beats are normal heartbeats (NN interval), so fit for variability. */
  normal: Uint8Array;
  /** 1 when the interval begins where the one before ends. */
  follows: Uint8Array;
  /** Amplitude of the beat that ends the interval, volts; NaN without an ECG. */
  amplitudeV: Float32Array;
  /** What the interval comes from: code of HEART_SOURCES. */
  source: Uint8Array;
  /** Ends of the intervals between beats that are no part of the series: artefacts at either end, or an impossible length. */
  rejectedUs: Float64Array;
  /** P waves before the beat that ends the interval: bits of BEAT_P_MASK, 0 where unknown. */
  pWave: Uint8Array;
  /** Ventricular ectopic beats, ascending, whether or not an interval ends at them; those that only their shape shows, again. */
  ventricularUs: Float64Array;
  ventricularByShapeUs: Float64Array;
  /** Supraventricular ectopic beats, ascending; 1 for one that follows another without a beat between. */
  supraventricularUs: Float64Array;
  supraventricularNext: Uint8Array;
  /** Intervals of an ECG between two clear beats that are long enough to be a pause, even too long to be part of the series. */
  pauseUs: Float64Array;
  pauseMs: Float64Array;
}

/** A ventricle beats at most 240 times a minute; a pause of over 4 s cannot be distinguished from missed beats. */
const SHORTEST_MS = 250;
const LONGEST_MS = 4000;
/** Candidates for pauses; over a longer one, that an ECG shows nothing means a lead that is off. */
const LEAST_PAUSE_MS = 1500;
const LONGEST_PAUSE_MS = 15_000;
/** Seconds of a minute with a heartbeat from which a kind of sensor is used although a lesser kind shows more. */
const ENOUGH_SECONDS = 30;

const sourceOf = (heart: HeartFeatures): number => HEART_SOURCES.indexOf(heart.kind === 'ecg' ? 'ECG' : heart.source);

/** Length of the interval that ends at a beat, as reported or by the times. */
function lengthMs({ timesUs, intervalsMs }: HeartFeatures['beats'], i: number): number {
  return intervalsMs ? intervalsMs[i]! : (timesUs[i]! - timesUs[i - 1]!) / 1000;
}

/**
 * Returns the beat intervals of the span. Intervals with an artefact at either end, over a gap, or outside 250 to 4000 ms are
 * excluded, never interpolated. No pulse interval is normal: its variability is not that of the heart.
 *
 * @param startSecond first second of the span, epoch seconds
 * @param count seconds in the span
 */
export function intervalsOf(hearts: HeartFeatures[], startSecond: number, count: number): IntervalSeries {
  const best = bestSensorByMinute(hearts, startSecond, count);
  const fromUs = startSecond * 1e6;
  const spans = hearts.map(({ beats: { timesUs } }) => ({
    from: Math.max(1, lowerBound(timesUs, fromUs)),
    to: lowerBound(timesUs, (startSecond + count) * 1e6),
  }));
  const most = spans.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
  const sensors = new Int32Array(most);
  const ends = new Int32Array(most);
  let held = 0;
  const rejected: number[] = [];
  const ventricular: number[] = [];
  const byShape: number[] = [];
  const supraventricular: [number, number][] = [];
  const pauses: [number, number][] = [];
  for (let s = 0; s < hearts.length; s++) {
    const { beats } = hearts[s]!;
    const { timesUs, kinds } = beats;
    const { from, to } = spans[s]!;
    for (let i = from; i < to; i++) {
      const second = Math.floor(timesUs[i]! / 1e6) - startSecond;
      if (best[Math.floor(second / 60)] !== s) continue;
      if (kinds[i]! & BEAT_VENTRICULAR) ventricular.push(timesUs[i]!);
      if (kinds[i]! & BEAT_VENTRICULAR && kinds[i]! & BEAT_FAR_SHAPE) byShape.push(timesUs[i]!);
      if (kinds[i]! & BEAT_SUPRAVENTRICULAR) {
        const isNext = kinds[i - 1]! & BEAT_SUPRAVENTRICULAR && !(kinds[i]! & BEAT_AFTER_GAP);
        supraventricular.push([timesUs[i]!, isNext ? 1 : 0]);
      }
      if (kinds[i]! & BEAT_AFTER_GAP) {
        // Reported, but of a beat missed: left out.
        if (beats.intervalsMs && !Number.isNaN(beats.intervalsMs[i]!)) rejected.push(timesUs[i]!);
        continue;
      }
      const ms = lengthMs(beats, i);
      const isBetweenArtefacts =
        (kinds[i]! & BEAT_KIND_MASK) === BEAT_ARTEFACT || (kinds[i - 1]! & BEAT_KIND_MASK) === BEAT_ARTEFACT;
      if (!beats.intervalsMs && !isBetweenArtefacts && ms >= LEAST_PAUSE_MS && ms <= LONGEST_PAUSE_MS)
        pauses.push([timesUs[i]!, ms]);
      // `!(>=)`: a beat that ends no reported interval has none.
      if (isBetweenArtefacts || !(ms >= SHORTEST_MS) || ms > LONGEST_MS) {
        rejected.push(timesUs[i]!);
        continue;
      }
      sensors[held] = s;
      ends[held++] = i;
    }
  }
  const rows: Rows = { sensor: sensors.subarray(0, held), beat: ends.subarray(0, held) };
  const { sensor, beat } = hearts.length > 1 ? inOrderOfTime(rows, hearts) : rows;
  const n = beat.length;
  if (hearts.length > 1) {
    pauses.sort(([a], [b]) => a - b);
    supraventricular.sort(([a], [b]) => a - b);
  }
  const series: IntervalSeries = {
    endUs: new Float64Array(n),
    intervalMs: new Float64Array(n),
    normal: new Uint8Array(n),
    follows: new Uint8Array(n),
    amplitudeV: new Float32Array(n),
    source: new Uint8Array(n),
    rejectedUs: Float64Array.from(rejected).sort(),
    pWave: new Uint8Array(n),
    ventricularUs: Float64Array.from(ventricular).sort(),
    ventricularByShapeUs: Float64Array.from(byShape).sort(),
    supraventricularUs: Float64Array.from(supraventricular, ([us]) => us),
    supraventricularNext: Uint8Array.from(supraventricular, ([, isNext]) => isNext),
    pauseUs: Float64Array.from(pauses, ([us]) => us),
    pauseMs: Float64Array.from(pauses, ([, ms]) => ms),
  };
  const sources = hearts.map(sourceOf);
  for (let r = 0; r < n; r++) {
    const i = beat[r]!;
    const { beats } = hearts[sensor[r]!]!;
    const { timesUs, kinds, amplitudesV } = beats;
    const source = sources[sensor[r]!]!;
    series.endUs[r] = timesUs[i]!;
    series.intervalMs[r] = lengthMs(beats, i);
    series.source[r] = source;
    const isNormal = (kinds[i]! & BEAT_KIND_MASK) === BEAT_NORMAL && (kinds[i - 1]! & BEAT_KIND_MASK) === BEAT_NORMAL;
    if (isNormal && HEART_SOURCES[source] !== 'PPI') series.normal[r] = 1;
    if (r > 0 && sensor[r - 1] === sensor[r] && beat[r - 1] === i - 1) series.follows[r] = 1;
    series.amplitudeV[r] = amplitudesV[i]!;
    series.pWave[r] = kinds[i]! & BEAT_P_MASK;
  }
  return series;
}

/** Sensor, and beat that ends the interval. */
interface Rows {
  sensor: Int32Array;
  beat: Int32Array;
}

function inOrderOfTime(rows: Rows, hearts: HeartFeatures[]): Rows {
  const timeOf = (r: number): number => hearts[rows.sensor[r]!]!.beats.timesUs[rows.beat[r]!]!;
  const order = Array.from(rows.beat, (_beat, r) => r).sort(
    (a, b) => timeOf(a) - timeOf(b) || rows.sensor[a]! - rows.sensor[b]!,
  );
  return { sensor: Int32Array.from(order, (r) => rows.sensor[r]!), beat: Int32Array.from(order, (r) => rows.beat[r]!) };
}

/** The best sensor of one kind in each minute: -1 for none, and its seconds with a heartbeat. */
interface BestOfKind {
  sensor: Int32Array;
  seconds: Uint8Array;
}

/** Index of the sensor with the best signal of a kind in each minute of the span; of equals the first. */
function bestOfKind(hearts: HeartFeatures[], kind: number, startSecond: number, count: number): BestOfKind {
  const minutes = Math.ceil(count / 60);
  const sensor = new Int32Array(minutes).fill(-1);
  const shown = new Uint8Array(minutes);
  const score = new Float64Array(minutes).fill(-1);
  for (let s = 0; s < hearts.length; s++) {
    if (sourceOf(hearts[s]!) !== kind) continue;
    const { seconds } = hearts[s]!;
    const { quality, contact } = seconds.columns;
    const own = new Float64Array(minutes).fill(-1);
    const ownShown = new Uint8Array(minutes);
    const from = Math.max(0, startSecond - seconds.startSecond);
    const to = Math.min(seconds.count, startSecond + count - seconds.startSecond);
    for (let i = from; i < to; i++) {
      const minute = Math.floor((seconds.startSecond + i - startSecond) / 60);
      own[minute] = Math.max(0, own[minute]!) + quality[i]! + contact[i]!;
      if (quality[i]! > 0) ownShown[minute]!++;
    }
    for (let m = 0; m < minutes; m++) {
      if (own[m]! > score[m]!) {
        score[m] = own[m]!;
        sensor[m] = s;
        shown[m] = ownShown[m]!;
      }
    }
  }
  return { sensor, seconds: shown };
}

/**
 * Index of the sensor that each minute of the span uses; -1 for none. An ECG is used where it shows a heartbeat in half of the
 * minute, else RR intervals that do, else pulse intervals that do; where none does, the one that shows most.
 */
function bestSensorByMinute(hearts: HeartFeatures[], startSecond: number, count: number): Int32Array {
  const kinds = [...new Set(hearts.map(sourceOf))].sort((a, b) => a - b);
  const found = kinds.map((kind) => bestOfKind(hearts, kind, startSecond, count));
  const best = found[0]?.sensor ?? new Int32Array(Math.ceil(count / 60)).fill(-1);
  for (let m = 0; m < best.length && found.length > 1; m++) {
    const known = found.filter(({ sensor }) => sensor[m]! >= 0);
    const most = Math.max(...known.map(({ seconds }) => seconds[m]!));
    const used = known.find(({ seconds }) => seconds[m]! >= Math.min(ENOUGH_SECONDS, most));
    best[m] = used?.sensor[m] ?? -1;
  }
  // A person who corrects beats has chosen their sensor.
  for (const [s, { chosen = [] }] of hearts.entries()) {
    for (const { startSecond: from, stopSecond: to } of chosen) {
      const first = Math.max(0, Math.floor((from - startSecond) / 60));
      for (let m = first; m < best.length && m * 60 + startSecond < to; m++) best[m] = s;
    }
  }
  return best;
}
