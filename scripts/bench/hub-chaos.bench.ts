/** Chaos test of hubs over TLS: kills of either side, cuts at random bytes, duplicated and reordered requests, clock jumps. */
import { Random } from '../../src-server/simulator/physiology/random.ts';
import { hubChaos } from '../../src-server/testing/hub-chaos.ts';
import type { BenchRow } from './types.ts';

const RUNS = 200;

export async function run(): Promise<BenchRow[]> {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const runs = Number(process.env.ROUNDS ?? RUNS);
  process.stderr.write(`seed ${seed} (set SEED to repeat)\n`);
  const generator = new Random(seed);
  const report = await hubChaos({
    random: () => generator.uniform(),
    runs,
    onRun: (index, what) => process.stderr.write(`${index + 1} of ${runs}: ${what}\n`),
  });
  for (const problem of report.problems) process.stderr.write(`${problem}\n`);
  const { serverKills, hubKills, cuts, clockJumps } = report;
  return [
    {
      name: `uploads of hubs (seed ${seed}; ${serverKills} kills of the server, ${hubKills} of a hub, ${cuts} cuts, ${clockJumps} jumps of the server's clock): problems after`,
      value: report.problems.length,
      unit: `of ${runs} runs`,
      bar: '0',
      pass: report.problems.length === 0,
    },
  ];
}
