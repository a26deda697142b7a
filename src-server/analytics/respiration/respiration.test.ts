import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testing/synthetic-ecg.ts';
import type { IntervalSeries } from '../hrv/index.ts';
import { extractMotionFeatures } from '../motion/index.ts';
import { HEART_SOURCES, type MotionFeatures } from '../types.ts';
import { respirationRates } from './index.ts';

function breathing(perMinute: number, depth: number, noise: number, seed = 7, meanMs = 850): IntervalSeries {
  const random = seededRandom(seed);
  const end: number[] = [];
  const interval: number[] = [];
  const amplitude: number[] = [];
  for (let t = 0; t < 240; ) {
    const phase = (2 * Math.PI * perMinute * t) / 60;
    const ms = meanMs + 40 * depth * Math.sin(phase) + 40 * noise * (random() - 0.5);
    t += ms / 1000;
    end.push(t * 1e6);
    interval.push(ms);
    amplitude.push(1e-3 * (1 + 0.1 * depth * Math.cos(phase) + 0.1 * noise * (random() - 0.5)));
  }
  return {
    endUs: Float64Array.from(end),
    intervalMs: Float64Array.from(interval),
    normal: new Uint8Array(end.length).fill(1),
    follows: new Uint8Array(end.length).fill(1),
    amplitudeV: Float32Array.from(amplitude),
    source: new Uint8Array(end.length).fill(HEART_SOURCES.indexOf('ECG')),
    rejectedUs: new Float64Array(0),
    pWave: new Uint8Array(end.length),
    ventricularUs: new Float64Array(0),
    ventricularByShapeUs: new Float64Array(0),
    supraventricularUs: new Float64Array(0),
    supraventricularNext: new Uint8Array(0),
    pauseUs: new Float64Array(0),
    pauseMs: new Float64Array(0),
  };
}

describe('respiration', () => {
  it.each([8, 12, 15, 20, 28])('finds %d breaths per minute', (perMinute) => {
    const rates = respirationRates(breathing(perMinute, 1, 0.5), [], 0, 240);
    for (const rate of rates.subarray(2, 6)) expect(Math.abs(rate - perMinute)).toBeLessThan(0.6);
  });

  it('is NaN when the beats show no breathing', () => {
    const rates = respirationRates(breathing(15, 0, 1), [], 0, 240);
    expect(rates.filter(Number.isNaN).length).toBeGreaterThan(0.7 * rates.length);
  });

  it('is NaN without beats', () => {
    const none = breathing(15, 1, 0);
    none.normal.fill(0);
    expect(respirationRates(none, [], 0, 240).every(Number.isNaN)).toBe(true);
  });
});

/** A chest sensor at 31.25 Hz that tips by `degrees` with every breath, and shakes by `shakeG`. */
function chest(perMinute: number, degrees: number, shakeG = 0.004, location = 'MEDIAL_CHEST'): MotionFeatures {
  const random = seededRandom(3);
  const count = 7500;
  const columns = [0, 1, 2].map(() => new Int16Array(count));
  for (let i = 0; i < count; i++) {
    const angle = ((degrees * Math.PI) / 180) * Math.sin((2 * Math.PI * perMinute * i) / (60 * 31.25));
    columns[0]![i] = 4096 * (Math.sin(angle) + shakeG * 3.46 * (random() - 0.5));
    columns[1]![i] = 4096 * shakeG * 3.46 * (random() - 0.5);
    columns[2]![i] = 4096 * (Math.cos(angle) + shakeG * 3.46 * (random() - 0.5));
  }
  const scale = new Array<number>(3).fill(1 / 4096);
  const chunks = [{ startUs: 0, periodUs: 32_000, count, columns }];
  return extractMotionFeatures(
    { type: 'ACCEL', location, scale, offset: [0, 0, 0], nominalRateHz: 31.25, chunks },
    0,
    1e9,
  );
}

const NO_BEATS: IntervalSeries = {
  endUs: new Float64Array(0),
  intervalMs: new Float64Array(0),
  normal: new Uint8Array(0),
  follows: new Uint8Array(0),
  amplitudeV: new Float32Array(0),
  source: new Uint8Array(0),
  rejectedUs: new Float64Array(0),
  pWave: new Uint8Array(0),
  ventricularUs: new Float64Array(0),
  ventricularByShapeUs: new Float64Array(0),
  supraventricularUs: new Float64Array(0),
  supraventricularNext: new Uint8Array(0),
  pauseUs: new Float64Array(0),
  pauseMs: new Float64Array(0),
};

describe('respiration from chest movement', () => {
  it.each([8, 15, 24, 30])('finds %d breaths per minute without an ECG', (perMinute) => {
    const rates = respirationRates(NO_BEATS, [chest(perMinute, 0.3)], 0, 240);
    for (const rate of rates.subarray(2, 6)) expect(Math.abs(rate - perMinute)).toBeLessThan(0.6);
  });

  it('replaces the aliased rate of beats that are too slow to show it', () => {
    const slowHeart = breathing(28, 1, 0.3, 7, 1250);
    const alone = respirationRates(slowHeart, [], 0, 240);
    expect(Math.abs(alone[3]! - 28)).toBeGreaterThan(3);
    const rates = respirationRates(slowHeart, [chest(28, 0.3)], 0, 240);
    for (const rate of rates.subarray(2, 6)) expect(Math.abs(rate - 28)).toBeLessThan(0.6);
  });

  it('is NaN when heart and chest show different rates', () => {
    const rates = respirationRates(breathing(12, 1, 0.2), [chest(19, 0.3)], 0, 240);
    expect(rates.subarray(2, 6).every(Number.isNaN)).toBe(true);
  });

  it('uses the heart alone when the chest shows no breathing or moves', () => {
    const heart = breathing(15, 1, 0.5);
    const alone = respirationRates(heart, [], 0, 240);
    expect(respirationRates(heart, [chest(15, 0)], 0, 240)).toEqual(alone);
    expect(respirationRates(heart, [chest(20, 0.3, 0.2)], 0, 240)).toEqual(alone);
    expect(respirationRates(heart, [chest(20, 0.3, 0.004, 'ANTERIOR_THIGH')], 0, 240)).toEqual(alone);
  });
});
