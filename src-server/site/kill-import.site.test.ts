import { expect, it } from 'vitest';
import { Random } from '../simulator/physiology/random.ts';
import { Activities } from '../testing/interrupted/all.ts';
import { killsOf } from '../testing/interrupted/kills.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

it('keeps every acknowledged upload after kill -9 at random moments of imports', async () => {
  const generator = new Random(seed);
  const activities = await Activities.open();
  try {
    const activity = await activities.make('import');
    const rounds = await killsOf(activity, { folder: activities.folder, random: () => generator.uniform(), kills: 3 });
    const failedRounds = rounds.filter(({ problems }) => problems.length > 0);
    expect(failedRounds, `seed ${seed}`).toEqual([]);
    expect(rounds.flatMap(({ acknowledged }) => acknowledged).length, `seed ${seed}`).toBeGreaterThan(0);
  } finally {
    await activities.close();
  }
});
