import type { SignalChunk, SignalInput } from '../analytics/types.ts';

export interface SyntheticEcg {
  /** R times, seconds from the start, ascending. */
  beats: number[];
  seconds: number;
  rateHz: number;
  startUs?: number;
  /** Counts of a normal R wave; negative for an upside-down sensor. */
  gain?: number;
  offset?: number;
  /** SD of white noise as a part of the R wave. */
  noise?: number;
  /** Indices of beats of ventricular origin: wide, of the other polarity. */
  ventricular?: number[];
  /** Height of beat i as a part of the R wave. */
  height?: (index: number) => number;
  /** Height of the P waves as a part of the R wave, 0.1 by default. */
  pWave?: number;
  seed?: number;
}

/** A small deterministic generator (mulberry32), so that a failing test repeats. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** One chunk of Gaussian P, QRS and T waves at the given beats. */
export function syntheticEcgChunk(options: SyntheticEcg): SignalChunk {
  const {
    beats,
    seconds,
    rateHz,
    startUs = 0,
    gain = 1000,
    offset = 0,
    noise = 0.02,
    height = () => 1,
    pWave = 0.1,
  } = options;
  const ventricular = new Set(options.ventricular ?? []);
  const count = Math.round(seconds * rateHz);
  const wave = new Float64Array(count);
  const add = (centre: number, width: number, size: number): void => {
    const from = Math.max(0, Math.floor((centre - 5 * width) * rateHz));
    const to = Math.min(count - 1, Math.ceil((centre + 5 * width) * rateHz));
    for (let i = from; i <= to; i++) wave[i]! += size * Math.exp(-0.5 * ((i / rateHz - centre) / width) ** 2);
  };
  beats.forEach((at, i) => {
    const size = height(i);
    if (ventricular.has(i)) {
      add(at, 0.03, -1.4 * size);
      add(at + 0.28, 0.06, 0.4 * size);
      return;
    }
    add(at - 0.16, 0.025, pWave * size);
    add(at - 0.024, 0.008, -0.15 * size);
    add(at, 0.011, size);
    add(at + 0.026, 0.009, -0.25 * size);
    add(at + 0.25, 0.045, 0.3 * size);
  });
  const random = seededRandom(options.seed ?? 1);
  const column = new Int16Array(count);
  for (let i = 0; i < count; i++) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    column[i] = Math.max(-32768, Math.min(32767, Math.round(offset + gain * (wave[i]! + noise * normal))));
  }
  return { startUs, periodUs: 1e6 / rateHz, count, columns: [column] };
}

/** Chunks as an ECG channel of the chest, a microvolt per count. */
export function ecgSignal(chunks: SignalChunk[], scale = 1e-6): SignalInput {
  return { type: 'ECG', location: 'MEDIAL_CHEST', scale: [scale], offset: [0], nominalRateHz: 250, chunks };
}

/** Beats every `interval` seconds from 0.6 s on, changed by `shift(time)`. */
export function evenBeats(seconds: number, interval: number, shift: (time: number) => number = () => 0): number[] {
  const beats: number[] = [];
  for (let t = 0.6; t < seconds - 0.5; t += interval + shift(t)) beats.push(t);
  return beats;
}
