/** `outpost demo`: creates a demo site in which simulated subjects wear sensors, complete tasks and write, and serves it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import type { DayRecord } from '../db/index.ts';
import { PROGRAM_FILES } from '../program-files.ts';
import type { Store } from '../services/index.ts';
import { initSite } from '../site/folder.ts';
import { type RunningSite, startSite } from '../site/server.ts';
import type { JobRow } from '../study/jobs.ts';
import { buildMissingDesk } from './build-desk.ts';
import { openDemoDevices } from './demo/devices.ts';
import type { DemoSubject } from './demo/scenario.ts';
import { DEMO_ACCOUNT, DEMO_EMAIL, DEMO_PASSWORD } from './demo/scenario.ts';
import { DemoClock, demoStart, planDemoSubjects, seedDemo } from './demo/seed.ts';
import type { SimulateOutcome, SimulateTask } from './demo/simulate.ts';
import { answer, formatDuration, say, startProgress } from './output.ts';
import { untilStopped } from './signals.ts';
import { formatTable } from './tables.ts';

interface DemoCommand {
  data?: string;
  port: number;
  subjects: number;
  days: number;
  seed: number;
  once: boolean;
  json: boolean;
}

/** Totals of one subject. */
interface SubjectSummary {
  id: string;
  displayName: string;
  timeZone: string;
  recordings: number;
  wornSeconds: number;
  /** Mean heart rate over all states and days, weighted by duration; absent without data. */
  heartRateBpm?: number;
  steps: number;
  sleepSeconds: number;
}

export async function demo(options: DemoCommand): Promise<undefined> {
  const dir = options.data ?? (await mkdtemp(join(tmpdir(), 'outpost-demo-')));
  const isTemporary = options.data === undefined;
  const demoSubjects = planDemoSubjects({ ...options, nowMs: Date.now() });
  const clock = new DemoClock(demoStart(demoSubjects));
  const { accountId, userId } = await initSite(dir, {
    account: DEMO_ACCOUNT,
    email: DEMO_EMAIL,
    password: DEMO_PASSWORD,
    timeZone: 'US/Eastern',
    firstName: 'Dana',
    lastName: 'Whitfield',
  });
  let site: RunningSite | undefined;
  try {
    site = await startSite({
      dir,
      port: options.port,
      clock: clock.now,
      jobClock: Date.now,
      // Keeps slow-statement warnings out of the summary.
      logLevel: 'error',
      // Loopback only: the simulated devices run on this computer.
      lan: { port: 0, host: '127.0.0.1', addresses: () => ['127.0.0.1'], discovery: false },
    });
    const { studyId, subjectIds } = await fill(site, { accountId, userId }, demoSubjects, clock);
    const subjects = await Promise.all(subjectIds.map((id) => summarize((site as RunningSite).folder.store, id)));
    if (options.json) {
      answer({ url: site.url, email: DEMO_EMAIL, password: DEMO_PASSWORD, accountId, studyId, subjects });
    } else {
      answer(summaryTable(subjects));
      if (!options.once)
        answer(`\n${site.url}\nSign in as ${DEMO_EMAIL} with the password ${DEMO_PASSWORD}. Press Ctrl+C to stop.`);
    }
    if (!options.once) {
      const stopBuild = buildMissingDesk();
      await untilStopped();
      stopBuild();
    }
  } finally {
    await site?.close();
    if (isTemporary) await rm(dir, { recursive: true, force: true });
    else say(`The demo site is kept in ${dir}.`);
  }
  return undefined;
}

/** Simulates the subjects, seeds the site and waits until everything is analysed. */
async function fill(
  site: RunningSite,
  ids: { accountId: string; userId: string },
  demoSubjects: DemoSubject[],
  clock: DemoClock,
): Promise<{ studyId: string; subjectIds: string[] }> {
  const { store, inboxDir } = site.folder;
  const simulationDir = await mkdtemp(join(inboxDir, 'simulated-'));
  const simulators = new Piscina({
    filename: PROGRAM_FILES.simulate.href,
    minThreads: 0,
    maxThreads: 2,
  });
  const progress = await startProgress('Demo');
  const devices = await openDemoDevices(site, { ...ids, clock: clock.now });
  try {
    const outcomes = demoSubjects.map((member) => {
      const outcome = simulators.run(simulationTask(simulationDir, member)) as Promise<SimulateOutcome>;
      // Awaited in turn below. Marks rejections as handled until then.
      outcome.catch(() => undefined);
      return outcome;
    });
    const made = await seedDemo({
      store,
      devices,
      ...ids,
      clock,
      demoSubjects,
      simulated: (index) => outcomes[index]!,
      onStep: (done, total, step) => progress.update(done, total, step),
    });
    site.engine.jobs.on('changed', (row: JobRow) => {
      if (row.kind === 'analyse' && row.progress) progress.update(row.progress.done, row.progress.total, 'analysing');
    });
    progress.update(1, 1, 'analysing');
    await site.engine.jobs.whenIdle();
    clock.release();
    return made;
  } finally {
    progress.stop();
    await devices.close();
    await simulators.destroy();
    await rm(simulationDir, { recursive: true, force: true });
  }
}

function simulationTask(dir: string, member: DemoSubject): SimulateTask {
  const { person, seed, startMs, stopMs, gaps } = member;
  return {
    dir,
    options: {
      seed,
      timeZone: person.timeZone,
      startMs,
      stopMs,
      gaps,
      sensors: [
        { location: 'ECG_LEAD_II', side: 'NONE', part: 'chest', ecg: true, udid: member.chestUdid },
        { location: 'ANTERIOR_THIGH', side: person.thighSide, part: 'thigh', ecg: false, udid: member.thighUdid },
      ],
    },
  };
}

async function summarize(store: Store, subjectId: string): Promise<SubjectSummary> {
  const subject = await store.subjects.require(subjectId);
  const recordings = await store.recordings.listForSubject(subjectId);
  const days = await store.analytics.days(subjectId);
  const sum = (name: string) => days.reduce((total, day) => total + (day.metrics[name] ?? 0), 0);
  const heartRate = averageHeartRate(days);
  return {
    id: subject.id,
    displayName: subject.displayName,
    timeZone: subject.timezone,
    recordings: recordings.length,
    wornSeconds: sum('SENSOR_WEAR_DURATION'),
    ...(heartRate !== undefined && { heartRateBpm: heartRate }),
    steps: sum('MOVING_STEPS'),
    sleepSeconds: sum('SLEEPING_DURATION'),
  };
}

function averageHeartRate(days: DayRecord[]): number | undefined {
  let weighted = 0;
  let weight = 0;
  for (const { metrics } of days) {
    for (const state of ['RESTING', 'MOVING', 'SLEEPING']) {
      const rate = metrics[`${state}_AVG_HR`];
      const seconds = metrics[`${state}_DURATION`];
      if (rate === undefined || seconds === undefined) continue;
      weighted += rate * seconds;
      weight += seconds;
    }
  }
  return weight === 0 ? undefined : Math.round((weighted / weight) * 10) / 10;
}

function summaryTable(subjects: SubjectSummary[]): string {
  return formatTable([
    ['subject', 'time zone', 'recordings', 'worn', 'heart rate', 'steps', 'sleep'],
    ...subjects.map((subject) => [
      subject.displayName,
      subject.timeZone,
      String(subject.recordings),
      formatDuration(subject.wornSeconds * 1000),
      subject.heartRateBpm === undefined ? 'none' : `${subject.heartRateBpm} bpm`,
      String(subject.steps),
      formatDuration(subject.sleepSeconds * 1000),
    ]),
  ]);
}
