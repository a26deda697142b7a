import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { writeParquetStudy } from '../../exporters/parquet/study.ts';
import { writeStudyArchive } from '../../exporters/study-archive/archive.ts';
import { fixedZone, midnightWindow } from '../../study/day-windows.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { unpackStudyExport } from '../../testing/test-study-export.ts';
import { completeParameters, DEFAULT_ANALYSIS_PARAMETERS } from '../../vocabulary/analysis-parameters.ts';

const CHOSEN = completeParameters({ cutPoints: { waist: 'freedson-adults-hip' }, nonWear: 'choi-2011' });
const METHOD = {
  site: 'waist' as const,
  cutPoints: 'freedson-adults-hip' as const,
  nonWear: 'choi-2011' as const,
  calibration: {
    ...{ fault: 'SPHERE_NOT_COVERED' as const, offsetG: [0, 0, 0], gain: [1, 1, 1] },
    ...{ errorBeforeG: 0.02, errorAfterG: null, windows: 12 },
  },
};

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const newStudy = async (displayName: string) =>
  (await api.client.call('createStudy', { params: { accountId: api.accountId }, body: { displayName } })).id;

describe('the parameters of a study', () => {
  it('are kept with its definition: defaults at first, exported, imported and audited', async () => {
    const params = { studyId: await newStudy('Hip') };
    const before = await api.client.call('getDefinition', { params });
    expect(before.analysisParameters).toEqual(DEFAULT_ANALYSIS_PARAMETERS);
    const body = { analysisParameters: { cutPoints: { waist: 'freedson-adults-hip' }, nonWear: 'choi-2011' } } as never;
    await api.client.call('putDefinition', { params, body });
    const exported = await api.client.call('getDefinition', { params });
    expect(exported.analysisParameters).toEqual(CHOSEN);
    const [entry] = await api.store.audit.list({
      entityId: params.studyId,
      actions: ['study.definition'],
      limit: 1,
    } as never);
    expect(entry).toMatchObject({
      changes: { analysisParameters: { old: DEFAULT_ANALYSIS_PARAMETERS, new: CHOSEN } },
    });
    const other = { studyId: await newStudy('Another hip') };
    await api.client.call('importDefinition', { params: other, body: exported });
    expect((await api.client.call('getDefinition', { params: other })).analysisParameters).toEqual(CHOSEN);
    // A document of an earlier version has none, and leaves those of the study.
    const { analysisParameters: _, ...older } = exported;
    await api.client.call('importDefinition', { params: other, body: older });
    expect((await api.client.call('getDefinition', { params: other })).analysisParameters).toEqual(CHOSEN);
    await api.client.call('importDefinition', { params: other, body: before });
    expect((await api.client.call('getDefinition', { params: other })).analysisParameters).toEqual(
      DEFAULT_ANALYSIS_PARAMETERS,
    );
  });

  it.each([
    [{ cutPoints: { wrist: 'freedson-adults-hip' } }, 'analysisParameters.cutPoints.wrist'],
    [{ rhythm: { bradycardiaBpm: 90, tachycardiaBpm: 80 } }, 'analysisParameters.rhythm.bradycardiaBpm'],
  ])('are rejected where they are none that exist: %j', async (analysisParameters, path) => {
    const params = { studyId: await newStudy(path) };
    await expect(
      api.client.call('putDefinition', { params, body: { analysisParameters } as never }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT', errors: [expect.objectContaining({ path })] });
  });
});

it('names the method of each day in metrics, downloads and exports', async () => {
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const days = ['2026-03-02', '2026-03-03'].map((date, i) => {
    const { startMs, stopMs } = midnightWindow(date, fixedZone('UTC'));
    const span = { date, dayStartMs: startMs, dayStopMs: stopMs, dataStartMs: startMs, dataStopMs: stopMs };
    const values = { metrics: { INTENSITY_MVPA_DURATION: 60 + i }, validSeconds: { WEAR: 3600 } };
    return {
      metrics: { ...span, ...values, ...(i === 1 && { epochMethod: METHOD }) },
      timezone: 'UTC',
      inputsHash: date,
    };
  });
  const { store } = api;
  await store.analytics.store({ ...place, algorithmVersion: '10', windows: [], days: days.slice(0, 1) }, SYSTEM);
  const parameters = { cutPoints: { waist: 'freedson-adults-hip' }, nonWear: 'choi-2011' } as const;
  await store.analytics.store(
    { ...place, algorithmVersion: '11', parameters, windows: [], days: days.slice(1) },
    SYSTEM,
  );
  const { items } = await api.client.call('listMetrics', { params: place });
  expect(items.map((item) => [item.parameters, item.epochMethod])).toEqual([
    [DEFAULT_ANALYSIS_PARAMETERS, undefined],
    [CHOSEN, METHOD],
  ]);
  const csv = await api.client.fetch('downloadMetricsCsv', { params: place });
  expect(JSON.parse(csv.headers.get('outpost-analysis-parameters')!)).toEqual([DEFAULT_ANALYSIS_PARAMETERS, CHOSEN]);
  const { signalsDir, exportsDir } = api.deps;
  const source = { store, signalsDir };
  const of = { studyId: api.studyId, asOfTs: Number.MAX_SAFE_INTEGER };
  const archive = await unpackStudyExport(writeStudyArchive, source, join(exportsDir, 'archive'), of);
  const [header, ...rows] = archive.members.get('analysis-methods.csv')!.toString().trim().split('\n');
  const cells = rows.map((row) => Object.fromEntries(row.split(',').map((cell, i) => [header!.split(',')[i], cell])));
  expect(cells).toMatchObject([
    { algorithmVersion: '10', inputsHash: '2026-03-02', cutPoints: '', chosenNonWear: 'van-hees-2013' },
    {
      ...{ algorithmVersion: '11', site: 'waist', cutPoints: 'freedson-adults-hip', nonWear: 'choi-2011' },
      ...{ calibrationFault: 'SPHERE_NOT_COVERED', chosenWristCutPoints: 'hildebrand-adults-wrist-geneactiv' },
      ...{ pauseSeconds: '3', bradycardiaBpm: '50', tachycardiaBpm: '100', episodeSeconds: '30' },
    },
  ]);
  const parquet = await unpackStudyExport(writeParquetStudy, source, join(exportsDir, 'parquet'), of);
  const metrics = parquet.members.get(`metrics/${place.subjectId}.parquet`)!.toString('latin1');
  expect(metrics).toContain('analysis_parameters');
  expect(metrics).toContain(JSON.stringify(CHOSEN));
});
