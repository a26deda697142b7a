import { expect, it } from 'vitest';
import { Random } from '../simulator/physiology/random.ts';
import { killRounds } from '../testing/kill-rounds.ts';

it('keeps every acknowledged upload after kill -9 at random moments of imports', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const generator = new Random(seed);
  const rounds = await killRounds({ random: () => generator.uniform(), rounds: 3, hours: 0.25 });
  const failedRounds = rounds.filter(({ problems }) => problems.length > 0);
  expect(failedRounds, `seed ${seed}`).toEqual([]);
  expect(
    rounds.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    `seed ${seed}`,
  ).toBeGreaterThan(0);
});
