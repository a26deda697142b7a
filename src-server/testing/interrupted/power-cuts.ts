/**
 * Cuts the power of activities: the whole work is recorded on a disk of its own with a real file system, and afterwards the disk is made
 * as it was after a cut at random moments, mounted like after the next start of the computer, and looked at. At one more moment
 * the disk is pulled while the work runs on: every request fails, and nothing may be acknowledged that is not on it.
 */
import { execFile } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Activity } from './activity.ts';
import { type FileSystem, type MountedDisk, mountRecorded, mountSaved } from './mounted-disk.ts';
import type { Cut } from './recorded-disk.ts';

const run = promisify(execFile);

/** A file system does not write the same twice, so the second record may be shorter than the first. */
const PULL_UNTIL = 0.7;

export interface CutRound {
  activity: string;
  fileSystem: FileSystem;
  /** `cut after 17 of 350` entries of the record, or `pulled after …`. */
  moment: string;
  acknowledged: number;
  unflushed: number;
  kept: number;
  problems: string[];
}

export interface CutOptions {
  fileSystem: FileSystem;
  /** Where the activity works; the disk is mounted here. */
  folder: string;
  /** For images and sockets. */
  scratch: string;
  random: () => number;
  cuts: number;
  /** One of the cuts is a pulled disk. */
  isPulled: boolean;
  /** Planted, so that the check is seen to find what it looks for. */
  fault?: CutFault;
  onRound?: (round: CutRound) => void;
}

export interface CutFault {
  /** The disk reports flushes as done, and does none. */
  isDiskLying?: boolean;
  /** The program leaves out the fsyncs of this source; see `kill-hook.ts`. */
  withoutFsync?: string;
}

/** Prepares the folder on a fresh disk, and begins the record. */
async function begin(activity: Activity, { fileSystem, folder, scratch, fault }: CutOptions): Promise<MountedDisk> {
  // What prepares may use blocking calls, which this process cannot answer on a disk that it serves itself.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await activity.prepare();
  const prepared = join(scratch, 'prepared');
  await rm(prepared, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  await rename(folder, prepared);
  await mkdir(folder);
  const mounted = await mountRecorded(fileSystem, join(scratch, 'disk'), folder);
  await run('cp', ['--archive', `${prepared}/.`, folder]);
  await rm(prepared, { recursive: true });
  await mounted.flush();
  mounted.disk.beginRecord();
  if (fault?.isDiskLying) mounted.disk.lie();
  return mounted;
}

const environmentOf = ({ fault }: CutOptions): Record<string, string> =>
  fault?.withoutFsync === undefined ? {} : { SKIP_SYNC: fault.withoutFsync };

export async function powerCutsOf(activity: Activity, options: CutOptions): Promise<CutRound[]> {
  const { random, cuts, isPulled } = options;
  const mounted = await begin(activity, options);
  const { disk } = mounted;
  const told: string[] = [];
  let length = 0;
  try {
    await activity.work({
      environment: environmentOf(options),
      acknowledge: (what) => {
        told.push(what);
        disk.acknowledge(what);
      },
    });
    // Before the disk is unmounted, which writes all that is left.
    length = disk.length;
  } finally {
    await mounted.unmount();
  }
  if (told.length === 0) throw new Error(`${activity.name}, undisturbed: nothing was acknowledged.`);
  const rounds: CutRound[] = [];
  const plain = isPulled ? cuts - 1 : cuts;
  for (let index = 0; index < plain; index++) {
    // One cut comes right after the end, when all is acknowledged, and takes every write that was not flushed.
    const isEnd = index > 0 && index === plain - 1;
    const entries = isEnd ? length : Math.floor(random() * length);
    const cut = disk.cutAfter(entries, isEnd ? () => 0 : random);
    rounds.push(await look(activity, options, cut, cut.acknowledged, `cut after ${entries} of ${length}`));
  }
  if (isPulled) rounds.push(await pull(activity, options, Math.floor(random() * PULL_UNTIL * length)));
  return rounds;
}

/** The disk fails after so many entries of a record like the first one, while the work continues. */
async function pull(activity: Activity, options: CutOptions, entries: number): Promise<CutRound> {
  const mounted = await begin(activity, options);
  const { disk } = mounted;
  disk.pullAfter(entries);
  const told: string[] = [];
  let isReached = false;
  try {
    const acknowledge = (what: string) => void told.push(what);
    await activity.work({ environment: environmentOf(options), gone: disk.whenPulled, acknowledge });
    isReached = disk.isPulled;
  } finally {
    await mounted.unmount();
  }
  // What came after belongs to the same disk, so all that was ever acknowledged has to be there.
  const cut = disk.cutAfter(disk.length, options.random);
  const moment = isReached ? `pulled after ${entries}` : `not pulled: it ended before ${entries}`;
  return await look(activity, options, cut, told, moment);
}

/** Mounts the disk as the cut left it. */
async function look(
  activity: Activity,
  { fileSystem, folder, scratch, onRound }: CutOptions,
  cut: Cut,
  acknowledged: readonly string[],
  moment: string,
): Promise<CutRound> {
  const image = join(scratch, 'image');
  cut.save(image);
  let problems: string[];
  try {
    const unmount = await mountSaved(image, folder);
    problems = await activity
      .problems(acknowledged)
      .catch((thrown: unknown) => [String(thrown)])
      .finally(unmount);
  } catch (thrown) {
    problems = [`The file system: ${String(thrown)}`];
  }
  const { unflushed, kept } = cut;
  const round = {
    activity: activity.name,
    fileSystem,
    moment,
    acknowledged: acknowledged.length,
    unflushed,
    kept,
    problems,
  };
  onRound?.(round);
  await rm(image, { force: true });
  return round;
}
