/** Kills activities with SIGKILL: every third time at a random moment, otherwise right before or after a random fsync, rename or commit. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Activity } from './activity.ts';

export interface KillRound {
  activity: string;
  /** `after 812 ms` or `before commit 17`. */
  moment: string;
  /** False when the work had ended before its moment came. */
  wasKilled: boolean;
  /** What had been reported as stored before the end. */
  acknowledged: string[];
  /** Violations found; empty when there are none. */
  problems: string[];
}

/** Such as `sync`; see `kill-hook.ts`. */
type Counts = Record<string, number>;

/** Shorter ones are not migrations. */
const LONG_SCRIPT_US = 10_000;

/** An activity whose folder is `folder`. */
export interface KillOptions {
  folder: string;
  /** Numbers from 0 to 1, reproducible by seed. */
  random: () => number;
  /** Rounds that were killed at their moment; others are made on top, as many again at most. */
  kills: number;
  onRound?: (round: KillRound) => void;
}

export async function killsOf(activity: Activity, options: KillOptions): Promise<KillRound[]> {
  const { folder, random, kills } = options;
  const rounds: KillRound[] = [];
  const begin = async () => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await activity.prepare();
  };
  await begin();
  const undisturbed = await measure(activity);
  const isDone = () => rounds.filter(({ wasKilled }) => wasKilled).length >= kills;
  for (let index = 0; !isDone() && index < 2 * kills; index++) {
    await begin();
    const { moment, interruption } = momentOf(index, activity, undisturbed, random);
    const acknowledged: string[] = [];
    const work = { ...interruption, acknowledge: (what: string) => void acknowledged.push(what) };
    const { wasKilled } = await activity.work(work);
    const problems = await activity.problems(acknowledged).catch((thrown: unknown) => [String(thrown)]);
    const round = { activity: activity.name, moment, wasKilled, acknowledged, problems };
    rounds.push(round);
    options.onRound?.(round);
  }
  await rm(folder, { recursive: true, force: true });
  return rounds;
}

interface Undisturbed {
  counts: Counts;
  durationMs: number;
}

/** The steps of the work, and how long it takes. */
async function measure(activity: Activity): Promise<Undisturbed> {
  const place = await mkdtemp(join(tmpdir(), 'outpost-counts-'));
  try {
    const file = join(place, 'counts.json');
    await writeFile(file, '{}');
    const acknowledged: string[] = [];
    const acknowledge = (what: string) => void acknowledged.push(what);
    const { durationMs } = await activity.work({ environment: { COUNT_TO: file }, acknowledge });
    if (acknowledged.length === 0) throw new Error(`${activity.name}, undisturbed: nothing was acknowledged.`);
    return { durationMs, counts: JSON.parse(await readFile(file, 'utf8')) as Counts };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function momentOf(index: number, { isEarly }: Activity, { counts, durationMs }: Undisturbed, random: () => number) {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const { scriptUs, ...steps } = counts;
  if (index % 3 === 0) {
    const killAfterMs = (isEarly ? random() ** 2 : random()) * durationMs;
    return { moment: `after ${Math.round(killAfterMs)} ms`, interruption: { killAfterMs } };
  }
  if (scriptUs !== undefined && scriptUs >= LONG_SCRIPT_US && index % 3 === 1) {
    const us = Math.floor(random() * scriptUs);
    return { moment: `${us} us into SQL`, interruption: { environment: { KILL_AT: `exec:during:${us}` } } };
  }
  const step = pick(Object.keys(steps).filter((name) => (steps[name] ?? 0) > 0));
  const [side, nth] = [pick(['before', 'after']), 1 + Math.floor(random() * steps[step]!)];
  return { moment: `${side} ${step} ${nth}`, interruption: { environment: { KILL_AT: `${step}:${side}:${nth}` } } };
}
