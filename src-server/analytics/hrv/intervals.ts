import { BEAT_AFTER_GAP, BEAT_ARTEFACT, BEAT_KIND_MASK, BEAT_NORMAL } from '../heart/beats.ts';
import type { EcgFeatures } from '../types.ts';

/** The beat intervals of a span, one row per interval, in time order. */
export interface IntervalSeries {
  /** Time of the beat that ends the interval, epoch microseconds. */
  endUs: Float64Array;
  intervalMs: Float64Array;
  /** 1 when both beats are of the sinus node, so fit for variability. */
  normal: Uint8Array;
  /** 1 when the row before ends where this interval begins. */
  follows: Uint8Array;
  /** Amplitude of the beat that ends the interval, volts. */
  amplitudeV: Float32Array;
}

/** A ventricle beats at most 240 times a minute; a pause of over 4 s is no longer told from a missed beat. */
const SHORTEST_MS = 250;
const LONGEST_MS = 4000;

/**
 * Beat intervals of the span from the best ECG of each minute. Intervals with an artefact at either end, over a gap, or
 * outside 250 to 3000 ms are left out, never interpolated.
 *
 * @param startSecond first second of the span, epoch seconds
 * @param count seconds in the span
 */
export function intervalsOf(ecg: EcgFeatures[], startSecond: number, count: number): IntervalSeries {
  const best = bestSensorByMinute(ecg, startSecond, count);
  const end: number[] = [];
  const interval: number[] = [];
  const normal: number[] = [];
  const follows: number[] = [];
  const amplitude: number[] = [];
  const rows: { at: number; sensor: number; beat: number }[] = [];
  for (let s = 0; s < ecg.length; s++) {
    const { timesUs, kinds } = ecg[s].beats;
    for (let i = 1; i < timesUs.length; i++) {
      const second = Math.floor(timesUs[i] / 1e6) - startSecond;
      if (second < 0) continue;
      if (second >= count) break;
      if (best[Math.floor(second / 60)] !== s || kinds[i] & BEAT_AFTER_GAP) continue;
      if ((kinds[i] & BEAT_KIND_MASK) === BEAT_ARTEFACT || (kinds[i - 1] & BEAT_KIND_MASK) === BEAT_ARTEFACT) continue;
      const ms = (timesUs[i] - timesUs[i - 1]) / 1000;
      if (ms < SHORTEST_MS || ms > LONGEST_MS) continue;
      rows.push({ at: timesUs[i], sensor: s, beat: i });
    }
  }
  if (ecg.length > 1) rows.sort((a, b) => a.at - b.at || a.sensor - b.sensor);
  for (let r = 0; r < rows.length; r++) {
    const { at, sensor, beat } = rows[r];
    const { timesUs, kinds, amplitudesV } = ecg[sensor].beats;
    const before = rows[r - 1];
    end.push(at);
    interval.push((at - timesUs[beat - 1]) / 1000);
    const sinus = (kinds[beat] & BEAT_KIND_MASK) === BEAT_NORMAL && (kinds[beat - 1] & BEAT_KIND_MASK) === BEAT_NORMAL;
    normal.push(sinus ? 1 : 0);
    follows.push(before && before.sensor === sensor && before.beat === beat - 1 ? 1 : 0);
    amplitude.push(amplitudesV[beat]);
  }
  const series: IntervalSeries = {
    endUs: Float64Array.from(end),
    intervalMs: Float64Array.from(interval),
    normal: Uint8Array.from(normal),
    follows: Uint8Array.from(follows),
    amplitudeV: Float32Array.from(amplitude),
  };
  return series;
}

/** Index of the sensor with the best signal in each minute of the span; the first of equals; -1 for none. */
function bestSensorByMinute(ecg: EcgFeatures[], startSecond: number, count: number): Int32Array {
  const minutes = Math.ceil(count / 60);
  const best = new Int32Array(minutes).fill(-1);
  const score = new Float64Array(minutes).fill(-1);
  for (let s = 0; s < ecg.length; s++) {
    const { seconds } = ecg[s];
    const { quality, contact } = seconds.columns;
    const own = new Float64Array(minutes).fill(-1);
    const from = Math.max(0, startSecond - seconds.startSecond);
    const to = Math.min(seconds.count, startSecond + count - seconds.startSecond);
    for (let i = from; i < to; i++) {
      const minute = Math.floor((seconds.startSecond + i - startSecond) / 60);
      own[minute] = Math.max(0, own[minute]) + quality[i] + contact[i];
    }
    for (let m = 0; m < minutes; m++) {
      if (own[m] > score[m]) {
        score[m] = own[m];
        best[m] = s;
      }
    }
  }
  return best;
}
