/**
 * Child of the day bench, so that all of it (site, analytics process) can be held to one core. Prints one JSON line:
 * DayTimes of subjects one after the other, or with `together` as its first word StudyTimes of all of them asked for at once.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSignalFileSync } from '../../src-server/signals/index.ts';
import { startEngine } from '../../src-server/site/engine.ts';
import { openSite } from '../../src-server/site/folder.ts';

export interface DayTimes {
  /** Summing every sample of the day, decoded from the same files. */
  passSeconds: number;
  samples: number;
  /** From the job to the stored metrics, with the start of the analytics process. */
  first: Spent;
  /** The same for each further subject, with the process running. */
  next: Spent[];
  /** Most memory that the analytics process ever held; absent where /proc is. */
  peakBytes?: number;
  metrics: number;
  /** The last day once more, its recordings as they were. */
  again: Spent;
  /** Whether that left the same bytes in the store. */
  isSame: boolean;
}

export interface StudyTimes {
  days: number;
  /** With the start of the analytics process. */
  spent: Spent;
}

/** Time by the clock, and of the processor in the site and its analytics process together (the clock's without /proc). */
interface Spent {
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

/** Null without /proc. */
const childPids = (): string[] | null =>
  procFile(`/proc/${process.pid}/task/${process.pid}/children`)?.trim().split(/\s+/).filter(Boolean) ?? null;

/** Processor seconds of this process and its children so far; null without /proc. */
function processorSeconds(): number | null {
  const { user, system } = process.cpuUsage();
  let sum = (user + system) / 1e6;
  const pids = childPids();
  if (pids === null) return null;
  for (const pid of pids) {
    // The name of the process, in brackets, may hold spaces.
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
const [dir, studyId, ...subjectIds] = process.argv.slice(isTogether ? 3 : 2);
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
          for (let i = 0; i < column.length; i++) sum += column[i];
          samples += column.length;
        }
      }
    }
    file.closeSync();
  }
  if (Number.isNaN(sum)) throw new Error('The sum of whole numbers is a number.');
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

/** Asks for the days of these subjects at once and waits until the last is stored. */
async function analyse(...ids: string[]): Promise<Spent> {
  const started = performance.now();
  const before = processorSeconds();
  for (const jobId of await Promise.all(ids.map(enqueueAnalysis))) {
    const ended = await engine.jobs.whenEnded(jobId);
    if (ended.state !== 'done') throw new Error(`The analysis is ${ended.state}: ${ended.error?.message}`);
  }
  const seconds = (performance.now() - started) / 1000;
  const after = processorSeconds();
  return { seconds, processorSeconds: before === null || after === null ? seconds : after - before };
}

/** Names what is stored of a subject, but for when it was computed. */
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
  const next: Spent[] = [];
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
    ? { days: subjectIds.length, spent: await analyse(...subjectIds) }
    : await inTurn();
  process.stdout.write(`${JSON.stringify(times)}\n`);
} finally {
  await engine.close();
  await folder.close();
}
