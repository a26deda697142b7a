/** Analysis runs through the API: their states, comparison, adoption and refusals. What jobs compute is stored by hand. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANALYTICS_VERSION } from '../../analytics/version.ts';
import { SYSTEM } from '../../db/index.ts';
import { DAY_MS } from '../../durations.ts';
import { fillDatabase } from '../../testing/full-database.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';

let api: TestApi;
let place: { studyId: string };
let subjectIds: [string, string];

const DATES = ['2026-01-05', '2026-01-06', '2026-01-07'];

beforeEach(async () => {
  api = await startTestApi({ withRecording: true });
  place = { studyId: api.studyId };
  subjectIds = [api.subjectIds[0]!, api.subjectIds[1]!];
  await addTestRecording(api.store, api.deps.signalsDir, { ...place, subjectId: subjectIds[1] });
});
afterEach(() => api.close());

/** Stores days with metrics by date, in use or of a run. */
async function store(
  subjectId: string,
  rates: readonly number[],
  runId?: string,
  algorithmVersion = ANALYTICS_VERSION,
) {
  const days = rates.map((rate, i) => {
    const dayStartMs = Date.parse(`${DATES[i]}T05:00:00Z`);
    const span = { dayStartMs, dayStopMs: dayStartMs + DAY_MS, dataStartMs: dayStartMs, dataStopMs: dayStartMs + 1000 };
    const metrics = { RESTING_AVG_HR: rate, SENSOR_WEAR_DURATION: 3600, ...(i === 0 && runId && { NEW_ONE: 1 }) };
    return {
      metrics: { date: DATES[i]!, ...span, metrics, validSeconds: { WEAR: 3600 } },
      timezone: 'US/Eastern',
      inputsHash: `${runId}${i}`,
    };
  });
  await api.store.analytics.store(
    {
      ...{ ...place, subjectId, algorithmVersion, windows: [], days },
      ...(runId !== undefined && { run: { id: runId, dataHash: await api.store.analysisRuns.dataHash(subjectId) } }),
    },
    SYSTEM,
  );
}

const body = { name: 'Children', reason: 'The cut points of children' };
const start = async (more: object = {}) =>
  (await api.client.call('createAnalysisRun', { params: place, body: { ...body, ...more } })).id;

/** Ends the jobs of a run as if they had been computed. */
async function end(runId: string, rates: Record<string, number[]>): Promise<void> {
  for (const [subjectId, own] of Object.entries(rates)) await store(subjectId, own, runId);
  for (const { jobId } of await api.store.analysisRuns.subjectsOf(runId))
    await api.store.jobs.finish(jobId!, { state: 'done', result: {} }, api.clock.now());
}

const ratesOf = async (subjectId: string, query: { run?: string } = {}) =>
  (await api.client.call('listMetrics', { params: { ...place, subjectId }, query })).items.map(
    ({ metrics }) => metrics.RESTING_AVG_HR,
  );

describe('analysis runs', () => {
  it('are compared, adopted and kept, and metrics answer those in use', async () => {
    const [first, second] = subjectIds;
    await store(first, [60, 62, 64], undefined, '10');
    await store(second, [70, 72], undefined, '10');
    const runId = await start({ parameters: { nonWear: 'choi-2011' } });
    const run = () => api.client.call('getAnalysisRun', { params: { ...place, runId } });
    expect(await run()).toMatchObject({ state: 'RUNNING', counts: { total: 2, done: 0, open: 2 }, isAvailable: true });
    await end(runId, { [first]: [61, 62, 66], [second]: [70, 73] });
    expect(await run()).toMatchObject({
      ...{ state: 'READY', ...body, version: ANALYTICS_VERSION, isWholeStudy: true, authorName: 'Test ADMIN' },
      parameters: { nonWear: 'choi-2011' },
      counts: { total: 2, done: 2, open: 0, failed: 0, outdated: 0 },
      subjects: [
        { subjectId: first, displayName: 'Subject 1', state: 'DONE' },
        { subjectId: second, displayName: 'Subject 2', state: 'DONE' },
      ],
    });
    expect(await ratesOf(first)).toEqual([60, 62, 64]);
    expect(await ratesOf(first, { run: runId })).toEqual([61, 62, 66]);

    const { days, metrics } = await api.client.call('compareAnalysisRun', { params: { ...place, runId } });
    expect(days).toEqual({ both: 5, onlyInUse: 0, onlyInRun: 0 });
    expect(metrics.map(({ name }) => name)).toEqual(['NEW_ONE', 'RESTING_AVG_HR', 'SENSOR_WEAR_DURATION']);
    expect(metrics[0]).toMatchObject({ pairs: 0, onlyInRun: 2 });
    // Differences 1, 0, 2 and 0, 1: the mean of the means of subjects.
    expect(metrics[1]).toMatchObject({ pairs: 5, equalPairs: 2, subjects: 2, form: 'REPEATED', bias: 0.75 });
    expect(metrics[1]!.lower).toBeLessThan(-0.5);
    expect(metrics[2]).toMatchObject({ pairs: 5, equalPairs: 5, bias: 0, sd: 0 });
    const of = { ...place, runId, metric: 'RESTING_AVG_HR' };
    const { pairs, points } = await api.client.call('getComparisonPoints', { params: of });
    expect(pairs).toBe(5);
    expect(points[0]).toEqual({ subjectId: first, date: DATES[0], inUse: 60, run: 61 });

    const adopt = { params: { ...place, runId }, body: { reason: 'Protocol amendment 2' } };
    const { replacedRunId } = await api.client.call('adoptAnalysisRun', adopt);
    expect(await ratesOf(first)).toEqual([61, 62, 66]);
    expect(await ratesOf(second, { run: replacedRunId! })).toEqual([70, 72]);
    const { items } = await api.client.call('listAnalysisRuns', { params: place, query: {} });
    expect(items).toMatchObject([
      { id: replacedRunId, state: 'REPLACED', name: 'Before Children', version: '10', isAvailable: false },
      { id: runId, state: 'ADOPTED', adoptedByName: 'Test ADMIN', adoptReason: 'Protocol amendment 2' },
    ]);
    await expect(api.client.call('adoptAnalysisRun', adopt)).rejects.toMatchObject({ code: 'CONFLICT' });
    const audit = await api.client.call('listStudyAudit', { params: place, query: { entityType: 'analysis-run' } });
    expect(audit.items.find(({ action }) => action === 'analysis-run.adopt')).toMatchObject({
      reason: 'Protocol amendment 2',
      entity: { displayName: 'Children' },
    });
  });

  it('show signatures over the days that they change as changed', async () => {
    const [first] = subjectIds;
    await store(first, [60, 62]);
    const sign = async (date: string) => {
      const target = { kind: 'subject-day' as const, targetId: first, date };
      const { contentSha256 } = await api.client.call('getSignableContent', { params: place, query: target });
      const given = { ...target, meaning: 'REVIEWED' as const, contentSha256, password: api.admin.password };
      await api.client.call('signRecord', { params: place, body: given });
    };
    await sign(DATES[0]!);
    await sign(DATES[1]!);
    expect(await api.client.call('getAnalysis', { params: place })).toMatchObject({ signedDays: 2 });
    const runId = await start();
    await end(runId, { [first]: [61, 62], [subjectIds[1]]: [] });
    await api.store.analysisRuns.adopt(runId, api.studyId, {
      actor: { type: 'USER', id: api.admin.userId },
      reason: 'R',
    });
    const { items } = await api.client.call('listSignatures', { params: place, query: {} });
    expect(items.map(({ date, state }) => [date, state]).sort()).toEqual([
      [DATES[0], 'changed'],
      // NEW_ONE is only of the first day: this one has the same values.
      [DATES[1], 'current'],
    ]);
  });

  it('are cancelled, continued, and answered only to their study and its roles', async () => {
    const runId = await start();
    const params = { ...place, runId };
    await api.client.call('cancelAnalysisRun', { params });
    expect(await api.client.call('getAnalysisRun', { params })).toMatchObject({ state: 'CANCELLED' });
    const jobs = (await api.store.analysisRuns.subjectsOf(runId)).map(({ jobId }) => jobId!);
    for (const id of jobs) await api.store.jobs.finish(id, { state: 'cancelled' }, api.clock.now());
    expect(await api.client.call('refreshAnalysisRun', { params })).toEqual({ queued: 2 });

    const other = await api.client.call('createStudy', {
      params: { accountId: api.accountId },
      body: { displayName: 'Other' },
    });
    const elsewhere = { studyId: other.id, runId };
    await expect(api.client.call('getAnalysisRun', { params: elsewhere })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const subject = { ...place, subjectId: subjectIds[0] };
    await expect(
      api.client.call('listMetrics', { params: subject, query: { run: 'no-such-run' } }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const monitor = await api.signIn(api.monitor.email);
    expect((await monitor.call('listAnalysisRuns', { params: place, query: { limit: 1 } })).size).toBe(1);
    for (const call of [
      () => monitor.call('createAnalysisRun', { params: place, body }),
      () => monitor.call('cancelAnalysisRun', { params }),
      () => monitor.call('adoptAnalysisRun', { params, body: { reason: 'x' } }),
      () => monitor.call('pinAnalysis', { params: place, body: { pinnedVersion: null, reason: 'x' } }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(start({ name: 'Old', version: '9' })).rejects.toMatchObject({ code: 'VERSION_NOT_AVAILABLE' });
    await expect(start()).rejects.toMatchObject({ code: 'DUPLICATE_NAME' });
  });
});

it('are listed by the same statements whatever the study holds, and by none over its data', async () => {
  const listed = async (subjects: number, days: number) => {
    const seen: string[] = [];
    const site = await startTestApi({ onQuery: ({ sql }) => seen.push(sql) });
    try {
      const { accountId, studyId } = site;
      const size = { accountId, studyId, subjects, days, sensors: 2, fromTs: Date.UTC(2025, 11, 20) };
      fillDatabase(site.store.path, size);
      seen.length = 0;
      const { items } = await site.client.call('listAnalysisRuns', { params: { studyId }, query: {} });
      expect(items.map(({ counts }) => counts)).toEqual(
        Array.from({ length: 3 }, () => ({ total: subjects, done: subjects, open: 0, failed: 0, outdated: 0 })),
      );
      return seen;
    } finally {
      await site.close();
    }
  };
  const many = await listed(30, 6);
  expect(await listed(3, 2)).toHaveLength(many.length);
  // Only whether a subject has any recording; not what they are.
  expect(many.filter((sql) => /\b(correction|annotation|subjectZone|sensorSetup|startUs)\b/.test(sql))).toEqual([]);
});

describe('the deletion of a run', () => {
  it('is confirmed by its name and a reason, by those who may, and leaves an entry', async () => {
    const [first, second] = subjectIds;
    await store(first, [60, 62]);
    const runId = await start();
    const params = { ...place, runId };
    const remove = (name: string, reason = 'Disk space', client = api.client) =>
      client.call('deleteAnalysisRun', { params, body: { name, reason } });
    await expect(remove(body.name)).rejects.toMatchObject({ code: 'CONFLICT' });
    await end(runId, { [first]: [61, 62], [second]: [70] });
    await expect(remove('Adults')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(remove(body.name, ' ')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const analyst = await api.signIn(api.monitor.email);
    await expect(remove(body.name, 'Mine', analyst)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await remove(body.name);
    await expect(api.client.call('getAnalysisRun', { params })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await api.client.call('listAnalysisRuns', { params: place, query: {} })).toMatchObject({ size: 0 });
    await expect(ratesOf(first, { run: runId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await ratesOf(first)).toEqual([60, 62]);
    expect(api.store.countRows()).toMatchObject({ analysisRun: 0, analysisRunDay: 0, analysisRunSubject: 0 });
    const audit = await api.client.call('listStudyAudit', { params: place, query: { entityType: 'analysis-run' } });
    expect(audit.items.find(({ action }) => action === 'analysis-run.delete')).toMatchObject({
      reason: 'Disk space',
      changes: expect.arrayContaining([
        { field: 'name', old: body.name },
        { field: 'version', old: ANALYTICS_VERSION },
      ]),
    });
  });
});

describe('a pinned study', () => {
  it('says what waits, in its analysis and on Today, once for all', async () => {
    const [first, second] = subjectIds;
    await store(first, [60], undefined, '10');
    const pin = (pinnedVersion: string | null) =>
      api.client.call('pinAnalysis', { params: place, body: { pinnedVersion, reason: 'Interim analysis' } });
    await expect(pin('7')).rejects.toMatchObject({ code: 'VERSION_NOT_AVAILABLE' });
    expect(await pin('10')).toMatchObject({
      ...{ programVersion: ANALYTICS_VERSION, pinnedVersion: '10' },
      versions: [{ algorithmVersion: '10', days: 1 }],
    });
    for (const subjectId of [first, second, second]) {
      const payload = { ...place, subjectId, fromMs: 0, toMs: 1, recordingIds: [] };
      const { id } = await api.store.jobs.add({ kind: 'analyse', payload }, SYSTEM);
      const error = { code: 'VERSION_NOT_AVAILABLE' as const, message: 'It waits.' };
      await api.store.jobs.finish(id, { state: 'failed', error }, api.clock.now());
    }
    const analysis = await api.client.call('getAnalysis', { params: place });
    expect(analysis.waiting).toMatchObject({ subjects: 2 });
    const { items } = await api.client.call('listStudyAttention', { params: place, query: {} });
    const [item] = items.filter(({ reason }) => reason === 'VERSION_AWAITED');
    expect(item).toMatchObject({
      sentence: expect.stringMatching(/2 subjects waits? for version 10 .*Adopt an analysis run.*install the program/),
      action: { kind: 'CHECK_ANALYSIS' },
    });
    await pin(null);
    expect(await api.client.call('getAnalysis', { params: place })).not.toHaveProperty('waiting');
    expect(await api.store.jobs.countByKindAndState()).toMatchObject({ 'analyse done': 3 });
  });
});
