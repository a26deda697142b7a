/** Kills the server with SIGKILL at random moments of a device's upload and counts the problems afterwards. */
import { Random } from '../../src-server/simulator/physiology/random.ts';
import { uploadKillRounds } from '../../src-server/testing/kill-uploads.ts';
import type { BenchRow } from './types.ts';

const ROUNDS = 50;

export async function run(): Promise<BenchRow[]> {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const total = Number(process.env.ROUNDS ?? ROUNDS);
  process.stderr.write(`seed ${seed} (set SEED to repeat)\n`);
  const generator = new Random(seed);
  const rounds = await uploadKillRounds({
    random: () => generator.uniform(),
    rounds: total,
    onRound: ({ moment, problems }, index) => {
      process.stderr.write(`${index + 1} of ${total}: ${moment}, ${problems.join('; ') || 'clean'}\n`);
    },
  });
  const roundsWithProblems = rounds.filter(({ problems }) => problems.length > 0);
  return [
    {
      name: `kills during an upload (seed ${seed}) followed by problems`,
      value: roundsWithProblems.length,
      unit: `of ${rounds.length}`,
      bar: '0',
      pass: roundsWithProblems.length === 0,
    },
  ];
}
