/** Worker threads and the analytics process, with the native modules that each of them loads. */
import { join } from 'node:path';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { type Check, expectSame, expectThat, REINSTALL, type SelfTestContext } from '../check.ts';
import { RECORDED_FROM_MS, simulatedRecording } from '../simulated-recording.ts';

async function checkWorkerThreads({ dir, entries }: SelfTestContext): Promise<void> {
  const { WorkerPool } = await import('../../jobs/workers/pool.ts');
  const { path, recordingId, summary } = await simulatedRecording(join(dir, 'worker'));
  const workers = new WorkerPool({ entry: entries.worker, threads: 1 });
  try {
    const outcome = await workers.run('checkUpload', {
      path,
      sha256: summary.sha256,
      recordingId,
      syncPoints: [],
      reportedPoints: [],
      arrivedUs: summary.stopUs,
    });
    expectSame('the verdict on a good file', outcome.kind, 'good');
  } finally {
    await workers.close();
  }
}

async function checkDatabaseInWorker({ dir, entries }: SelfTestContext): Promise<void> {
  const { initSite } = await import('../../site/folder.ts');
  const { WorkerPool } = await import('../../jobs/workers/pool.ts');
  const site = join(dir, 'worker-site');
  await initSite(site, { account: 'Self-test', email: 'self@test.local', password: 'self-test', timeZone: 'UTC' });
  const workers = new WorkerPool({ entry: entries.worker, threads: 1 });
  try {
    const report = await workers.run('verifySite', { dir: site });
    expectSame('the problems of a new site', report.problems, []);
    expectThat(report.checked.auditRows > 0, 'a worker thread read no rows of the database');
  } finally {
    await workers.close();
  }
}

async function checkAnalyticsProcess({ dir, entries, fork }: SelfTestContext): Promise<void> {
  const { AnalyticsSupervisor } = await import('../../jobs/analytics/supervisor.ts');
  const { path, recordingId, location, summary } = await simulatedRecording(join(dir, 'analytics'));
  const supervisor = new AnalyticsSupervisor({ entry: entries.analytics, fork });
  let columnBytes = 0;
  try {
    const { startUs, stopUs } = summary;
    const { problems } = await supervisor.call(
      'analyse',
      {
        recordings: [{ recordingId, path, location, startUs, stopUs }],
        windows: [{ date: '2026-01-15', startMs: RECORDED_FROM_MS, stopMs: RECORDED_FROM_MS + DAY_MS }],
        reached: [],
        days: [],
        neighbours: [],
        labels: [],
      },
      {
        deadlineMs: MINUTE_MS,
        onWindow: async ({ columns }) => {
          columnBytes += columns.length;
        },
      },
    );
    expectSame('the problems of an analysis', problems, []);
    expectThat(columnBytes > 0, 'the analytics process handed over no columns');
  } finally {
    supervisor.close();
  }
}

export const processChecks: readonly Check[] = [
  {
    name: 'worker-threads',
    subject: 'Worker threads that check files of devices',
    advice: `Recordings could not be received. ${REINSTALL}`,
    run: checkWorkerThreads,
  },
  {
    name: 'database-in-worker',
    subject: 'The database in a worker thread',
    advice: `Backups and verification would fail. ${REINSTALL}`,
    run: checkDatabaseInWorker,
  },
  {
    name: 'analytics-process',
    subject: 'The analytics process',
    advice: `Check that no security software stops programs that Outpost starts. ${REINSTALL}`,
    run: checkAnalyticsProcess,
  },
];
