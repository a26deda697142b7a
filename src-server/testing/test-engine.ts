/** The job queue with its real handlers, worker threads and analytics process, on a temporary site with one study. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newId, type RecordingRecord } from '../db/index.ts';
import { DiskBudget } from '../files/disk-budget.ts';
import { AnalyticsPool } from '../jobs/analytics/pool.ts';
import type { AnalyticsCrash, ForkProcess, SupervisorTimes } from '../jobs/analytics/supervisor.ts';
import { JOB_CONCURRENCY, JOB_ORDERS, jobCleanUps, jobHandlers } from '../jobs/handlers/index.ts';
import { HeldPassphrases } from '../jobs/held-passphrases.ts';
import { JobQueue } from '../jobs/queue.ts';
import { WorkerPool } from '../jobs/workers/pool.ts';
import type { Store } from '../services/index.ts';
import type { SimulatedRecording } from '../simulator/physiology/sensor-recordings.ts';
import { simulateSubject } from '../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../simulator/physiology/write.ts';
import { addRecordingRow, type RecordingPlace } from './recording-row.ts';
import { addTestStudy, openTestStore, type TestStore, type TestStudy } from './test-store.ts';

export const ANALYTICS_ENTRY = new URL('../jobs/analytics/entry.ts', import.meta.url);
export const WORKER_ENTRY = new URL('../jobs/workers/entry.ts', import.meta.url);

export interface TestEngine extends TestStore {
  study: TestStudy;
  signalsDir: string;
  inboxDir: string;
  exportsDir: string;
  disk: DiskBudget;
  queue: JobQueue;
  analytics: AnalyticsPool;
  workers: WorkerPool;
  /** Errors around the jobs; tests expect none. */
  problems: unknown[];
}

export interface TestEngineOptions {
  times?: Partial<SupervisorTimes>;
  fork?: ForkProcess;
  onCrash?: (crash: AnalyticsCrash) => void;
  /** False leaves analyses queued, so that no analytics process is started. */
  analyses?: boolean;
  /** Shared worker threads, closed by the caller, so that they need not be restarted for each site. */
  workers?: WorkerPool;
}

export async function openTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const site = openTestStore();
  const study = await addTestStudy(site.store);
  const signalsDir = join(site.folder, 'signals');
  const inboxDir = join(site.folder, 'inbox');
  const exportsDir = join(site.folder, 'exports');
  for (const dir of [signalsDir, inboxDir, exportsDir]) mkdirSync(dir);
  const analytics = new AnalyticsPool({
    entry: ANALYTICS_ENTRY,
    times: options.times,
    fork: options.fork,
    onCrash: options.onCrash,
  });
  const workers = options.workers ?? new WorkerPool({ entry: WORKER_ENTRY });
  const problems: unknown[] = [];
  const disk = new DiskBudget(site.folder);
  const passphrases = new HeldPassphrases();
  const queue: JobQueue = new JobQueue({
    store: site.store.jobs,
    subscribe: (listener) => site.store.subscribe(listener),
    handlers: jobHandlers({
      store: site.store,
      siteDir: site.folder,
      databaseDescriptor: undefined,
      backupsDir: join(site.folder, 'backups'),
      clock: () => site.clock.now,
      signalsDir,
      inboxDir,
      exportsDir,
      disk,
      analytics,
      workers,
      passphrases,
      enqueue: (kind, payload) => queue.enqueue(kind, payload),
    }),
    cleanUps: jobCleanUps({ inboxDir, exportsDir, passphrases }),
    orders: JOB_ORDERS,
    concurrency: { ...JOB_CONCURRENCY, ...(options.analyses === false && { analyse: 0 }) },
    clock: () => site.clock.now,
    onProblem: (problem) => problems.push(problem),
  });
  await queue.start();
  return {
    ...site,
    study,
    signalsDir,
    inboxDir,
    exportsDir,
    disk,
    queue,
    analytics,
    workers,
    problems,
    close: async () => {
      await queue.close();
      analytics.close();
      if (!options.workers) await workers.close();
      await site.close();
    },
  };
}

/** Stores simulated recordings of acceleration at the thigh and lower back, as an import would, and returns their rows. */
export async function addSimulatedRecordings(
  engine: TestEngine,
  span: { startMs: number; minutes: number; seed?: number },
): Promise<RecordingRecord[]> {
  const { study, store } = engine;
  const { recordings } = simulateSubject({
    seed: span.seed ?? 1,
    timeZone: 'US/Eastern',
    startMs: span.startMs,
    stopMs: span.startMs + span.minutes * 60_000,
    dailyCharging: false,
    dropoutsPerDay: 0,
    sensors: [
      { location: 'ANTERIOR_THIGH', side: 'RIGHT', part: 'thigh', ecg: false },
      { location: 'SACRUM', side: 'NONE', part: 'chest', ecg: false },
    ],
  });
  return await storeSimulated(store, engine.signalsDir, study, recordings);
}

/** Stores simulated recordings as an import would, under new ids, and returns their rows. */
export async function storeSimulated(
  store: Store,
  signalsDir: string,
  place: RecordingPlace,
  recordings: readonly SimulatedRecording[],
): Promise<RecordingRecord[]> {
  const rows: RecordingRecord[] = [];
  for (const recording of recordings) {
    const id = newId();
    const header = { ...recording.header, recordingId: id };
    const summary = await writeSimulatedRecording(signalsDir, { ...recording, header });
    const row = await addRecordingRow(store, place, header, summary, {
      contentSha256: createHash('sha256').update(id).digest('hex'),
      sourceFormat: 'test',
      sourceFileName: `${id}.sig`,
    });
    rows.push(row);
  }
  return rows;
}
