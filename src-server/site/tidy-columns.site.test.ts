import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../durations.ts';
import { columnPath } from '../files/column-files.ts';
import { sha256Hex } from '../files/content-hash.ts';
import { storeTestAnalytics } from '../testing/test-analytics.ts';
import { addSimulatedRecordings, openTestEngine, type TestEngine } from '../testing/test-engine.ts';
import { startRepairingColumns, tidyColumns } from './tidy-columns.ts';

/** Early afternoon in New York. */
const FIRST_MS = Date.UTC(2026, 2, 3, 18);
const DATE = '2026-03-04';
const WEEK_MS = 7 * DAY_MS;

let engine: TestEngine;
beforeEach(async () => {
  engine = await openTestEngine();
});
afterEach(async () => await engine.close());

const tidy = () => tidyColumns(engine.store, (...job) => engine.queue.enqueue(...job), { pauseMs: 0 });

/** Stores the analytics of one date; others for another length. Returns the path of its column file. */
async function analysed(hours: number): Promise<string> {
  const { store, study } = engine;
  const spans = [{ startMs: FIRST_MS, stopMs: FIRST_MS + hours * 3_600_000 }];
  await storeTestAnalytics(store, study, 'US/Eastern', [DATE], spans);
  const bytes = await store.analytics.windowBytes(study.subjectId, DATE);
  return join(engine.folder, columnPath(sha256Hex(bytes!)));
}

describe('column files that no row names', () => {
  it('stay for a week after their analysis was replaced, and are removed then', async () => {
    const old = await analysed(1);
    const current = await analysed(2);
    expect(current).not.toBe(old);
    await tidy();
    engine.clock.now += WEEK_MS - 1;
    expect(await tidy()).toEqual({ removed: 0, missing: 0 });
    engine.clock.now += 1;
    expect(await tidy()).toEqual({ removed: 1, missing: 0 });
    expect([existsSync(old), existsSync(current)]).toEqual([false, true]);
    expect(await tidy()).toEqual({ removed: 0, missing: 0 });
    expect(engine.store.countRows().unusedColumns).toBe(0);
  });

  it('begin another week when a row named them meanwhile', async () => {
    const old = await analysed(1);
    await analysed(2);
    await tidy();
    engine.clock.now += WEEK_MS - 1;
    await analysed(1);
    await analysed(2);
    engine.clock.now += 1;
    await tidy();
    expect(existsSync(old)).toBe(true);
    engine.clock.now += WEEK_MS;
    await tidy();
    expect(existsSync(old)).toBe(false);
  });

  it('begin another week when an analysis stages their content again', async () => {
    const { store, study, clock } = engine;
    const old = await analysed(1);
    const bytes = (await store.analytics.windowBytes(study.subjectId, DATE))!;
    await analysed(2);
    await tidy();
    clock.now += WEEK_MS - 1;
    const { sha256 } = await store.analytics.stage(bytes);
    expect(old).toBe(join(engine.folder, columnPath(sha256)));
    clock.now += 1;
    expect(await tidy()).toEqual({ removed: 0, missing: 0 });
    clock.now += WEEK_MS;
    expect(await tidy()).toEqual({ removed: 1, missing: 0 });
    expect(existsSync(old)).toBe(false);
  });

  it('begin another week when the clock was set back, and are removed although a crash left them', async () => {
    const stray = join(engine.folder, columnPath('ab'.repeat(32)));
    mkdirSync(dirname(stray), { recursive: true });
    writeFileSync(stray, 'written before a crash');
    await tidy();
    engine.clock.now -= 30 * DAY_MS;
    await tidy();
    engine.clock.now += WEEK_MS;
    expect(await tidy()).toEqual({ removed: 1, missing: 0 });
    expect(existsSync(stray)).toBe(false);
  });
});

describe('a window whose column file is missing', () => {
  it('is computed again from its recordings', async () => {
    const { queue, study, store } = engine;
    const rows = await addSimulatedRecordings(engine, { startMs: FIRST_MS, minutes: 61 });
    const place = { studyId: study.studyId, subjectId: study.subjectId };
    const span = { fromMs: FIRST_MS, toMs: FIRST_MS + 61 * 60_000, recordingIds: rows.map(({ id }) => id) };
    await queue.whenEnded((await queue.enqueue('analyse', { ...place, ...span })).id);
    const bytes = (await store.analytics.windowBytes(study.subjectId, DATE))!;
    const path = join(engine.folder, columnPath(sha256Hex(bytes)));
    rmSync(path);
    expect(await tidy()).toEqual({ removed: 0, missing: 1 });
    // The job may have ended before the pass over all prefixes did.
    await Promise.all((await store.jobs.unfinished()).map(({ id }) => queue.whenEnded(id)));
    expect(await store.analytics.windowBytes(study.subjectId, DATE)).toEqual(bytes);
  });

  it('keeps its metrics when there are no recordings to compute it from', async () => {
    rmSync(await analysed(1));
    expect(await tidy()).toEqual({ removed: 0, missing: 1 });
    expect(await engine.store.jobs.unfinished()).toEqual([]);
    expect(await engine.store.analytics.days(engine.study.subjectId)).toHaveLength(1);
  });
});

describe('a window whose column file is damaged', () => {
  const problems: { message: string }[] = [];
  const repairing = () => {
    problems.length = 0;
    return startRepairingColumns(
      engine.store,
      (...job) => engine.queue.enqueue(...job),
      (problem) => problems.push(problem as { message: string }),
    );
  };

  it('is computed again when a read finds it, once however often it is read', async () => {
    const { queue, study, store } = engine;
    const rows = await addSimulatedRecordings(engine, { startMs: FIRST_MS, minutes: 61 });
    const place = { studyId: study.studyId, subjectId: study.subjectId };
    const span = { fromMs: FIRST_MS, toMs: FIRST_MS + 61 * 60_000, recordingIds: rows.map(({ id }) => id) };
    await queue.whenEnded((await queue.enqueue('analyse', { ...place, ...span })).id);
    const bytes = (await store.analytics.windowBytes(study.subjectId, DATE))!;
    const path = join(engine.folder, columnPath(sha256Hex(bytes)));
    const damaged = Buffer.from(bytes);
    damaged[damaged.length >> 1]! ^= 1;
    writeFileSync(path, damaged);
    const stop = repairing();
    const read = () => store.analytics.seconds(study.subjectId, DATE);
    for (let n = 0; n < 3; n++) await expect(read()).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
    await stop();
    expect(problems.map(({ message }) => message)).toEqual([
      `The file with the analysis results of ${DATE} is missing or damaged. They are being computed again from the recordings.`,
    ]);
    await queue.whenIdle();
    expect(await store.analytics.windowBytes(study.subjectId, DATE)).toEqual(bytes);
  });

  it('is reported with what to do when it cannot be computed', async () => {
    rmSync(await analysed(1));
    const stop = repairing();
    await expect(engine.store.analytics.seconds(engine.study.subjectId, DATE)).rejects.toThrow('missing');
    await stop();
    expect(problems).toHaveLength(1);
    expect(problems[0]!.message).toMatch(
      /cannot be computed again, because recordings of that day are missing or damaged/,
    );
    expect(await engine.store.jobs.unfinished()).toEqual([]);
  });
});
