/**
 * `npm run check:power-cuts`: cuts the power of each activity at random moments, on every file system that this computer can make, and
 * counts what was lost. Root on Linux only; needs nbdfuse (Debian: libnbd-bin), and xfsprogs and btrfs-progs for those two.
 *
 *     --cuts 24           on each file system, divided among the activities; of those of one activity one is a pulled disk
 *     --only NAME         activities whose name contains this; may be repeated. A part of a run has the moments of the whole
 *     --file-system NAME  ext4, xfs or btrfs; may be repeated
 *     --seed NUMBER       repeats a run; default: from the clock
 *     --lying-disk, --without-fsync SOURCE
 *                         plants a fault that has to be found: a disk that reports flushes and does none, or the program without
 *                         the fsyncs of file handles in sources whose path contains this, such as lan/upload
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from '../../src-server/cli/tables.ts';
import { Random } from '../../src-server/simulator/physiology/random.ts';
import { ACTIVITIES, Activities } from '../../src-server/testing/interrupted/all.ts';
import { FILE_SYSTEMS, type FileSystem, missingFor } from '../../src-server/testing/interrupted/mounted-disk.ts';
import { type CutRound, powerCutsOf } from '../../src-server/testing/interrupted/power-cuts.ts';

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '24' },
    only: { type: 'string', multiple: true, default: [] },
    'file-system': { type: 'string', multiple: true, default: [...FILE_SYSTEMS] },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'lying-disk': { type: 'boolean', default: false },
    'without-fsync': { type: 'string' },
  },
});
const seed = Number(values.seed);
process.stderr.write(`seed ${seed} (--seed ${seed} repeats it)\n`);

const withoutFsync = values['without-fsync'];
const isPlanted = values['lying-disk'] || withoutFsync !== undefined;
const fault = { isDiskLying: values['lying-disk'], ...(withoutFsync !== undefined && { withoutFsync }) };

const rest = Number(values.cuts) % ACTIVITIES.length;
const planned = ACTIVITIES.map((name, index) => ({
  name,
  index,
  cuts: Math.floor(Number(values.cuts) / ACTIVITIES.length) + (index < rest ? 1 : 0),
})).filter(({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)));

const usable: FileSystem[] = [];
for (const name of FILE_SYSTEMS.filter((one) => values['file-system'].includes(one))) {
  const reason = await missingFor(name);
  if (reason === undefined) usable.push(name);
  else process.stderr.write(`${name} is left out: ${reason}.\n`);
}

const scratch = await mkdtemp(join(tmpdir(), 'outpost-power-cuts-'));
const activities = await Activities.open();
const rounds: CutRound[] = [];
try {
  for (const { name, index, cuts } of planned) {
    const activity = await activities.make(name);
    for (const fileSystem of usable) {
      const random = new Random((seed * 100 + index) * 10 + FILE_SYSTEMS.indexOf(fileSystem));
      rounds.push(
        ...(await powerCutsOf(activity, {
          fileSystem,
          folder: activities.folder,
          scratch: join(scratch, fileSystem),
          random: () => random.uniform(),
          cuts,
          isPulled: cuts > 1 && !isPlanted,
          ...(isPlanted && { fault }),
          onRound: ({ moment, acknowledged, unflushed, kept, problems }) => {
            const outcome = problems.join('; ') || 'clean';
            const writes = `${kept} of ${unflushed} unflushed writes kept`;
            process.stderr.write(
              `${fileSystem}, ${name}: ${moment}, ${writes}, ${acknowledged} acknowledged, ${outcome}\n`,
            );
          },
        })),
      );
    }
  }
} finally {
  await activities.close();
  await rm(scratch, { recursive: true, force: true });
}

const isBad = ({ problems }: CutRound) => problems.length > 0;
const sum = (list: readonly CutRound[], member: 'acknowledged' | 'unflushed' | 'kept') =>
  String(list.reduce((total, round) => total + round[member], 0));
const line = (name: string, list: readonly CutRound[]) => [
  name,
  ...usable.map((fileSystem) => {
    const found = list.filter((round) => round.fileSystem === fileSystem);
    return `${found.filter((round) => !isBad(round)).length} of ${found.length}`;
  }),
  sum(list, 'acknowledged'),
  `${sum(list, 'kept')} of ${sum(list, 'unflushed')}`,
];
const heading = ['activity', ...usable.map((name) => `clean on ${name}`), 'acknowledged', 'unflushed writes kept'];
const lines = planned.map(({ name }) =>
  line(
    name,
    rounds.filter(({ activity }) => activity === name),
  ),
);
process.stdout.write(`${formatTable([heading, ...lines, line('all', rounds)])}\n`);
const bad = rounds.filter(isBad).length;
if (isPlanted) process.stdout.write(`The planted fault was found by ${bad} of ${rounds.length} cuts.\n`);
// A planted fault that no cut finds is the failure.
if (rounds.length === 0 || (isPlanted ? bad === 0 : bad > 0)) process.exitCode = 1;
