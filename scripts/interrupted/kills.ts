/**
 * `npm run check:kills`: kills each activity with SIGKILL at random moments, 100 in all, and counts what was lost.
 *
 *     --kills 100      divided among the activities
 *     --only NAME      activities whose name contains this; may be repeated. A part of a run has the moments of the whole
 *     --seed NUMBER    repeats a run; default: from the clock
 */
import { parseArgs } from 'node:util';
import { formatTable } from '../../src-server/cli/tables.ts';
import { Random } from '../../src-server/simulator/physiology/random.ts';
import { ACTIVITIES, Activities } from '../../src-server/testing/interrupted/all.ts';
import { type KillRound, killsOf } from '../../src-server/testing/interrupted/kills.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    only: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
process.stderr.write(`seed ${seed} (--seed ${seed} repeats it)\n`);

/** So many activities have one kill more than the others. */
const rest = Number(values.kills) % ACTIVITIES.length;
const planned = ACTIVITIES.map((name, index) => ({
  name,
  seed: seed * 100 + index,
  kills: Math.floor(Number(values.kills) / ACTIVITIES.length) + (index < rest ? 1 : 0),
})).filter(({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)));

const activities = await Activities.open();
const rounds: KillRound[] = [];
try {
  for (const { name, kills, seed: ofActivity } of planned) {
    const random = new Random(ofActivity);
    const activity = await activities.make(name);
    const onRound = ({ moment, wasKilled, acknowledged, problems }: KillRound) => {
      const outcome = problems.join('; ') || 'clean';
      const reached = wasKilled ? '' : ' (not reached)';
      process.stderr.write(`${name}: ${moment}${reached}, ${acknowledged.length} acknowledged, ${outcome}\n`);
    };
    rounds.push(
      ...(await killsOf(activity, { folder: activities.folder, random: () => random.uniform(), kills, onRound })),
    );
  }
} finally {
  await activities.close();
}

const count = (list: readonly KillRound[]) => [
  String(list.filter(({ wasKilled }) => wasKilled).length),
  String(list.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)),
  String(list.filter(({ problems }) => problems.length > 0).length),
];
const lines = planned.map(({ name }) => [name, ...count(rounds.filter(({ activity }) => activity === name))]);
const heading = ['activity', 'kills', 'acknowledged before', 'with problems'];
process.stdout.write(`${formatTable([heading, ...lines, ['all', ...count(rounds)]])}\n`);
const isShort = rounds.filter(({ wasKilled }) => wasKilled).length < planned.reduce((sum, { kills }) => sum + kills, 0);
if (isShort) process.stdout.write('Some moments were not reached.\n');
if (isShort || rounds.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
