/**
 * Child process of the `speed-day` benchmark, so that the site and its analytics process can be pinned to one core. Prints
 * one JSON line: DayTimes of the subjects in sequence or, with `together` as the first argument, StudyTimes of all at once.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSignalFileSync } from '../../src-server/signals/index.ts';
import { startEngine } from '../../src-server/site/engine.ts';
import { openSite } from '../../src-server/site/folder.ts';

export interface DayTimes {
  /** Time to decode the same files and sum every sample. */
  passSeconds: number;
  samples: number;
  /** From the job to the stored metrics, including the start of the analytics process. */
  first: Elapsed;
  /** The same for each further subject, with the analytics process running. */
  next: Elapsed[];
  /** Peak memory of the analytics process; absent without /proc. */
  peakBytes?: number;
  metrics: number;
  /** The last day analysed again, with unchanged recordings. */
  again: Elapsed;
  /** Whether the second analysis stored the same bytes. */
  isSame: boolean;
}

export interface StudyTimes {
  days: number;
  /** Including the start of the analytics process. */
  elapsed: Elapsed;
}

/** Wall time, and processor time of the site and its analytics process together (wall time without /proc). */
interface Elapsed {
  seconds: number;
  processorSeconds: number;
}

/** Clock ticks of /proc/PID/stat, the same on every Linux. */
const TICKS_PER_SECOND = 100;

const procFile = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** Returns null without /proc. */
const childPids = (): string[] | null =>
  procFile(`/proc/${process.pid}/task/${process.pid}/children`)?.trim().split(/\s+/).filter(Boolean) ?? null;

/** Returns the processor seconds of this process and its children so far; null without /proc. */
function processorSeconds(): number | null {
  const { user, system } = process.cpuUsage();
  let sum = (user + system) / 1e6;
  const pids = childPids();
  if (pids === null) return null;
  for (const pid of pids) {
    // The process name, in parentheses, may contain spaces.
    const fields = procFile(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ');
    if (fields) sum += (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }
  return sum;
}

function peakBytes(): number | undefined {
  const peaks = (childPids() ?? []).map((pid) =>
    Number(/VmHWM:\s+(\d+) kB/.exec(procFile(`/proc/${pid}/status`) ?? '')?.[1]),
  );
  return peaks.length > 0 ? 1024 * Math.max(...peaks) : undefined;
}

const isTogether = process.argv[2] === 'together';
const [dir = '', studyId = '', ...subjectIds] = process.argv.slice(isTogether ? 3 : 2);
const folder = await openSite(dir);
const engine = await startEngine(folder);

function passOverSamples(paths: readonly string[]): { samples: number; seconds: number } {
  const started = performance.now();
  let samples = 0;
  let sum = 0;
  for (const path of paths) {
    const file = openSignalFileSync(path);
    for (let channel = 0; channel < file.header.channels.length; channel++) {
      for (const page of file.pages(channel)) {
        for (const column of page.columns) {
          for (let i = 0; i < column.length; i++) sum += column[i]!;
          samples += column.length;
        }
      }
    }
    file.closeSync();
  }
  if (Number.isNaN(sum)) throw new Error('The sum of the samples is not a number.');
  return { samples, seconds: (performance.now() - started) / 1000 };
}

async function enqueueAnalysis(subjectId: string): Promise<string> {
  const recordings = await folder.store.recordings.listForSubject(subjectId);
  const job = await engine.jobs.enqueue('analyse', {
    studyId,
    subjectId,
    fromMs: Math.min(...recordings.map(({ startUs }) => startUs)) / 1000,
    toMs: Math.max(...recordings.map(({ stopUs }) => stopUs)) / 1000,
    recordingIds: recordings.map(({ id }) => id),
  });
  return job.id;
}

/** Enqueues the analysis of these subjects at once and waits until the last one is stored. */
async function analyse(...ids: string[]): Promise<Elapsed> {
  const started = performance.now();
  const before = processorSeconds();
  for (const jobId of await Promise.all(ids.map(enqueueAnalysis))) {
    const ended = await engine.jobs.whenEnded(jobId);
    if (ended.state !== 'done') throw new Error(`The analysis ended as ${ended.state}: ${ended.error?.message}`);
  }
  const seconds = (performance.now() - started) / 1000;
  const after = processorSeconds();
  return { seconds, processorSeconds: before === null || after === null ? seconds : after - before };
}

/** Hashes the stored analytics of a subject without the time of computation. */
async function hashOfStored(subjectId: string): Promise<string> {
  const { analytics } = folder.store;
  const hash = createHash('sha256');
  for (const { computedTs: _computedTs, ...window } of await analytics.windows(subjectId)) {
    hash.update(JSON.stringify(window));
    hash.update((await analytics.windowBytes(subjectId, window.date)) ?? '');
  }
  for (const { computedTs: _computedTs, ...day } of await analytics.days(subjectId)) hash.update(JSON.stringify(day));
  return hash.digest('hex');
}

async function inTurn(): Promise<DayTimes> {
  const first = await analyse(subjectIds[0]!);
  const next: Elapsed[] = [];
  for (const subjectId of subjectIds.slice(1)) next.push(await analyse(subjectId));
  const last = subjectIds[subjectIds.length - 1]!;
  const stored = await hashOfStored(last);
  const again = await analyse(last);
  const recordings = await folder.store.recordings.listForSubject(last);
  const paths = recordings.map(({ id }) => join(folder.signalsDir, `${id}.sig`));
  passOverSamples(paths);
  const pass = passOverSamples(paths);
  const days = await folder.store.analytics.days(last);
  return {
    passSeconds: pass.seconds,
    samples: pass.samples,
    first,
    next,
    peakBytes: peakBytes(),
    metrics: days.reduce((sum, day) => sum + Object.keys(day.metrics).length, 0),
    again,
    isSame: stored === (await hashOfStored(last)),
  };
}

try {
  const times: DayTimes | StudyTimes = isTogether
    ? { days: subjectIds.length, elapsed: await analyse(...subjectIds) }
    : await inTurn();
  process.stdout.write(`${JSON.stringify(times)}\n`);
} finally {
  await engine.close();
  await folder.close();
}
