/** Downloads and comparisons of subjects who limited the use of their data when they withdrew. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { storeTestAnalytics } from '../../testing/test-analytics.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import type { DataDecision } from '../../vocabulary/participation.ts';
import { routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';

let api: TestApi;
let endMs: number;
let dates: string[];
/** By decision: the subject, and a recording of the day of the withdrawal and of the next one. */
const people = {} as Record<DataDecision, { subjectId: string; recordingIds: string[] }>;

beforeAll(async () => {
  api = await startTestApi();
  const { studyId, store } = api;
  dates = [0, 1].map((days) => new Date(api.clock.now() + days * DAY_MS).toISOString().slice(0, 10));
  endMs = Date.parse(dates[1]!);
  const change = { actor: { type: 'USER', id: api.admin.userId } } as const;
  const decisions: DataDecision[] = ['KEEP_ALL', 'KEEP_UNTIL', 'DO_NOT_USE'];
  for (const dataDecision of decisions) {
    const body = { displayName: dataDecision, timezone: 'Etc/UTC' };
    const { id: subjectId } = await api.client.call('createSubject', { params: { studyId }, body });
    const place = { studyId, subjectId };
    const times = [endMs - 2 * HOUR_MS, endMs + 2 * HOUR_MS];
    await storeTestAnalytics(store, place, 'Etc/UTC', dates, [{ startMs: times[0]!, stopMs: times[1]! }]);
    const recordingIds: string[] = [];
    for (const startMs of times) {
      const { id } = await addTestRecording(store, api.deps.signalsDir, place, { startUs: startMs * 1000 });
      recordingIds.push(id);
    }
    const labels = times.map((startTs) => ({
      ...{ ...place, type: 'recording' as const, displayName: `Label ${startTs}`, startTs, stopTs: startTs },
    }));
    await store.annotations.addLabels(labels, change);
    people[dataDecision] = { subjectId, recordingIds };
  }
});
afterAll(() => api.close());

const fetched = async (path: string) =>
  await fetch(path.startsWith('http') ? path : `${api.url}/api/v1${path}`, {
    headers: path.startsWith('http') ? {} : { authorization: api.authorization },
  });
const pathsOf = (decision: DataDecision, at: 0 | 1): Record<string, string> => {
  const { subjectId, recordingIds } = people[decision];
  const place = { studyId: api.studyId, subjectId, recordingId: recordingIds[at]!, date: dates[at]! };
  const exporting = /^(?:recording|annotation|analytics)\.export$/;
  const known = Object.entries(routes as Record<string, RouteContract>);
  return Object.fromEntries(
    known
      .filter(([, { operation }]) => exporting.test(operation ?? ''))
      .map(([id, { path }]) => [id, path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof place) => place[name])]),
  );
};
const statuses = async (decision: DataDecision, at: 0 | 1) => {
  const found: Record<string, number> = {};
  for (const [id, path] of Object.entries(pathsOf(decision, at))) found[id] = (await fetched(path)).status;
  return found;
};
const withdraw = async () => {
  for (const [dataDecision, { subjectId }] of Object.entries(people)) {
    const body = { status: 'WITHDRAWN', date: dates[0]!, reason: 'Moved away', dataDecision } as never;
    await api.client.call('setSubjectStatus', { params: { studyId: api.studyId, subjectId }, body });
  }
};

describe('downloads', () => {
  it('hold what the subject allows, also at addresses that were handed out before', async () => {
    const { href } = (await (await fetched(pathsOf('DO_NOT_USE', 0).getRecordingExport!)).json()) as { href: string };
    const open = {
      ...{ getRecordingExport: 200, downloadMetricsCsv: 200 },
      ...{ downloadChannelsCsv: 200, downloadAnnotationsCsv: 200 },
    };
    for (const decision of ['KEEP_ALL', 'KEEP_UNTIL', 'DO_NOT_USE'] as const)
      expect(await statuses(decision, 1)).toEqual(open);
    await withdraw();
    expect(await statuses('KEEP_ALL', 1)).toEqual(open);
    expect(await statuses('KEEP_UNTIL', 0)).toEqual(open);
    expect(await statuses('KEEP_UNTIL', 1)).toEqual({ ...open, getRecordingExport: 409, downloadChannelsCsv: 409 });
    const closed = Object.fromEntries(Object.keys(open).map((id) => [id, 409]));
    for (const at of [0, 1] as const) expect(await statuses('DO_NOT_USE', at)).toEqual(closed);
    expect((await fetched(href)).status).toBe(409);
  });

  it('end with the day of a withdrawal that keeps data until then', async () => {
    const textOf = async (id: string) => await (await fetched(pathsOf('KEEP_UNTIL', 0)[id]!)).text();
    const metrics = await textOf('downloadMetricsCsv');
    expect(metrics).toContain(dates[0]);
    expect(metrics).not.toContain(dates[1]);
    const annotations = await textOf('downloadAnnotationsCsv');
    expect(annotations).toContain(`Label ${endMs - 2 * HOUR_MS}`);
    expect(annotations).not.toContain(`Label ${endMs + 2 * HOUR_MS}`);
  });
});

it('the board compares only days that may be used', async () => {
  const { items } = await api.client.call('listDailyValues', { params: { studyId: api.studyId } });
  const daysOf = (decision: DataDecision) =>
    items.find(({ subjectId }) => subjectId === people[decision].subjectId)?.days.map(({ date }) => date);
  expect(daysOf('KEEP_ALL')).toEqual(dates);
  expect(daysOf('KEEP_UNTIL')).toEqual(dates.slice(0, 1));
  expect(daysOf('DO_NOT_USE')).toEqual([]);
});
