import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testing/synthetic-ecg.ts';
import type { IntervalSeries } from '../hrv/index.ts';
import { respirationRates } from './index.ts';

function breathing(perMinute: number, depth: number, noise: number, seed = 7): IntervalSeries {
  const random = seededRandom(seed);
  const end: number[] = [];
  const interval: number[] = [];
  const amplitude: number[] = [];
  for (let t = 0; t < 240; ) {
    const phase = (2 * Math.PI * perMinute * t) / 60;
    const ms = 850 + 40 * depth * Math.sin(phase) + 40 * noise * (random() - 0.5);
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
  };
}

describe('respiration', () => {
  it.each([8, 12, 15, 20, 28])('finds %d breaths per minute', (perMinute) => {
    const rates = respirationRates(breathing(perMinute, 1, 0.5), 0, 240);
    for (const rate of rates.subarray(2, 6)) expect(Math.abs(rate - perMinute)).toBeLessThan(0.6);
  });

  it('is silent when the beats carry no breath', () => {
    const rates = respirationRates(breathing(15, 0, 1), 0, 240);
    expect(rates.filter(Number.isNaN).length).toBeGreaterThan(0.7 * rates.length);
  });

  it('is silent without beats', () => {
    const none = breathing(15, 1, 0);
    none.normal.fill(0);
    expect(respirationRates(none, 0, 240).every(Number.isNaN)).toBe(true);
  });
});
