import { expect, it } from 'vitest';
import { hubChaos } from '../../testing/hub-chaos.ts';
import { Random } from '../physiology/random.ts';

it('delivers every recording exactly once, byte for byte, despite kills, cuts, duplicates, reordering and clock jumps', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const generator = new Random(seed);
  const { problems } = await hubChaos({ random: () => generator.uniform(), runs: 6 });
  expect(problems, `seed ${seed}`).toEqual([]);
}, 120_000);
