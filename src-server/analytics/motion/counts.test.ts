import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { realData } from '../../testing/real-data.ts';
import { RunCounter } from './counts.ts';
import { extractMotionFeatures } from './features.ts';

describe('activity counts', () => {
  const sine = (hz: number, g: number, seconds: number): Float32Array =>
    Float32Array.from({ length: seconds * 30 }, (_, i) => 1 + g * Math.sin((2 * Math.PI * hz * i) / 30));
  const total = (signal: Float32Array): number => {
    const counts = new Float32Array(Math.ceil(signal.length / 30));
    new RunCounter().add(signal, 0, signal.length, counts);
    return counts.reduce((sum, value) => sum + value, 0);
  };

  it('does not count gravity, nor movement inside the dead band', () => {
    expect(total(sine(1, 0, 60))).toBe(0);
    expect(total(sine(1, 0.02, 60))).toBe(0);
  });

  it('passes 0.29 to 1.63 Hz and little else', () => {
    const inBand = total(sine(0.8, 0.5, 60));
    expect(inBand).toBeGreaterThan(1000);
    expect(total(sine(6, 0.5, 60))).toBeLessThan(inBand / 10);
    expect(total(sine(0.03, 0.5, 60))).toBeLessThan(inBand / 10);
  });

  it('has a ceiling of 128 units, ten times a second', () => {
    expect(total(sine(0.8, 50, 60))).toBeLessThanOrEqual(128 * 10 * 60);
  });

  it('yields the same counts after long stillness as without it', () => {
    const movement = sine(1, 0.5, 30);
    const rested = new Float32Array(600 * 30 + movement.length).fill(1);
    rested.set(movement, 600 * 30);
    expect(Math.abs(total(rested) - total(movement)) / total(movement)).toBeLessThan(0.02);
  });
});

const folder = realData('motion');
describe.runIf(folder !== null)("ActiGraph's own counts of real recordings", () => {
  it.each(['har70-501', 'harth-S033'])('%s', (name) => {
    const source = join(folder!, name.split('-')[0]!);
    const recording = JSON.parse(readFileSync(join(source, `${name}.json`), 'utf8'));
    const bytes = gunzipSync(readFileSync(join(source, recording.sites.back.file)));
    const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
    const count = samples.length / 3;
    const columns = [0, 1, 2].map((axis) => Int16Array.from({ length: count }, (_, i) => samples[3 * i + axis]!));
    const chunks = [{ startUs: 1e15, periodUs: 1e6 / recording.fs, count, columns }];
    const scale = [0.001, 0.001, 0.001];
    const input = { type: 'ACCEL' as const, location: 'SACRUM', scale, offset: [0, 0, 0], nominalRateHz: 50, chunks };
    const features = extractMotionFeatures(input, 0, 4e15).segments[0]!.columns;
    const reference = JSON.parse(readFileSync(join(folder!, 'agcounts', `${name}.json`), 'utf8')).sites
      .back as number[][];
    let difference = 0;
    let sum = 0;
    reference.forEach((epoch, minute) => {
      (['countsX', 'countsY', 'countsZ'] as const).forEach((column, axis) => {
        let found = 0;
        for (let row = 60 * minute; row < 60 * (minute + 1); row++) found += features[column][row]!;
        difference += Math.abs(found - epoch[axis]!);
        sum += epoch[axis]!;
      });
    });
    expect(difference / sum).toBeLessThan(0.002);
  });
});
