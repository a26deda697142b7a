/** Synthetic noise of the three kinds of the MIT-BIH noise stress test database (Moody 1984), and mains hum. */
import { seededRandom } from '../../src-server/testing/synthetic-ecg.ts';

export const NOISES = ['baseline wander', 'electrode motion', 'muscle'] as const;
export type Noise = (typeof NOISES)[number];

/** Returns noise of unit power. */
function noiseOf(kind: Noise, count: number, rateHz: number, seed: number): Float64Array {
  const random = seededRandom(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const wave = new Float64Array(count);
  if (kind === 'muscle') {
    // Broadband noise above about 10 Hz.
    let slow = 0;
    const keep = Math.exp((-2 * Math.PI * 10) / rateHz);
    for (let i = 0; i < count; i++) {
      const white = normal();
      slow = keep * slow + (1 - keep) * white;
      wave[i] = white - slow;
    }
  } else if (kind === 'baseline wander') {
    // Noise below about 0.3 Hz through two low-pass filters: breathing and slow movement.
    let one = 0;
    let two = 0;
    const keep = Math.exp((-2 * Math.PI * 0.3) / rateHz);
    for (let i = 0; i < count; i++) {
      one = keep * one + (1 - keep) * normal();
      two = keep * two + (1 - keep) * one;
      wave[i] = two;
    }
  } else {
    // A pull at the electrode every one to two seconds, with 60 ms rise and 500 ms decay, over slow noise.
    let level = 0;
    let target = 0;
    let slow = 0;
    const rise = Math.exp(-1 / (0.06 * rateHz));
    const fall = Math.exp(-1 / (0.5 * rateHz));
    const keep = Math.exp((-2 * Math.PI * 1) / rateHz);
    for (let i = 0; i < count; i++) {
      if (random() < 0.7 / rateHz) target += normal();
      target *= fall;
      level = rise * level + (1 - rise) * target;
      slow = keep * slow + (1 - keep) * normal();
      wave[i] = level + slow;
    }
  }
  let power = 0;
  for (const value of wave) power += value * value;
  const scale = 1 / Math.sqrt(power / count);
  for (let i = 0; i < count; i++) wave[i]! *= scale;
  return wave;
}

/**
 * Adds noise at a signal-to-noise ratio as defined by the `nst` program of WFDB: the power of the
 * signal is an eighth of the squared height of its QRS complexes (here their median over the beats).
 */
export function withNoise(
  samples: Int16Array,
  rateHz: number,
  beats: readonly number[],
  kind: Noise,
  ratioDb: number,
  seed: number,
): Int16Array {
  const half = Math.round(0.05 * rateHz);
  const heights = beats
    .map((at) => {
      const complex = samples.subarray(Math.max(0, at - half), at + half + 1);
      return complex.length === 0 ? 0 : Math.max(...complex) - Math.min(...complex);
    })
    .sort((a, b) => a - b);
  const height = heights[heights.length >> 1]!;
  const amplitude = Math.sqrt(height ** 2 / 8 / 10 ** (ratioDb / 10));
  const noise = noiseOf(kind, samples.length, rateHz, seed);
  return Int16Array.from(samples, (value, i) =>
    Math.round(Math.max(-32768, Math.min(32767, value + amplitude * noise[i]!))),
  );
}
