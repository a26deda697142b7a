import type { SignalChunk } from '../analytics/types.ts';
import { evenBeats, seededRandom, syntheticEcgChunk } from './synthetic-ecg.ts';

/** A segment of an ECG in counts, by sample index. */
export type Wave = (index: number) => number;

function gaussian(seed: number): () => number {
  const random = seededRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Ventricular flutter: a wave near a sine with a weak second harmonic, whose rate wanders by 5 %, in light noise. */
export function flutterWave(perMinute: number, rateHz: number, seed = 1): Wave {
  const normal = gaussian(seed);
  let phase = 0;
  return (i) => {
    phase += ((2 * Math.PI * perMinute) / 60 / rateHz) * (1 + 0.05 * Math.sin(i / rateHz));
    return 900 * Math.sin(phase) + 200 * Math.sin(2 * phase + 1) + 30 * normal();
  };
}

/** Ventricular fibrillation: noise of 1.3 Hz about a centre of 3.5 to 8 Hz, so rate and height wander (Clayton et al. 1995). */
export function fibrillationWave(centreHz: number, rateHz: number, seed = 1): Wave {
  const normal = gaussian(seed);
  const pole = Math.exp((-Math.PI * 1.3) / rateHz);
  const turn = 2 * pole * Math.cos((2 * Math.PI * centreHz) / rateHz);
  const gain = 700 * Math.sqrt(1 - pole * pole);
  let last = 0;
  let beforeLast = 0;
  return () => {
    const value = turn * last - pole * pole * beforeLast + gain * normal();
    beforeLast = last;
    last = value;
    return value;
  };
}

/** Sinus rhythm of 75 beats/min with `wave` instead of beats in [fromSecond, toSecond). */
export function interruptedEcg(
  wave: Wave,
  { seconds, rateHz, fromSecond, toSecond }: { seconds: number; rateHz: number; fromSecond: number; toSecond: number },
): { chunk: SignalChunk; beats: number[] } {
  const beats = evenBeats(seconds, 0.8).filter((at) => at < fromSecond - 0.3 || at > toSecond + 0.3);
  const chunk = syntheticEcgChunk({ beats, seconds, rateHz });
  const column = Int16Array.from(chunk.columns[0]!, (value, i) => {
    const isWave = i >= fromSecond * rateHz && i < toSecond * rateHz;
    return isWave ? Math.max(-32768, Math.min(32767, Math.round(value + wave(i)))) : value;
  });
  return { chunk: { ...chunk, columns: [column] }, beats };
}
