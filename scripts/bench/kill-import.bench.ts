/** Kills the server with SIGKILL at 50 random moments of an import and counts the problems afterwards. */
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
  const roundsWithProblems = rounds.filter(({ problems }) => problems.length > 0);
  const acknowledged = rounds.reduce((sum, round) => sum + round.acknowledged, 0);
  return [
    {
      name: `kills during import (seed ${seed}) followed by problems`,
      value: roundsWithProblems.length,
      unit: `of ${rounds.length}`,
      bar: '0',
      pass: roundsWithProblems.length === 0,
    },
    {
      name: 'uploads acknowledged before the kill and stored afterwards',
      value: acknowledged,
      unit: 'uploads',
      pass: !roundsWithProblems.some(({ problems }) => problems.some((problem) => problem.includes('acknowledged'))),
    },
  ];
}
