import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { binChannels } from '../../analytics/channels.ts';
import { binFurtherChannels } from '../../analytics/further-channels.ts';
import { ANALYTICS_VERSION } from '../../analytics/version.ts';
import { type Change, newId, SYSTEM } from '../../db/index.ts';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { columnPath } from '../../files/column-files.ts';
import { verifyAnalytics, verifyColumnFiles } from '../../integrity/verify-analytics.ts';
import type { VerifyReport } from '../../integrity/verify-report.ts';
import { KEPT_UNUSED_MS } from '../../services/analytics.ts';
import { tidyColumns } from '../../site/tidy-columns.ts';
import { BinReader, binRuns } from '../../stored-analytics/bin-reader.ts';
import { CALIBRATION_NAMES } from '../../study/posture-calibration.ts';
import { addIntervalRecording } from '../../testing/interval-recording.ts';
import { addSimulatedRecordings, openTestEngine, type TestEngine } from '../../testing/test-engine.ts';
import { completeParameters } from '../../vocabulary/analysis-parameters.ts';

/** Early afternoon in New York: in the window that starts at noon of this day. */
const START_MS = Date.UTC(2026, 2, 3, 18);
const MINUTES = 70;
/** Everything is slow, and every long interval a pause: unlike the defaults. */
const PARAMETERS = completeParameters({ rhythm: { bradycardiaBpm: 99, tachycardiaBpm: 100, pauseSeconds: 1.5 } });

let engine: TestEngine;
let change: Change;

/** Beats 0.8 s apart, with a pause of two seconds every five minutes. */
function beats(startMs: number): number[] {
  const found = [startMs * 1000];
  while (found.at(-1)! < (startMs + MINUTES * MINUTE_MS) * 1000)
    found.push(found.at(-1)! + 1000 * (found.length % 375 === 0 ? 2000 : 800));
  return found;
}

async function record(startMs: number, seed = 1): Promise<void> {
  const { store, queue, signalsDir, study } = engine;
  const rows = await addSimulatedRecordings(engine, { startMs, minutes: MINUTES, seed });
  const strap = await addIntervalRecording(store, signalsDir, study, beats(startMs));
  const { studyId, subjectId } = study;
  const recordingIds = [...rows, strap].map(({ id }) => id);
  const toMs = startMs + MINUTES * MINUTE_MS;
  await queue.enqueue('analyse', { studyId, subjectId, fromMs: startMs, toMs, recordingIds });
  await queue.whenIdle();
}

beforeEach(async () => {
  engine = await openTestEngine();
  change = { actor: { type: 'USER', id: engine.study.userId }, reason: 'Protocol amendment 2' };
  await record(START_MS);
});
afterEach(async () => {
  const { problems } = engine;
  await engine.close();
  expect(problems).toEqual([]);
});

/** Of all that is recorded, by the minute. */
const SPAN = { fromMs: START_MS, toMs: START_MS + MINUTES * MINUTE_MS, intervalMs: MINUTE_MS };

const runs = () => engine.store.analysisRuns;
const inUse = () => engine.store.analytics.days(engine.study.subjectId);
const ofRun = (runId: string) => engine.store.analytics.days(engine.study.subjectId, { runId });
const valuesOf = (days: Awaited<ReturnType<typeof inUse>>) =>
  days.map(({ date, metrics, validSeconds }) => ({ date, metrics, validSeconds }));

async function started(name = 'Slower', parameters = PARAMETERS) {
  const { studyId } = engine.study;
  const run = await runs().create({ studyId, name, version: ANALYTICS_VERSION, parameters }, change);
  await engine.queue.whenIdle();
  return run;
}

const stateOf = async (id: string) => (await runs().show(id, engine.study.studyId)).state;

async function problems(): Promise<unknown[]> {
  const report: VerifyReport = {
    siteId: '',
    problems: [],
    checked: { recordings: 0, bytes: 0, auditRows: 0, windows: 0, unusedColumnFiles: 0, subjects: 0 },
    auditHead: { sequence: 0, hash: '' },
  };
  await verifyAnalytics(engine.store, report, {});
  await verifyColumnFiles(engine.store, join(engine.folder, 'columns'), report, {});
  return report.problems;
}

const tidy = () => tidyColumns(engine.store, (...job) => engine.queue.enqueue(...job), { pauseMs: 0 });

describe('an analysis run', () => {
  it('computes beside what is in use, and exchanges it when a person adopts it, there and back', async () => {
    const { store, study } = engine;
    const before = await inUse();
    const events = async () =>
      (await store.events.list(study.studyId, 0, engine.clock.now)).filter(
        ({ action }) => action === 'METRICS_PROCESSED',
      ).length;
    const eventsBefore = await events();
    const run = await started();
    expect(await stateOf(run.id)).toBe('READY');
    expect(await inUse()).toEqual(before);
    expect(await events()).toBe(eventsBefore);
    const computed = await ofRun(run.id);
    expect(computed.map(({ date }) => date)).toEqual(before.map(({ date }) => date));
    expect(computed[0]!.inputsHash).not.toBe(before[0]!.inputsHash);
    expect(valuesOf(computed)).not.toEqual(valuesOf(before));
    expect(await problems()).toEqual([]);

    engine.clock.now += DAY_MS;
    const replaced = await runs().adopt(run.id, study.studyId, change);
    expect(valuesOf(await inUse())).toEqual(valuesOf(computed));
    // Exports of what changed find the days by the time at which they came into use.
    expect((await inUse()).every(({ computedTs }) => computedTs === engine.clock.now)).toBe(true);
    expect(replaced).toMatchObject({ name: 'Before Slower', replacedBy: run.id, version: ANALYTICS_VERSION });
    expect(await ofRun(replaced!.id)).toEqual(before);
    expect(await ofRun(run.id)).toEqual([]);
    // New data is analysed by the same method.
    expect((await store.studies.require(study.studyId)).analysisParameters).toEqual(PARAMETERS);
    expect([await stateOf(run.id), await stateOf(replaced!.id)]).toEqual(['ADOPTED', 'REPLACED']);
    expect(await events()).toBe(eventsBefore + 1);
    await expect(runs().adopt(run.id, study.studyId, change)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await problems()).toEqual([]);

    const again = await runs().adopt(replaced!.id, study.studyId, change);
    expect(again?.name).toBe('Before Before Slower');
    expect((await store.studies.require(study.studyId)).analysisParameters).toBeUndefined();
    expect(valuesOf(await inUse())).toEqual(valuesOf(before));
    expect(valuesOf(await ofRun(again!.id))).toEqual(valuesOf(computed));
    expect(await problems()).toEqual([]);
  });

  it('keeps its column files, and is outdated when one is lost', async () => {
    const run = await started();
    const adopted = await runs().adopt(run.id, engine.study.studyId, change);
    const [window] = (await engine.store.analytics.windowsByColumns('')).filter(({ runId }) => runId === adopted!.id);
    for (let i = 0; i < 2; i++) {
      expect(await tidy()).toEqual({ removed: 0, missing: 0 });
      engine.clock.now += KEPT_UNUSED_MS + 1;
    }
    expect(await problems()).toEqual([]);
    await rm(join(engine.folder, columnPath(window!.sha256)));
    expect(await problems()).toHaveLength(1);
    expect(await tidy()).toEqual({ removed: 0, missing: 1 });
    const { subjects } = await runs().show(adopted!.id, engine.study.studyId);
    expect(subjects).toMatchObject([{ state: 'OUTDATED' }]);
    await expect(runs().adopt(adopted!.id, engine.study.studyId, change)).rejects.toThrow('1 subject is outdated');
    await runs().refresh(adopted!.id, engine.study.studyId, change);
    await engine.queue.whenIdle();
    expect(await problems()).toEqual([]);
    await runs().adopt(adopted!.id, engine.study.studyId, change);
  });

  it('is outdated by what arrives later, until it is brought up to date', async () => {
    const { studyId, subjectId } = engine.study;
    const run = await started();
    await record(START_MS + 3 * DAY_MS, 2);
    expect(await stateOf(run.id)).toBe('OUTDATED');
    await expect(runs().adopt(run.id, studyId, change)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { open: 0, failed: 0, outdated: 1 },
    });
    expect(await runs().refresh(run.id, studyId, change)).toBe(1);
    await engine.queue.whenIdle();
    expect(await stateOf(run.id)).toBe('READY');
    expect(await ofRun(run.id)).toHaveLength(2);
    expect(await runs().refresh(run.id, studyId, change)).toBe(0);

    const span = { kind: 'NOT_WORN' as const, startTs: START_MS, stopTs: START_MS + 10 * MINUTE_MS };
    await engine.store.corrections.add({ studyId, subjectId }, [{ id: newId(), ...span }], change);
    await engine.queue.whenIdle();
    expect(await stateOf(run.id)).toBe('OUTDATED');
    await runs().refresh(run.id, studyId, change);
    await engine.queue.whenIdle();
    const uncorrected = await engine.store.analytics.uncorrectedDays(subjectId, { runId: run.id });
    expect(uncorrected).toHaveLength(1);
    await runs().adopt(run.id, studyId, change);
    expect(valuesOf(await engine.store.analytics.uncorrectedDays(subjectId))).toEqual(valuesOf(uncorrected));
  });

  it('gives with the same method the same bytes', async () => {
    const run = await started('Again', completeParameters());
    expect(valuesOf(await ofRun(run.id))).toEqual(valuesOf(await inUse()));
    const windows = await engine.store.analytics.windowsByColumns('');
    expect(windows.map(({ runId }) => runId)).toEqual([undefined, run.id]);
    expect(new Set(windows.map(({ sha256 }) => sha256)).size).toBe(1);
    const [used] = await inUse();
    expect((await ofRun(run.id))[0]!.inputsHash).toBe(used!.inputsHash);
  });

  it('stores nothing once it was cancelled, and continues when it is brought up to date', async () => {
    const { store, queue, study } = engine;
    const running = Promise.withResolvers<string>();
    queue.on('changed', (row) => row.state === 'running' && 'runId' in row.payload && running.resolve(row.id));
    const { studyId } = study;
    const input = { studyId, name: 'Stopped', version: ANALYTICS_VERSION, parameters: PARAMETERS };
    const run = await runs().create(input, change);
    await running.promise;
    for (const jobId of await runs().cancel(run.id, studyId, change)) await queue.cancel(jobId);
    await queue.whenIdle();
    expect(await stateOf(run.id)).toBe('CANCELLED');
    expect(await ofRun(run.id)).toEqual([]);
    await expect(
      store.transaction((open) => open.analysisRuns.replaceSubject(run.id, study.subjectId, 'x')),
    ).rejects.toMatchObject({ code: 'CANCELLED' });
    await runs().refresh(run.id, studyId, change);
    await queue.whenIdle();
    expect(await stateOf(run.id)).toBe('READY');
  });

  it('names the subject that failed, and is not adopted without it', async () => {
    const { store, study, signalsDir } = engine;
    const [row] = await store.recordings.listForSubject(study.subjectId, {});
    await rm(join(signalsDir, `${row!.id}.sig`));
    // It still has what it read of the recording.
    process.kill(engine.analytics.pids[0]!, 'SIGKILL');
    const run = await started();
    const shown = await runs().show(run.id, study.studyId);
    expect(shown.state).toBe('FAILED');
    expect(shown.subjects).toMatchObject([{ subjectId: study.subjectId, state: 'FAILED' }]);
    expect(shown.subjects[0]!.problem).toMatch(/\.$/);
    await expect(runs().adopt(run.id, study.studyId, change)).rejects.toThrow('1 subject is without results');
  });

  it('of some subjects compares, but is not adopted', async () => {
    const { studyId, subjectId } = engine.study;
    const input = { studyId, name: 'Pilot', version: ANALYTICS_VERSION, parameters: PARAMETERS };
    const run = await runs().create({ ...input, subjectIds: [subjectId] }, change);
    await engine.queue.whenIdle();
    expect(await stateOf(run.id)).toBe('READY');
    await expect(runs().adopt(run.id, studyId, change)).rejects.toThrow('only some subjects');
  });

  it('is refused without a reason, with the name of another, by another version, and without recordings', async () => {
    const { store, study } = engine;
    const { studyId } = study;
    const input = { studyId, name: 'Slower', version: ANALYTICS_VERSION, parameters: PARAMETERS };
    await started();
    const refusals: [object, Change, string][] = [
      [{}, change, 'DUPLICATE_NAME'],
      [{ name: 'Other' }, { actor: change.actor }, 'INVALID_INPUT'],
      [{ name: ' ' }, change, 'INVALID_INPUT'],
      [{ name: 'Old', version: '9' }, change, 'VERSION_NOT_AVAILABLE'],
      [{ name: 'None', subjectIds: [] }, change, 'CONFLICT'],
    ];
    for (const [more, by, code] of refusals)
      await expect(runs().create({ ...input, ...more }, by)).rejects.toMatchObject({ code });
    expect(await store.analysisRuns.list(studyId)).toHaveLength(1);
  });

  it('is computed while the study is locked, and adopted only afterwards', async () => {
    const { store, study } = engine;
    const signer = (await store.users.get(study.userId))!;
    await store.studyLocks.lock(study.studyId, signer, change);
    const run = await started();
    expect(await stateOf(run.id)).toBe('READY');
    await expect(runs().adopt(run.id, study.studyId, change)).rejects.toMatchObject({ code: 'STUDY_LOCKED' });
    await expect(runs().pin(study.studyId, ANALYTICS_VERSION, change)).rejects.toMatchObject({ code: 'STUDY_LOCKED' });
    await store.studyLocks.unlock(study.studyId, change);
    await runs().adopt(run.id, study.studyId, change);
  });

  it('has channels of its own, which are those in use once it is adopted', async () => {
    const { store, study } = engine;
    const { studyId, subjectId } = study;
    const run = await started();
    const channelsOf = async (runId?: string) => {
      const windows = await store.analytics.windows(subjectId, { runId });
      const reader = new BinReader(store, subjectId, windows, { runId });
      const found = binRuns(windows, { startMs: START_MS, stopMs: START_MS + MINUTES * MINUTE_MS }, SPAN);
      const bins = reader.binned(found, SPAN.intervalMs, (...request) => ({
        ...binChannels(...request).values,
        ...binFurtherChannels(...request).values,
      }));
      return { parameters: windows.map(({ parameters }) => parameters), bins: await Array.fromAsync(bins) };
    };
    const before = await channelsOf();
    const own = await channelsOf(run.id);
    expect(own.bins).not.toEqual(before.bins);
    expect([before.parameters, own.parameters]).toEqual([
      [undefined],
      [{ rhythm: { bradycardiaBpm: 99, pauseSeconds: 1.5 } }],
    ]);
    const replaced = await runs().adopt(run.id, studyId, change);
    expect((await channelsOf()).bins).toEqual(own.bins);
    expect((await channelsOf(replaced!.id)).bins).toEqual(before.bins);
  });

  it('counts as outdated when a change was taken back, until it is brought up to date without an analysis', async () => {
    const { store, study, clock } = engine;
    const { studyId, subjectId } = study;
    const run = await started();
    const before = await store.analysisRuns.subjectsOf(run.id);
    const label = {
      ...{ studyId, subjectId, type: 'subject' as const, displayName: ' Calibration: Standing' },
      ...{ startTs: START_MS, stopTs: START_MS + MINUTE_MS },
    };
    const [added] = await store.annotations.addLabels([label], change);
    expect(await stateOf(run.id)).toBe('OUTDATED');
    await store.annotations.deleteLabel(added!.id, change);
    expect(await stateOf(run.id)).toBe('OUTDATED');
    clock.now += 1;
    expect(await runs().refresh(run.id, studyId, change)).toBe(0);
    expect(await stateOf(run.id)).toBe('READY');
    expect(await store.analysisRuns.subjectsOf(run.id)).toEqual(before);
    // The trigger looks for their common beginning.
    for (const name of CALIBRATION_NAMES) expect(name.startsWith('calibration:'), name).toBe(true);
    // A label of anything else is none of its data.
    await store.annotations.addLabels([{ ...label, displayName: 'Coffee' }], change);
    expect(await stateOf(run.id)).toBe('READY');
  });

  it('continues after it was cancelled, also when nothing is left to compute', async () => {
    const { store, study } = engine;
    const { studyId } = study;
    const run = await started();
    expect(await runs().cancel(run.id, studyId, change)).toEqual([]);
    expect(await stateOf(run.id)).toBe('CANCELLED');
    expect(await runs().refresh(run.id, studyId, change)).toBe(0);
    expect(await stateOf(run.id)).toBe('READY');
    const audited = (await store.audit.list({ studyId })).filter(({ action }) => action === 'analysis-run.refresh');
    expect(audited).toMatchObject([{ changes: { cancelledTs: { old: expect.any(Number), new: null } } }]);
  });

  it('is outdated by what changed while it was computed', async () => {
    const { store, study } = engine;
    const run = await started();
    await store.transaction((open) => open.analysisRuns.replaceSubject(run.id, study.subjectId, 'of older data'));
    expect(await stateOf(run.id)).toBe('OUTDATED');
  });

  it('shows in the list what its detail counts', async () => {
    const { studyId } = engine.study;
    const run = await started();
    const counts = async () => {
      const [listed] = await runs().counted(await runs().list(studyId));
      const { state, counts: detailed } = await runs().show(run.id, studyId);
      expect([listed!.state, listed!.counts]).toEqual([state, detailed]);
      return detailed;
    };
    expect(await counts()).toEqual({ DONE: 1 });
    const { id: subjectId } = await engine.store.subjects.create(
      studyId,
      { displayName: 'S-002', timezone: 'US/Eastern' },
      change,
    );
    const strap = await addIntervalRecording(engine.store, engine.signalsDir, { studyId, subjectId }, beats(START_MS));
    expect(await counts()).toEqual({ DONE: 1, MISSING: 1 });
    await runs().refresh(run.id, studyId, change);
    await engine.queue.whenIdle();
    expect(await counts()).toEqual({ DONE: 2 });
    await engine.store.recordings.setFileState(strap.id, 'MISSING', SYSTEM);
    expect(await counts()).toEqual({ DONE: 1, OUTDATED: 1 });
  });

  it('is deleted with its rows, and its files once no backup can need them', async () => {
    const { store, study } = engine;
    const run = await started();
    const [own] = (await store.analytics.windowsByColumns('')).filter(({ runId }) => runId === run.id);
    const used = await inUse();
    const refused = (name: string, by: Change) => runs().delete(run.id, study.studyId, name, by);
    await expect(refused('Slowest', change)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(refused('Slower', { actor: change.actor })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await runs().pin(study.studyId, ANALYTICS_VERSION, change);
    await expect(refused('Slower', change)).rejects.toThrow('pinned to version');
    await runs().pin(study.studyId, null, change);

    await runs().delete(run.id, study.studyId, 'Slower', change);
    expect(await runs().list(study.studyId)).toEqual([]);
    await expect(stateOf(run.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // Here the program ends: what is left is the work of the next start.
    expect(await ofRun(run.id)).toHaveLength(1);
    expect(await problems()).toEqual([]);
    await runs().completeDeletions();
    expect(await runs().deletions()).toEqual([]);
    expect(store.countRows()).toMatchObject({
      ...{ analysisRun: 0, analysisRunSubject: 0, analysisRunWindow: 0, analysisRunDay: 0 },
      analysisRunUncorrectedDay: 0,
    });
    expect(await inUse()).toEqual(used);
    expect(await tidy()).toEqual({ removed: 0, missing: 0 });
    engine.clock.now += KEPT_UNUSED_MS + 1;
    expect(await tidy()).toEqual({ removed: 1, missing: 0 });
    await expect(access(join(engine.folder, columnPath(own!.sha256)))).rejects.toThrow('ENOENT');
    expect(await problems()).toEqual([]);
    // Its name is free again.
    await started();
  });

  it('is not deleted while it is computed, or once it was adopted', async () => {
    const { queue, study } = engine;
    const { studyId } = study;
    const running = Promise.withResolvers<string>();
    queue.on('changed', (row) => row.state === 'running' && 'runId' in row.payload && running.resolve(row.id));
    const run = await runs().create(
      { studyId, name: 'Slower', version: ANALYTICS_VERSION, parameters: PARAMETERS },
      change,
    );
    await running.promise;
    await expect(runs().delete(run.id, studyId, 'Slower', change)).rejects.toThrow('is being computed');
    await queue.whenIdle();
    const replaced = await runs().adopt(run.id, studyId, change);
    await expect(runs().delete(run.id, studyId, 'Slower', change)).rejects.toThrow('was adopted');
    // What it replaced is in use no more.
    await runs().delete(replaced!.id, studyId, 'Before Slower', change);
    await runs().completeDeletion(replaced!.id);
    expect(await problems()).toEqual([]);
  });

  it('goes with an erased subject, its files too', async () => {
    const { store, study } = engine;
    const run = await started();
    const replaced = await runs().adopt(run.id, study.studyId, change);
    const hashes = (await store.analytics.windowsByColumns('')).map(({ sha256 }) => sha256);
    expect(new Set(hashes).size).toBe(2);
    const { id } = await store.erasures.order({ ...study, confirmation: 'S-001' }, change);
    await store.erasures.eraseRows(id);
    const { files } = (await store.erasures.get(id))!;
    for (const sha256 of hashes) expect(files).toContain(`${columnPath(sha256)}*`);
    expect(await ofRun(replaced!.id)).toEqual([]);
    expect(await store.analysisRuns.subjectsOf(replaced!.id)).toEqual([]);
    expect(store.countRows()).toMatchObject({
      ...{ analysisRunWindow: 0, analysisRunDay: 0, analysisRunSubject: 0 },
      analysisRunUncorrectedDay: 0,
    });
  });
});

describe('a pinned study', () => {
  /** Days as an older program left them. */
  async function olderDays(): Promise<void> {
    const { store, study } = engine;
    const { studyId, subjectId } = study;
    const windows = await store.analytics.windows(subjectId);
    const ofWindows = [];
    for (const { date, startTs, stopTs, timezone, sleep, inputsHash } of windows) {
      const seconds = (await store.analytics.windowBytes(subjectId, date))!;
      ofWindows.push({ window: { date, startMs: startTs, stopMs: stopTs }, timezone, sleep, inputsHash, seconds });
    }
    const days = (await inUse()).map(({ dayStartTs, dayStopTs, dataStartTs, dataStopTs, ...day }) => ({
      ...day,
      metrics: {
        ...{ date: day.date, metrics: day.metrics, validSeconds: day.validSeconds },
        ...{ dayStartMs: dayStartTs, dayStopMs: dayStopTs, dataStartMs: dataStartTs, dataStopMs: dataStopTs },
      },
      algorithmVersion: '10',
    }));
    await store.analytics.store({ studyId, subjectId, algorithmVersion: '10', windows: ofWindows, days }, SYSTEM);
  }

  const waiting = () => runs().waitingJobs(engine.study.studyId);

  it('lets new data wait for its version, until the pin is lifted', async () => {
    const { store, study } = engine;
    await olderDays();
    await expect(runs().pin(study.studyId, '7', change)).rejects.toMatchObject({ code: 'VERSION_NOT_AVAILABLE' });
    await runs().pin(study.studyId, '10', change);
    await record(START_MS + 3 * DAY_MS, 2);
    expect((await inUse()).map(({ algorithmVersion }) => algorithmVersion)).toEqual(['10']);
    const [job] = await waiting();
    expect((await engine.queue.get(job!.id))?.error?.message).toMatch(
      /pinned to version 10 .* program has version \d+.*Adopt an analysis run.*install the program/,
    );
    expect(await store.analysisRuns.releaseWaiting()).toBe(0);
    await runs().pin(study.studyId, null, change);
    await engine.queue.whenIdle();
    expect(await waiting()).toEqual([]);
    expect((await inUse()).map(({ algorithmVersion }) => algorithmVersion)).toEqual(['10', ANALYTICS_VERSION]);
  });

  it('follows the run that is adopted, which has what waited', async () => {
    const { store, study } = engine;
    await olderDays();
    await runs().pin(study.studyId, '10', change);
    await record(START_MS + 3 * DAY_MS, 2);
    const run = await started('Version now', completeParameters());
    const replaced = await runs().adopt(run.id, study.studyId, change);
    expect((await store.studies.require(study.studyId)).pinnedVersion).toBe(ANALYTICS_VERSION);
    expect(await inUse()).toHaveLength(2);
    expect(await waiting()).toEqual([]);
    const recordings = await store.recordings.listForSubject(study.subjectId, {});
    expect(recordings.every(({ dataState }) => dataState === 'ANALYSED')).toBe(true);
    // What was in use lacks the second day, so it cannot come back as it is, and this program cannot compute it.
    expect(replaced).toMatchObject({ version: '10' });
    await expect(runs().adopt(replaced!.id, study.studyId, change)).rejects.toThrow('outdated');
    await expect(runs().refresh(replaced!.id, study.studyId, change)).rejects.toMatchObject({
      code: 'VERSION_NOT_AVAILABLE',
    });
  });

  it('gets back what another program computed, after a change was taken back', async () => {
    const { store, study } = engine;
    const { studyId, subjectId } = study;
    await olderDays();
    const older = valuesOf(await inUse());
    const run = await started('Version now', completeParameters());
    const replaced = (await runs().adopt(run.id, studyId, change))!;
    const label = {
      ...{ studyId, subjectId, type: 'subject' as const, displayName: 'Calibration: Standing' },
      ...{ startTs: START_MS, stopTs: START_MS + MINUTE_MS },
    };
    const changeAndBack = async () => {
      const [added] = await store.annotations.addLabels([label], change);
      await expect(runs().adopt(replaced.id, studyId, change)).rejects.toThrow('outdated');
      await expect(runs().refresh(replaced.id, studyId, change)).rejects.toMatchObject({
        code: 'VERSION_NOT_AVAILABLE',
      });
      await store.annotations.deleteLabel(added!.id, change);
      await engine.queue.whenIdle();
      expect((await runs().show(replaced.id, studyId)).counts).toEqual({ OUTDATED: 1 });
    };
    await changeAndBack();
    expect(await runs().refresh(replaced.id, studyId, change)).toBe(0);
    expect((await runs().show(replaced.id, studyId)).counts).toEqual({ DONE: 1 });
    await changeAndBack();
    await runs().adopt(replaced.id, studyId, change);
    expect(valuesOf(await inUse())).toEqual(older);
    expect((await store.studies.require(studyId)).pinnedVersion).toBe('10');
  });

  it('pins a study whose adopted results another program made', async () => {
    const { store, study } = engine;
    await olderDays();
    const run = await started('Version now', completeParameters());
    const replaced = await runs().adopt(run.id, study.studyId, change);
    expect((await store.studies.require(study.studyId)).pinnedVersion).toBeUndefined();
    await runs().adopt(replaced!.id, study.studyId, change);
    expect((await store.studies.require(study.studyId)).pinnedVersion).toBe('10');
  });
});
