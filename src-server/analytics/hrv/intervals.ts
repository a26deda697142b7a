/** Beat intervals of a span from the ECG with the best signal of each minute. */
import { BEAT_AFTER_GAP, BEAT_ARTEFACT, BEAT_KIND_MASK, BEAT_NORMAL } from '../heart/beats.ts';
import { lowerBound } from '../lower-bound.ts';
import type { EcgFeatures } from '../types.ts';

/** One row per beat interval, in time order. */
export interface IntervalSeries {
  /** Time of the beat that ends the interval, epoch microseconds. */
  endUs: Float64Array;
  intervalMs: Float64Array;
  /** 1 when both beats are normal (NN interval), so fit for variability. */
  normal: Uint8Array;
  /** 1 when the interval begins where the one before ends. */
  follows: Uint8Array;
  /** Amplitude of the beat that ends the interval, volts. */
  amplitudeV: Float32Array;
}

/** A ventricle beats at most 240 times a minute; a pause of over 4 s cannot be distinguished from missed beats. */
const SHORTEST_MS = 250;
const LONGEST_MS = 4000;

/**
 * Returns the beat intervals of the span. Intervals with an artefact at either end, over a gap, or outside 250 to 4000 ms are
 * excluded, never interpolated.
 *
 * @param startSecond first second of the span, epoch seconds
 * @param count seconds in the span
 */
export function intervalsOf(ecg: EcgFeatures[], startSecond: number, count: number): IntervalSeries {
  const best = bestSensorByMinute(ecg, startSecond, count);
  const fromUs = startSecond * 1e6;
  const rows: Rows = { sensor: [], beat: [] };
  for (let s = 0; s < ecg.length; s++) {
    const { timesUs, kinds } = ecg[s]!.beats;
    for (let i = Math.max(1, lowerBound(timesUs, fromUs)); i < timesUs.length; i++) {
      const second = Math.floor(timesUs[i]! / 1e6) - startSecond;
      if (second >= count) break;
      if (best[Math.floor(second / 60)] !== s || kinds[i]! & BEAT_AFTER_GAP) continue;
      if ((kinds[i]! & BEAT_KIND_MASK) === BEAT_ARTEFACT || (kinds[i - 1]! & BEAT_KIND_MASK) === BEAT_ARTEFACT)
        continue;
      const ms = (timesUs[i]! - timesUs[i - 1]!) / 1000;
      if (ms < SHORTEST_MS || ms > LONGEST_MS) continue;
      rows.sensor.push(s);
      rows.beat.push(i);
    }
  }
  const { sensor, beat } = ecg.length > 1 ? inOrderOfTime(rows, ecg) : rows;
  const n = beat.length;
  const series: IntervalSeries = {
    endUs: new Float64Array(n),
    intervalMs: new Float64Array(n),
    normal: new Uint8Array(n),
    follows: new Uint8Array(n),
    amplitudeV: new Float32Array(n),
  };
  for (let r = 0; r < n; r++) {
    const i = beat[r]!;
    const { timesUs, kinds, amplitudesV } = ecg[sensor[r]!]!.beats;
    series.endUs[r] = timesUs[i]!;
    series.intervalMs[r] = (timesUs[i]! - timesUs[i - 1]!) / 1000;
    if ((kinds[i]! & BEAT_KIND_MASK) === BEAT_NORMAL && (kinds[i - 1]! & BEAT_KIND_MASK) === BEAT_NORMAL)
      series.normal[r] = 1;
    if (r > 0 && sensor[r - 1] === sensor[r] && beat[r - 1] === i - 1) series.follows[r] = 1;
    series.amplitudeV[r] = amplitudesV[i]!;
  }
  return series;
}

/** Sensor, and beat that ends the interval. */
interface Rows {
  sensor: number[];
  beat: number[];
}

function inOrderOfTime(rows: Rows, ecg: EcgFeatures[]): Rows {
  const timeOf = (r: number): number => ecg[rows.sensor[r]!]!.beats.timesUs[rows.beat[r]!]!;
  const order = rows.beat
    .map((_beat, r) => r)
    .sort((a, b) => timeOf(a) - timeOf(b) || rows.sensor[a]! - rows.sensor[b]!);
  return { sensor: order.map((r) => rows.sensor[r]!), beat: order.map((r) => rows.beat[r]!) };
}

/** Index of the sensor with the best signal in each minute of the span; of equals the first; -1 for none. */
function bestSensorByMinute(ecg: EcgFeatures[], startSecond: number, count: number): Int32Array {
  const minutes = Math.ceil(count / 60);
  const best = new Int32Array(minutes).fill(-1);
  const score = new Float64Array(minutes).fill(-1);
  for (let s = 0; s < ecg.length; s++) {
    const { seconds } = ecg[s]!;
    const { quality, contact } = seconds.columns;
    const own = new Float64Array(minutes).fill(-1);
    const from = Math.max(0, startSecond - seconds.startSecond);
    const to = Math.min(seconds.count, startSecond + count - seconds.startSecond);
    for (let i = from; i < to; i++) {
      const minute = Math.floor((seconds.startSecond + i - startSecond) / 60);
      own[minute] = Math.max(0, own[minute]!) + quality[i]! + contact[i]!;
    }
    for (let m = 0; m < minutes; m++) {
      if (own[m]! > score[m]!) {
        score[m] = own[m]!;
        best[m] = s;
      }
    }
  }
  return best;
}
