/** Kills backups, restores and recoveries with SIGKILL at 100 random moments and counts the problems afterwards. */
import { Random } from '../../src-server/simulator/physiology/random.ts';
import { backupKillRounds } from '../../src-server/testing/kill-backups.ts';
import type { BenchRow } from './types.ts';

const ROUNDS = 100;

export async function run(): Promise<BenchRow[]> {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const total = Number(process.env.ROUNDS ?? ROUNDS);
  process.stderr.write(`seed ${seed} (set SEED to repeat)\n`);
  const generator = new Random(seed);
  const rounds = await backupKillRounds({
    random: () => generator.uniform(),
    rounds: total,
    onRound: ({ moment, wasKilled, problems }, index) => {
      const outcome = problems.join('; ') || 'clean';
      process.stderr.write(`${index + 1} of ${total}: ${moment}${wasKilled ? '' : ' (not reached)'}, ${outcome}\n`);
    },
  });
  const withProblems = rounds.filter(({ problems }) => problems.length > 0);
  return [
    {
      name: `kills during backup, restore and recovery (seed ${seed}) followed by problems`,
      value: withProblems.length,
      unit: `of ${rounds.length}`,
      bar: '0',
      pass: withProblems.length === 0,
    },
    {
      name: 'rounds that were killed at their moment',
      value: rounds.filter(({ wasKilled }) => wasKilled).length,
      unit: 'rounds',
      pass: rounds.some(({ wasKilled }) => wasKilled),
    },
  ];
}
