import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import type { Store } from '../../services/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

/** The clock of the test API: noon UTC of 2026-01-15. In Tokyo it is 21:00, in Honolulu 02:00. */
const START_MS = Date.UTC(2026, 0, 15, 12);

let api: TestApi;
let studyId: string;
let activityId: string;
let diaryId: string;

/** A started study with one activity every day and one diary on days 0 and 2 of `days`. */
async function startStudy(subjects: { timezone: string; isTest?: boolean }[], days = 5): Promise<string[]> {
  const { client } = api;
  const study = { accountId: api.accountId };
  studyId = (await client.call('createStudy', { params: study, body: { displayName: 'Remote' } })).id;
  const params = { studyId };
  await client.call('putDefinition', {
    params,
    body: { activities: [{ displayName: 'Stand up' }], diaries: [{ displayName: 'Evening' }] },
  });
  const { activities, diaries } = await client.call('getStudy', { params });
  activityId = activities[0]!.id;
  diaryId = diaries[0]!.id;
  await client.call('putDefinition', {
    params,
    body: {
      program: {
        days,
        tasks: [
          { taskId: activityId, type: 'activity', days: [1, 3, 4, 5, 6] },
          { taskId: diaryId, type: 'diary', days: [0, 3] },
        ],
      },
    },
  });
  const ids: string[] = [];
  for (const [i, subject] of subjects.entries()) {
    ids.push((await client.call('createSubject', { params, body: { displayName: `P-${i}`, ...subject } })).id);
  }
  await client.call('startStudy', { params });
  return ids;
}

async function perform(subjectId: string, taskId: string, startTs: number): Promise<void> {
  await api.store.annotations.reportTask(
    { studyId, subjectId, taskId, startTs, stopTs: startTs + 60_000, answers: [] },
    { actor: { type: 'SUBJECT', id: subjectId } },
  );
}

const ofSubject = (subjectId: string) => ({ params: { studyId, subjectId } });
const days = async (subjectId: string) =>
  (await api.client.call('listSubjectProgramStats', ofSubject(subjectId))).items;
const audit = async (subjectId: string) => (await api.client.call('listProgramAudit', ofSubject(subjectId))).items;
const rows = async () => (await api.client.call('listProgramStats', { params: { studyId } })).items;
const daily = async () => (await api.client.call('listDailyProgramStats', { params: { studyId } })).items;
const tally = (list: { tasksAssigned: number; tasksCompleted: number }[]) => ({
  tasksAssigned: list.reduce((sum, item) => sum + item.tasksAssigned, 0),
  tasksCompleted: list.reduce((sum, item) => sum + item.tasksCompleted, 0),
});

/** Asserts that the four responses agree: rows are sums over days, days are sums over subjects, the audit lists the tasks. */
async function expectConsistent(subjectIds: string[]): Promise<void> {
  const perSubject = new Map<string, Awaited<ReturnType<typeof days>>>();
  for (const subjectId of subjectIds) {
    const own = await days(subjectId);
    perSubject.set(subjectId, own);
    const told = await audit(subjectId);
    expect(told.map(({ date }) => date)).toEqual(own.map(({ fromDate }) => fromDate));
    for (const [i, item] of own.entries()) {
      expect(item).toMatchObject({ studyId, subjectId, toDate: item.fromDate });
      expect(item.tasksAssigned).toBe(told[i]!.tasks.length);
      expect(item.tasksCompleted).toBe(told[i]!.tasks.filter((task) => task.completed).length);
    }
  }
  expect(await rows()).toEqual(
    subjectIds.map((subjectId) => {
      const own = perSubject.get(subjectId)!;
      return { studyId, subjectId, fromDate: own[0]!.fromDate, toDate: own.at(-1)!.toDate, ...tally(own) };
    }),
  );
  const all = [...perSubject.values()].flat();
  const dates = [...new Set(all.map(({ fromDate }) => fromDate))].sort();
  expect(await daily()).toEqual(
    dates.map((date) => ({ date, studyId, ...tally(all.filter(({ fromDate }) => fromDate === date)) })),
  );
}

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  api.clock.advance(START_MS - api.clock.now());
  // The clock is set back by weeks; a session from the future does not count.
  api.client.credentials = (await api.signIn()).credentials;
});

describe('adherence', () => {
  it('counts each subject by local dates, from the local date of the start', async () => {
    const [tokyo, honolulu] = await startStudy([{ timezone: 'Asia/Tokyo' }, { timezone: 'US/Hawaii' }]);
    expect((await days(tokyo!)).map(({ fromDate }) => fromDate)).toEqual(['2026-01-15']);
    await expectConsistent([tokyo!, honolulu!]);
    api.clock.advance(4 * HOUR_MS);
    expect((await days(tokyo!)).map(({ fromDate }) => fromDate)).toEqual(['2026-01-15', '2026-01-16']);
    expect((await days(honolulu!)).map(({ fromDate }) => fromDate)).toEqual(['2026-01-15']);
    // 16:00 UTC is the 16th in Tokyo (day 1, the activity is due) and the 15th in Honolulu (day 0, it is not).
    await perform(tokyo!, activityId, api.clock.now());
    await perform(honolulu!, activityId, api.clock.now());
    expect((await days(tokyo!)).map((day) => [day.tasksAssigned, day.tasksCompleted])).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect((await days(honolulu!)).map((day) => [day.tasksAssigned, day.tasksCompleted])).toEqual([[1, 0]]);
    await expectConsistent([tokyo!, honolulu!]);
  });

  it('reports days without tasks as 0 of 0, also in the audit, and ends with the program', async () => {
    const [subject] = await startStudy([{ timezone: 'US/Eastern' }]);
    api.clock.advance(10 * DAY_MS);
    const own = await days(subject!);
    expect(own.map((day) => day.tasksAssigned)).toEqual([1, 1, 0, 2, 1]);
    expect(own.at(-1)!.toDate).toBe('2026-01-19');
    expect((await audit(subject!))[2]).toEqual({ date: '2026-01-17', tasks: [] });
    expect((await audit(subject!))[3]!.tasks).toEqual([
      { id: activityId, displayName: 'Stand up', type: 'activity', completed: false },
      { id: diaryId, displayName: 'Evening', type: 'diary', completed: false },
    ]);
    await expectConsistent([subject!]);
  });

  it('counts a task once, on the date it began, regardless of when it was reported', async () => {
    const [subject] = await startStudy([{ timezone: 'US/Eastern' }]);
    api.clock.advance(4 * DAY_MS);
    const dayOne = Date.UTC(2026, 0, 16, 5);
    await perform(subject!, activityId, dayOne);
    await perform(subject!, activityId, dayOne + HOUR_MS);
    // 23:59:30 local of day 3, ended and reported on day 4.
    await perform(subject!, diaryId, Date.UTC(2026, 0, 19, 4, 59, 30));
    expect((await days(subject!)).map((day) => day.tasksCompleted)).toEqual([0, 1, 0, 1, 0]);
    await expectConsistent([subject!]);
  });

  it('counts tasks, days of a task and program length added to a running study from that day on', async () => {
    const [subject] = await startStudy([{ timezone: 'US/Eastern' }], 3);
    api.clock.advance(5 * DAY_MS);
    expect((await days(subject!)).map((day) => day.tasksAssigned)).toEqual([1, 1, 0]);
    const params = { studyId };
    await api.client.call('putDefinition', {
      params,
      body: {
        program: {
          days: 8,
          tasks: [
            { taskId: activityId, type: 'activity', days: 'daily' },
            { taskId: diaryId, type: 'diary', days: [0, 3, 6] },
          ],
        },
      },
    });
    expect((await days(subject!)).map((day) => day.tasksAssigned)).toEqual([1, 1, 0, 0, 0, 1]);
    await expectConsistent([subject!]);
    api.clock.advance(DAY_MS);
    expect((await days(subject!)).map((day) => day.tasksAssigned)).toEqual([1, 1, 0, 0, 0, 1, 2]);
    await expectConsistent([subject!]);
  });

  it('keeps the old zone for tasks done before the subject moved', async () => {
    const [subject] = await startStudy([{ timezone: 'Asia/Tokyo' }]);
    api.clock.advance(1.5 * DAY_MS);
    // 23:30 UTC of the 15th is day 1 in Tokyo, day 0 in New York.
    await perform(subject!, activityId, Date.UTC(2026, 0, 15, 23, 30));
    await api.client.call('updateSubject', { ...ofSubject(subject!), body: { timezone: 'US/Eastern' } });
    expect((await days(subject!)).map((day) => [day.fromDate, day.tasksCompleted])).toEqual([
      ['2026-01-15', 0],
      ['2026-01-16', 1],
    ]);
    await expectConsistent([subject!]);
  });

  it('excludes test subjects from the study and includes hidden ones', async () => {
    const [hidden, test] = await startStudy([{ timezone: 'US/Eastern' }, { timezone: 'US/Eastern', isTest: true }]);
    await api.client.call('updateSubject', { ...ofSubject(hidden!), body: { isHidden: true } });
    expect((await days(test!)).length).toBe(1);
    await expectConsistent([hidden!]);
  });

  it('returns tasks and wear of every subject, separately per day and per measure', async () => {
    const [subject, test] = await startStudy([{ timezone: 'US/Eastern' }, { timezone: 'US/Eastern', isTest: true }]);
    api.clock.advance(DAY_MS);
    await perform(subject!, activityId, api.clock.now());
    const dayMs = Date.UTC(2026, 0, 14);
    const { metrics, zone } = { metrics: { SENSOR_WEAR_DURATION: 7200 }, zone: 'US/Eastern' };
    await api.store.analytics.store(
      {
        studyId,
        subjectId: subject!,
        algorithmVersion: 'test',
        windows: [],
        days: [
          {
            metrics: {
              date: '2026-01-14',
              dayStartMs: dayMs,
              dayStopMs: dayMs + DAY_MS,
              dataStartMs: dayMs,
              dataStopMs: dayMs + DAY_MS,
              metrics,
              validSeconds: {},
            },
            timezone: zone,
            inputsHash: 'x',
          },
        ],
      },
      SYSTEM,
    );
    const { items } = await api.client.call('listAdherence', { params: { studyId } });
    expect(items).toEqual([
      {
        subjectId: subject,
        days: [
          { date: '2026-01-14', wearSeconds: 7200 },
          { date: '2026-01-15', tasksAssigned: 1, tasksCompleted: 0 },
          { date: '2026-01-16', tasksAssigned: 1, tasksCompleted: 1 },
        ],
      },
      {
        subjectId: test,
        days: [
          { date: '2026-01-15', tasksAssigned: 1, tasksCompleted: 0 },
          { date: '2026-01-16', tasksAssigned: 1, tasksCompleted: 0 },
        ],
      },
    ]);
    const only = async (subjectId: string) =>
      (await api.client.call('listAdherence', { params: { studyId }, query: { subjectId } })).items;
    expect(await only(items[1]!.subjectId)).toEqual([items[1]]);
    expect(await only(api.studyId)).toEqual([]);
  });

  it('gives the intended, opened, completed and reported time of a completed task', async () => {
    const [subject] = await startStudy([{ timezone: 'US/Eastern' }]);
    const startTs = api.clock.now() - HOUR_MS;
    await perform(subject!, activityId, startTs + 1000);
    const times = { intendedTs: startTs - HOUR_MS, openedTs: startTs, completedTs: startTs + 60_000 };
    await api.store.annotations.reportTask(
      { studyId, subjectId: subject!, taskId: diaryId, startTs, stopTs: startTs + 60_000, answers: [], ...times },
      { actor: { type: 'SUBJECT', id: subject! } },
    );
    const { items } = await api.client.call('listTaskReports', ofSubject(subject!));
    expect(items).toEqual([
      expect.objectContaining({
        taskId: diaryId,
        type: 'diary',
        displayName: 'Evening',
        reportedTs: api.clock.now(),
        ...times,
      }),
      expect.not.objectContaining({ intendedTs: expect.anything() }),
    ]);
    expect(items[1]).toMatchObject({ taskId: activityId, type: 'activity', startTs: startTs + 1000 });
  });

  it('has no days before the start, after the stop, or without a program', async () => {
    const { client, studyId: early } = api;
    for (const id of ['listProgramStats', 'listDailyProgramStats'] as const) {
      expect(await client.call(id, { params: { studyId: early } })).toEqual({ items: [], size: 0 });
    }
    const params = { studyId: early, subjectId: api.subjectIds[0]! };
    expect(await client.call('listSubjectProgramStats', { params })).toEqual({ items: [], size: 0 });
    expect(await client.call('listProgramAudit', { params })).toEqual({ items: [], size: 0 });
    const [subject] = await startStudy([{ timezone: 'US/Eastern' }]);
    api.clock.advance(DAY_MS);
    await client.call('stopStudy', { params: { studyId } });
    api.clock.advance(2 * DAY_MS);
    expect((await days(subject!)).map(({ fromDate }) => fromDate)).toEqual(['2026-01-15', '2026-01-16']);
    await expectConsistent([subject!]);
  });

  it('runs as many queries for a hundred subjects as for one', async () => {
    const calls: string[] = [];
    const count = async (call: () => Promise<unknown>) => {
      calls.length = 0;
      await call();
      return calls.length;
    };
    const restore = countCalls(api.store, calls);
    try {
      await startStudy([{ timezone: 'US/Eastern' }]);
      const few = [await count(rows), await count(daily)];
      await startStudy(
        Array.from({ length: 100 }, () => ({ timezone: 'Asia/Tokyo' })),
        30,
      );
      api.clock.advance(10 * DAY_MS);
      expect([await count(rows), await count(daily)]).toEqual(few);
      expect(await rows()).toHaveLength(100);
      expect(await daily()).toHaveLength(11);
    } finally {
      restore();
    }
  });
});

/** Records every use of a repository until the returned function is called, except the lookup of the caller. */
function countCalls(store: Store, calls: string[]): () => void {
  const undo: (() => void)[] = [];
  for (const name of ['studies', 'subjects', 'annotations', 'tokens', 'users'] as const) {
    const real = store[name];
    const counted = new Proxy(real, {
      get: (target, key) => {
        // The caller is cached, and looked up again after any write: this does not depend on the number of subjects.
        if (key !== 'authenticate') calls.push(`${name}.${String(key)}`);
        return Reflect.get(target, key, target);
      },
    });
    Object.defineProperty(store, name, { value: counted, configurable: true, writable: true });
    undo.push(() => Object.defineProperty(store, name, { value: real, configurable: true, writable: true }));
  }
  return () => {
    for (const restore of undo) restore();
  };
}
