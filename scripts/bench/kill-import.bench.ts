/** kill -9 of the server at 50 random moments of an import: what is wrong afterwards, of what was done. */
import { Random } from '../../src-server/simulator/physiology/random.ts';
import { killRounds } from '../../src-server/testing/kill-rounds.ts';
import type { BenchRow } from './types.ts';

const ROUNDS = 50;

export async function run(): Promise<BenchRow[]> {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const total = Number(process.env.ROUNDS ?? ROUNDS);
  process.stderr.write(`seed ${seed} (set SEED to repeat)\n`);
  const generator = new Random(seed);
  const rounds = await killRounds({
    random: () => generator.uniform(),
    rounds: total,
    hours: 2,
    onRound: ({ moment, acknowledged, problems }, index) => {
      process.stderr.write(
        `${index + 1} of ${total}: ${moment}, ${acknowledged} acknowledged, ${problems.join('; ') || 'clean'}\n`,
      );
    },
  });
  const spoilt = rounds.filter(({ problems }) => problems.length > 0);
  const acknowledged = rounds.reduce((sum, round) => sum + round.acknowledged, 0);
  return [
    {
      name: `kills during import (seed ${seed}) after which anything was wrong`,
      value: spoilt.length,
      unit: `of ${rounds.length}`,
      bar: '0',
      pass: spoilt.length === 0,
    },
    {
      name: 'uploads acknowledged before the kill, all there afterwards',
      value: acknowledged,
      unit: 'uploads',
      pass: !spoilt.some(({ problems }) => problems.some((problem) => problem.includes('acknowledged'))),
    },
  ];
}
