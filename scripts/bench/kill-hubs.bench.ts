/** Kills the server with SIGKILL at random moments while eight hubs upload at once, and counts the problems afterwards. */
import { Random } from '../../src-server/simulator/physiology/random.ts';
import { hubKillRounds } from '../../src-server/testing/kill-hubs.ts';
import type { BenchRow } from './types.ts';

const ROUNDS = 10;

export async function run(): Promise<BenchRow[]> {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const total = Number(process.env.ROUNDS ?? ROUNDS);
  process.stderr.write(`seed ${seed} (set SEED to repeat)\n`);
  const generator = new Random(seed);
  const rounds = await hubKillRounds({
    random: () => generator.uniform(),
    rounds: total,
    onRound: ({ kills, storedBefore, problems }, index) => {
      const moments = kills.map(({ acknowledgements, laterMs }) => `${acknowledgements} + ${laterMs} ms`).join(', ');
      const found = problems.join('; ') || 'clean';
      process.stderr.write(
        `${index + 1} of ${total}: kills after ${moments}; ${storedBefore} files were stored at the last; ${found}\n`,
      );
    },
  });
  const kills = rounds.reduce((sum, { kills: ofRound }) => sum + ofRound.length, 0);
  const roundsWithProblems = rounds.filter(({ problems }) => problems.length > 0);
  return [
    {
      name: `uploads of eight hubs at once (seed ${seed}; ${kills} kills of the server) followed by problems`,
      value: roundsWithProblems.length,
      unit: `of ${rounds.length}`,
      bar: '0',
      pass: roundsWithProblems.length === 0,
    },
  ];
}
