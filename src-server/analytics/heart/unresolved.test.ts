import { describe, expect, it } from 'vitest';
import { ecgSignal, evenBeats, syntheticEcgChunk } from '../../testing/synthetic-ecg.ts';
import { fibrillationWave, flutterWave, interruptedEcg } from '../../testing/synthetic-rhythm.ts';
import { intervalsOf } from '../hrv/index.ts';
import type { EcgFeatures, SignalChunk } from '../types.ts';
import { extractEcgFeatures } from './index.ts';

const featuresOf = (chunk: SignalChunk): EcgFeatures => extractEcgFeatures(ecgSignal([chunk]), 0, 1e16)[0]!;
const unresolvedOf = ({ seconds }: EcgFeatures): number =>
  seconds.columns.unresolved.filter((one: number) => one > 0).length;

describe.each([125, 250, 500])('ventricular flutter and fibrillation at %i Hz', (rateHz) => {
  const rhythms = [
    ...[180, 240, 300, 350].map((rate) => [`flutter of ${rate}/min`, () => flutterWave(rate, rateHz)] as const),
    ...[3.5, 5, 7].map((hz) => [`fibrillation at ${hz} Hz`, () => fibrillationWave(hz, rateHz)] as const),
  ];

  it.each(rhythms)('finds no beats and no rate in %s, and loses few of the normal beats around it', (_name, wave) => {
    const span = { seconds: 180, rateHz, fromSecond: 60, toSecond: 120 };
    const { chunk, beats } = interruptedEcg(wave(), span);
    const found = featuresOf(chunk);
    const times = [...found.beats.timesUs].map((us) => us / 1e6);
    expect(times.filter((at) => at > 60.1 && at < 119.9)).toEqual([]);
    expect(times.length).toBeGreaterThan(0.94 * beats.length);
    expect(unresolvedOf(found)).toBeGreaterThanOrEqual(59);
    expect(Math.max(...found.seconds.columns.quality.subarray(61, 119))).toBe(0);
    const { intervalMs } = intervalsOf([found], 0, 180);
    expect(Math.min(...intervalMs)).toBeGreaterThan(780);
    expect(Math.max(...intervalMs)).toBeLessThan(820);
  });

  it.each(rhythms)('finds no beats in %s alone', (_name, wave) => {
    const { chunk } = interruptedEcg(wave(), { seconds: 120, rateHz, fromSecond: 0, toSecond: 120 });
    const found = featuresOf(chunk);
    expect(found.beats.timesUs.length).toBe(0);
    expect(unresolvedOf(found)).toBeGreaterThan(115);
  });
});

describe('fast rhythms with QRS complexes', () => {
  it.each([
    [180, 0.02],
    [200, 0.02],
    [220, 0.02],
    [180, 0.1],
    [220, 0.1],
  ])('narrow ones at %i/min in noise of %f are counted beat by beat', (perMinute, noise) => {
    const beats = evenBeats(180, 60 / perMinute, (t) => 0.01 * Math.sin(t));
    const found = featuresOf(syntheticEcgChunk({ beats, seconds: 180, rateHz: 250, noise }));
    expect(unresolvedOf(found)).toBe(0);
    expect(found.beats.timesUs.length).toBe(beats.length);
  });

  it('counts the wide complexes of a ventricular tachycardia at 180/min', () => {
    const beats = evenBeats(120, 60 / 180);
    const ventricular = beats.map((_at, i) => i);
    const found = featuresOf(syntheticEcgChunk({ beats, seconds: 120, rateHz: 250, ventricular }));
    expect(unresolvedOf(found)).toBe(0);
    expect(found.beats.timesUs.length).toBe(beats.length);
  });
});
