import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realData } from '../../testing/real-data.ts';
import { scoreSleepEpochs } from './epochs.ts';

describe('sleep from activity counts', () => {
  it('classifies restless settling as wake, stillness as sleep and movement as wake', () => {
    const counts = [...new Array(20).fill(20), ...new Array(200).fill(0), ...new Array(20).fill(50)];
    const asleep = scoreSleepEpochs(counts);
    expect([...asleep.subarray(0, 15)].every((value) => value === 0)).toBe(true);
    expect([...asleep.subarray(60, 200)].every((value) => value === 1)).toBe(true);
    expect([...asleep.subarray(225)].every((value) => value === 0)).toBe(true);
  });

  it('returns nothing for no epochs', () => {
    expect(scoreSleepEpochs([])).toHaveLength(0);
  });
});

const folder = realData('motion/sleep');
describe.runIf(folder !== null)('nights with polysomnography', () => {
  it('agrees better than one threshold can (kappa 0.35)', () => {
    let sum = 0;
    const names = readdirSync(folder!).filter((name) => name.startsWith('sleepaccel-'));
    for (const name of names) {
      const night = JSON.parse(readFileSync(join(folder!, name), 'utf8'));
      const asleep = scoreSleepEpochs(night.counts, night.epochIndex);
      const truth: number[] = night.stage.map((stage: string) => (stage === 'W' ? 0 : 1));
      const n = truth.length;
      const agree = truth.filter((value, i) => value === asleep[i]).length / n;
      const a = truth.reduce((total, value) => total + value, 0) / n;
      const b = asleep.reduce((total, value) => total + value, 0) / n;
      const chance = a * b + (1 - a) * (1 - b);
      sum += (agree - chance) / (1 - chance);
    }
    expect(sum / names.length).toBeGreaterThan(0.45);
  });
});
