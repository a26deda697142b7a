import { open, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ANALYTICS_VERSION } from '../../analytics/version.ts';
import { type RecordingRecord, SYSTEM } from '../../db/index.ts';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { columnPath } from '../../files/column-files.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import type { JobRow } from '../../study/jobs.ts';
import { addSimulatedRecordings, openTestEngine, type TestEngine } from '../../testing/test-engine.ts';

/** Early afternoon in New York: in the window that starts at noon of this day. */
const FIRST_MS = Date.UTC(2026, 2, 3, 18);

let engine: TestEngine;
beforeEach(async () => {
  engine = await openTestEngine();
});
afterEach(async () => {
  const { problems } = engine;
  await engine.close();
  expect(problems).toEqual([]);
});

async function analysed(rows: RecordingRecord[]): Promise<JobRow> {
  const { queue, study } = engine;
  const job = await queue.enqueue('analyse', {
    studyId: study.studyId,
    subjectId: study.subjectId,
    fromMs: Math.floor(Math.min(...rows.map((row) => row.startUs)) / 1000),
    toMs: Math.ceil(Math.max(...rows.map((row) => row.stopUs)) / 1000),
    recordingIds: rows.map((row) => row.id),
  });
  return await queue.whenEnded(job.id);
}

async function stored() {
  const { store, study } = engine;
  const windows = await store.analytics.windows(study.subjectId);
  const bytes: (Uint8Array | undefined)[] = [];
  for (const { date } of windows) bytes.push(await store.analytics.windowBytes(study.subjectId, date));
  return { windows, bytes, days: await store.analytics.days(study.subjectId) };
}

it('stores windows and days, marks the recordings and reports its work; a repetition gives the same bytes', async () => {
  const rows = await addSimulatedRecordings(engine, { startMs: FIRST_MS, minutes: 61 });
  const progress: JobRow[] = [];
  engine.queue.on('changed', (row) => row.progress && progress.push(row));
  const job = await analysed(rows);
  expect(job).toMatchObject({ state: 'done', result: { windows: ['2026-03-04'], days: ['2026-03-03'], problems: [] } });
  expect(progress[0]!.progress).toMatchObject({ step: 'reading recording 1 of 2' });
  const first = await stored();
  expect(first.days[0]!.metrics).not.toEqual({});
  for (const { id } of rows) expect((await engine.store.recordings.get(id))?.dataState).toBe('ANALYSED');
  const events = await engine.store.events.list(engine.study.studyId, 0, engine.clock.now);
  expect(events.find(({ action }) => action === 'METRICS_PROCESSED')?.referenceId).toBe(rows.at(-1)?.id);

  // Once with recordings cached by the process, once in a new process.
  for (const kill of [false, true]) {
    if (kill) process.kill(engine.analytics.pids[0]!, 'SIGKILL');
    expect((await analysed(rows)).state).toBe('done');
    expect(await stored()).toEqual(first);
  }
});

it('recomputes only the windows that a second day affects', async () => {
  await analysed(await addSimulatedRecordings(engine, { startMs: FIRST_MS, minutes: 61 }));
  const first = await stored();
  engine.clock.now += 1_000_000;
  const job = await analysed(
    await addSimulatedRecordings(engine, { startMs: FIRST_MS + DAY_MS, minutes: 61, seed: 2 }),
  );
  expect(job.result).toMatchObject({ windows: ['2026-03-05'], days: ['2026-03-04'] });
  const both = await stored();
  expect(both.windows.map(({ date }) => date)).toEqual(['2026-03-04', '2026-03-05']);
  expect(both.windows[0]).toEqual(first.windows[0]);
  expect(both.bytes[0]).toEqual(first.bytes[0]);
  expect(both.days[0]).toEqual(first.days[0]);
  expect(both.windows[1]!.computedTs).toBe(first.windows[0]!.computedTs + 1_000_000);
});

it('computes a stored window again when its file is lost, instead of a day from half of its data', async () => {
  await analysed(await addSimulatedRecordings(engine, { startMs: FIRST_MS, minutes: 61 }));
  const first = await stored();
  const file = join(engine.folder, columnPath(sha256Hex(first.bytes[0]!)));
  for (const damage of [() => rm(file), () => truncate(file, 1000)]) {
    await damage();
    await expect(stored()).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
    const job = await analysed(
      await addSimulatedRecordings(engine, { startMs: FIRST_MS + DAY_MS, minutes: 61, seed: 2 }),
    );
    expect(job.result).toMatchObject({ windows: ['2026-03-04', '2026-03-05'] });
    expect((await stored()).bytes[0]).toEqual(first.bytes[0]);
    expect((await stored()).days[0]).toEqual(first.days[0]);
  }
});

it('reports which versions a day is computed from, until all of it is recomputed', async () => {
  const first = await addSimulatedRecordings(engine, { startMs: FIRST_MS, minutes: 61 });
  await analysed(first);
  const { windows, bytes } = await stored();
  // The first window as computed by an older version.
  await engine.store.analytics.store(
    {
      studyId: engine.study.studyId,
      subjectId: engine.study.subjectId,
      algorithmVersion: '1',
      windows: windows.map(({ date, startTs, stopTs, timezone, sleep, inputsHash }, i) => ({
        window: { date, startMs: startTs, stopMs: stopTs },
        ...{ timezone, sleep, inputsHash },
        seconds: bytes[i]!,
      })),
      days: [],
    },
    SYSTEM,
  );
  await analysed(await addSimulatedRecordings(engine, { startMs: FIRST_MS + DAY_MS, minutes: 61, seed: 2 }));
  const versions = async () => (await stored()).days.map(({ date, algorithmVersion }) => [date, algorithmVersion]);
  const now = ANALYTICS_VERSION;
  expect(await versions()).toEqual([
    ['2026-03-03', now],
    ['2026-03-04', `1+${now}`],
  ]);
  await analysed(first);
  expect(await versions()).toEqual([
    ['2026-03-03', now],
    ['2026-03-04', now],
  ]);
});

it('makes two days from one window for a recording over midnight', async () => {
  const midnight = Date.UTC(2026, 2, 4, 5);
  const job = await analysed(
    await addSimulatedRecordings(engine, { startMs: midnight - 61 * MINUTE_MS, minutes: 122 }),
  );
  expect(job.result).toMatchObject({ windows: ['2026-03-04'], days: ['2026-03-03', '2026-03-04'] });
});

it('treats a damaged page as a gap and reports it', async () => {
  const rows = await addSimulatedRecordings(engine, { startMs: FIRST_MS, minutes: 10 });
  await damage(rows[0]!, 0.4);
  const job = await analysed(rows);
  expect(job.state).toBe('done');
  expect(job.result?.problems).toEqual([expect.stringMatching(/damaged/i)]);
});

it('fails with a message when a signal file cannot be opened, and keeps the process', async () => {
  const rows = await addSimulatedRecordings(engine, { startMs: FIRST_MS, minutes: 10 });
  await damage(rows[0]!, 0);
  const failed = await analysed(rows);
  expect(failed).toMatchObject({ state: 'failed', crashCount: 0, error: { code: 'SIGNAL_FILE_DAMAGED' } });
  expect(failed.error?.message).toMatch(/does not start with the signature.*\.$/);
  expect((await stored()).windows).toEqual([]);
  const { pids } = engine.analytics;
  expect(pids).toHaveLength(1);
  const later = await addSimulatedRecordings(engine, { startMs: FIRST_MS + 3 * DAY_MS, minutes: 10 });
  expect((await analysed(later)).state).toBe('done');
  expect(engine.analytics.pids).toEqual(pids);
});

it('parks an analysis that crashes its process three times while the next one completes', async () => {
  await engine.close();
  engine = await openTestEngine({ times: { backOffMs: [0] } });
  const rows = await addSimulatedRecordings(engine, { startMs: FIRST_MS, minutes: 10 });
  const { queue, analytics } = engine;
  const poisoned = new Set<string>();
  queue.on('changed', (row) => {
    if (row.state === 'running' && poisoned.has(row.id) && row.progress) {
      for (const pid of analytics.pids) process.kill(pid, 'SIGKILL');
    }
  });
  queue.on('changed', (row) => {
    if (poisoned.size === 0 && row.kind === 'analyse') poisoned.add(row.id);
  });
  const parked = await analysed(rows);
  expect(parked).toMatchObject({ state: 'parked', crashCount: 3, error: { code: 'ANALYTICS_CRASHED' } });
  expect((await analysed(rows)).state).toBe('done');
});

/** Overwrites some bytes at a relative position in the file. */
async function damage(row: RecordingRecord, fraction: number): Promise<void> {
  const path = join(engine.signalsDir, `${row.id}.sig`);
  const handle = await open(path, 'r+');
  try {
    const { size } = await stat(path);
    await handle.write(new Uint8Array(16).fill(0x5a), 0, 16, Math.floor(size * fraction));
  } finally {
    await handle.close();
  }
}
