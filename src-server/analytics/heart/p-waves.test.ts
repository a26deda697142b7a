import { describe, expect, it } from 'vitest';
import { ecgSignal, evenBeats, seededRandom, syntheticEcgChunk } from '../../testing/synthetic-ecg.ts';
import { BEAT_P_ABSENT, BEAT_P_MASK, BEAT_P_PRESENT } from './beats.ts';
import { extractEcgFeatures } from './index.ts';

const SECONDS = 120;
const RATE_HZ = 250;

/** Irregular beats, as in atrial fibrillation. */
function irregularBeats(): number[] {
  const random = seededRandom(11);
  const beats: number[] = [];
  for (let t = 0.6; t < SECONDS - 0.5; t += 0.5 + 0.6 * random()) beats.push(t);
  return beats;
}

/** Share of the beats with each mark. */
function marksOf(options: { beats: number[]; pWave?: number; noise?: number; fWave?: number; gain?: number }) {
  const chunk = syntheticEcgChunk({ seconds: SECONDS, rateHz: RATE_HZ, startUs: 0, noise: 0.005, ...options });
  // f waves of 6 Hz, whose phase bears no relation to the beats.
  const column = chunk.columns[0] as Int16Array;
  const fWave = 1000 * (options.fWave ?? 0);
  for (let i = 0; i < column.length; i++) column[i]! += fWave * Math.sin((2 * Math.PI * 6.1 * i) / RATE_HZ);
  const [found] = extractEcgFeatures(ecgSignal([chunk]), -1, 1e15);
  const { kinds } = found!.beats;
  const share = (mark: number): number => kinds.filter((kind) => (kind & BEAT_P_MASK) === mark).length / kinds.length;
  return { present: share(BEAT_P_PRESENT), absent: share(BEAT_P_ABSENT) };
}

describe('P waves', () => {
  it('repeat before sinus beats, upright or upside down, in a lead of any gain', () => {
    const beats = evenBeats(SECONDS, 0.8);
    expect(marksOf({ beats }).present).toBe(1);
    expect(marksOf({ beats, gain: -1000 }).present).toBe(1);
    expect(marksOf({ beats, gain: 4000 }).present).toBe(1);
    expect(marksOf({ beats, pWave: -0.1 }).present).toBe(1);
  });

  it('repeat before irregular sinus beats', () => {
    expect(marksOf({ beats: irregularBeats() }).present).toBeGreaterThan(0.95);
  });

  it('do not repeat where f waves take their place', () => {
    expect(marksOf({ beats: irregularBeats(), pWave: 0, fWave: 0.06 }).absent).toBeGreaterThan(0.95);
  });

  it('are unknown in noise from which beats hardly stand out', () => {
    const { present, absent } = marksOf({ beats: evenBeats(SECONDS, 0.8), noise: 0.35 });
    expect(present + absent).toBeLessThan(0.1);
  });
});
