import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../../simulator/physiology/random.ts';
import { Activities } from '../../testing/interrupted/all.ts';
import { killsOf } from '../../testing/interrupted/kills.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

let activities: Activities;
beforeAll(async () => {
  activities = await Activities.open();
});
afterAll(() => activities.close());

it.each(['encrypted backup', 'recovery', 'migration from 230'] as const)(
  'loses nothing when the %s is killed',
  async (name) => {
    const generator = new Random(seed);
    const activity = await activities.make(name);
    const rounds = await killsOf(activity, { folder: activities.folder, random: () => generator.uniform(), kills: 1 });
    expect(
      rounds.filter(({ problems }) => problems.length > 0),
      `seed ${seed}`,
    ).toEqual([]);
  },
);
