/** What exports hold of subjects who withdrew: nothing, or nothing collected after the day of the withdrawal. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadStore } from '../../db/index.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { fixedZone, midnightWindow } from '../../study/day-windows.ts';
import { storeTestAnalytics } from '../../testing/test-analytics.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { csvRecords } from '../../testing/zip-contents.ts';
import type { DataDecision } from '../../vocabulary/participation.ts';
import { withDataDecisions } from './data-decisions.ts';
import type { StudyExportWriter } from './types.ts';
import { STUDY_EXPORT_WRITERS } from './writers.ts';

let api: TestApi;
let diary: { id: string; questions: { id: string; values: string[] }[] };
/** Of the withdrawals, and the days around them. */
let dates: string[];
let endMs: number;
const subjects = {} as Record<DataDecision, string>;

const place = (subjectId: string) => ({ studyId: api.studyId, subjectId });

async function report(subjectId: string, startTs: number): Promise<string> {
  const answers = diary.questions.map(({ id: questionId, values }) => ({ questionId, value: values[1]! }));
  const task = { ...place(subjectId), taskId: diary.id, startTs, stopTs: startTs + 60_000, answers };
  return (await api.store.annotations.reportTask(task, { actor: { type: 'SUBJECT', id: subjectId } })).id;
}

beforeAll(async () => {
  api = await startTestApi();
  const params = { studyId: api.studyId };
  const phq = (await api.client.call('listQuestionnaires', {})).find(({ id }) => id === 'phq-9.en')!;
  const questions = phq.questions.map(({ text, values }) => ({
    text,
    values,
    type: 'MULTIPLECHOICE',
    isMultiple: false,
  }));
  await api.client.call('putDefinition', { params, body: { diaries: [{ displayName: 'Mood', questions }] } });
  diary = (await api.client.call('getStudy', { params })).diaries[0]!;
  await api.store.studies.move(api.studyId, 'start', { actor: { type: 'USER', id: api.admin.userId } }).catch(() => 0);
  dates = [-1, 0, 1, 2].map((days) => new Date(api.clock.now() + days * DAY_MS).toISOString().slice(0, 10));
  const [before, withdrawn] = dates;
  endMs = midnightWindow(withdrawn!, fixedZone('Etc/UTC')).stopMs;
  const decisions: DataDecision[] = ['KEEP_ALL', 'KEEP_UNTIL', 'DO_NOT_USE'];
  for (const dataDecision of decisions) {
    const body = { displayName: dataDecision, timezone: 'Etc/UTC' };
    const { id } = await api.client.call('createSubject', { params, body });
    subjects[dataDecision] = id;
    const status = { status: 'WITHDRAWN', date: withdrawn!, reason: 'Moved away', dataDecision } as const;
    await api.client.call('setSubjectStatus', { params: place(id), body: status });
  }
  api.clock.advance(4 * DAY_MS);
  for (const id of Object.values(subjects)) {
    const span = { startMs: endMs - 24 * HOUR_MS, stopMs: endMs + 24 * HOUR_MS };
    await storeTestAnalytics(api.store, place(id), 'Etc/UTC', dates, [span]);
    for (const startMs of [endMs - HOUR_MS, endMs + HOUR_MS])
      await addTestRecording(api.store, api.deps.signalsDir, place(id), { startUs: startMs * 1000 });
    for (const startTs of [endMs - HOUR_MS, endMs + HOUR_MS]) await report(id, startTs);
    // As an older version, or another zone of the subject, may have left it.
    const fields = { programStartTs: Date.parse(before!), programStopTs: endMs + 2 * DAY_MS };
    await api.store.session.db.updateTable('subject').set(fields).where('id', '=', id).execute();
  }
});
afterAll(() => api.close());

const write = async (writer: StudyExportWriter, name: string, options: object = {}, store = api.store) => {
  const source = { store, signalsDir: api.deps.signalsDir };
  const asked = { studyId: api.studyId, subjectIds: Object.values(subjects), ...options };
  return (await unpackStudyExport(writer, source, join(api.deps.exportsDir, name), asked)).members;
};

describe('the archive', () => {
  let rowsOf: (member: string, decision: DataDecision) => Record<string, string>[];
  beforeAll(async () => {
    const members = await write(STUDY_EXPORT_WRITERS.ARCHIVE, 'archive');
    rowsOf = (member, decision) =>
      csvRecords(String(members.get(member))).filter(({ subjectId }) => subjectId === subjects[decision]);
  });

  it('has scores of the surveys that a subject completed before the end of that day', () => {
    const times = (decision: DataDecision) => rowsOf('scores.csv', decision).map(({ startTs }) => Number(startTs));
    expect(times('KEEP_ALL')).toEqual([endMs - HOUR_MS, endMs + HOUR_MS]);
    expect(times('KEEP_UNTIL')).toEqual([endMs - HOUR_MS]);
    expect(times('DO_NOT_USE')).toEqual([]);
  });

  it('has the quality of the days until then alone', () => {
    const total = (decision: DataDecision, column: string) =>
      rowsOf('data-quality.csv', decision).reduce((sum, row) => sum + Number(row[column]), 0);
    const all = total('KEEP_ALL', 'wearSeconds');
    expect(total('KEEP_ALL', 'dataDays')).toBeGreaterThan(2);
    expect(total('KEEP_UNTIL', 'dataDays')).toBe(2);
    expect(total('KEEP_UNTIL', 'expectedDays')).toBe(2);
    expect(total('KEEP_UNTIL', 'wearSeconds')).toBeLessThan(all);
    expect(rowsOf('data-quality.csv', 'DO_NOT_USE')).toEqual([]);
  });
});

it('de-identified channels end with that day too, whose clock has another midnight', async () => {
  const { db } = api.store.session;
  const id = subjects.KEEP_UNTIL;
  const zones = await db.selectFrom('subjectZone').selectAll().where('subjectId', '=', id).execute();
  // The clock of the export is that of the enrolment: its day of the withdrawal ends ten hours later.
  await db.updateTable('subjectZone').set({ timezone: 'Pacific/Honolulu' }).where('subjectId', '=', id).execute();
  const later = {
    ...zones[0]!,
    fromTs: (await api.store.subjects.require(id)).createdTs + HOUR_MS,
    timezone: 'Etc/UTC',
  };
  await db.insertInto('subjectZone').values(later).execute();
  try {
    const members = await write(STUDY_EXPORT_WRITERS.ARCHIVE, 'coded', {
      deidentify: testDeidentifier,
      subjectIds: [id],
    });
    const days = [...members].filter(([name]) => name.startsWith('channels/'));
    const lines = days.flatMap(([, csv]) => csv.toString().trim().split('\n').slice(1));
    const last = Math.max(...lines.map((line) => Number(line.split(',')[1])));
    const shiftMs = testDeidentifier.shiftMs(id) - 10 * HOUR_MS;
    expect(last - shiftMs).toBe(endMs - 60_000);
  } finally {
    await db.deleteFrom('subjectZone').where('subjectId', '=', id).execute();
    await db.insertInto('subjectZone').values(zones).execute();
  }
});

it('minutes of BIDS end with that day, although a window runs until the next noon', async () => {
  const members = await write(STUDY_EXPORT_WRITERS.BIDS, 'bids');
  const lastOf = (decision: DataDecision) => {
    const label = decision.replaceAll('_', '');
    const [, tsv] = [...members].find(([name]) => name.includes(`sub-${label}_`) && name.endsWith('minutes_beh.tsv'))!;
    return Date.parse(tsv.toString().trim().split('\n').at(-1)!.split('\t')[0]!);
  };
  expect(lastOf('KEEP_ALL')).toBeGreaterThan(endMs);
  expect(lastOf('KEEP_UNTIL')).toBe(endMs - 60_000);
});

describe('a writer', () => {
  const reading = (read: (store: ReadStore) => unknown): StudyExportWriter =>
    withDataDecisions(async ({ store }) => {
      await read(store);
      return { sizeBytes: 0, sha256: '', subjects: 0 };
    });
  const used = (read: (store: ReadStore) => unknown) =>
    reading(read)(
      { store: api.store } as never,
      { studyId: api.studyId, subjectIds: null, sinceTs: null } as never,
      undefined as never,
    );

  it('may use nothing that does not apply the decisions', async () => {
    await expect(used((store) => store.analytics.wearOf([]))).rejects.toThrow(/must not use wearOf/);
    await expect(used((store) => store.annotations.page('', {}, { limit: 1 }))).rejects.toThrow(/must not use page/);
    await expect(used((store) => store.session)).rejects.toThrow(/must not use session/);
    await expect(used((store) => store.summaries)).rejects.toThrow(/must not use summaries/);
    await expect(used((store) => store.subjects.list(api.studyId))).resolves.toBeDefined();
  });
});

describe('changes since an earlier export', () => {
  it('are refused once the use of data was limited or released, since rows may be missing or too many', async () => {
    const body = { displayName: 'By mistake', timezone: 'Etc/UTC' };
    const { id } = await api.client.call('createSubject', { params: { studyId: api.studyId }, body });
    const date = new Date(api.clock.now()).toISOString().slice(0, 10);
    const set = (status: 'WITHDRAWN' | 'ENROLLED', more: object) =>
      api.client.call('setSubjectStatus', { params: place(id), body: { status, date, reason: 'Phone call', ...more } });
    const since = async (sinceTs: number, more: object = {}) =>
      await write(STUDY_EXPORT_WRITERS.ARCHIVE, `since-${sinceTs}`, { subjectIds: null, sinceTs, ...more }).then(
        () => 'written',
        (thrown: { code?: string }) => thrown.code,
      );
    const tick = () => {
      api.clock.advance(HOUR_MS);
      return api.clock.now();
    };
    const first = tick();
    await set('WITHDRAWN', { dataDecision: 'KEEP_ALL' });
    expect(await since(first)).toBe('written');
    await set('WITHDRAWN', { dataDecision: 'DO_NOT_USE', isCorrection: true });
    expect(await since(first)).toBe('CONFLICT');
    const second = tick();
    expect(await since(second)).toBe('written');
    await set('ENROLLED', { isCorrection: true });
    expect(await since(second)).toBe('CONFLICT');
    expect(await since(second, { subjectIds: [subjects.KEEP_ALL] })).toBe('written');
    const third = tick();
    expect(await since(third)).toBe('written');
  });
});

it('an archive reads no answers of a study without questionnaires, and steps only where they are written', async () => {
  const { id: studyId } = await api.client.call('createStudy', {
    params: { accountId: api.accountId },
    body: { displayName: 'Without questionnaires' },
  });
  const body = { displayName: 'P-1', timezone: 'Etc/UTC' };
  const { id: subjectId } = await api.client.call('createSubject', { params: { studyId }, body });
  const used: PropertyKey[] = [];
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, name) => {
        used.push(name);
        const value: unknown = Reflect.get(of, name, of);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
  const { annotations, participation } = api.store;
  const store = Object.assign(Object.create(api.store) as TestApi['store'], {
    annotations: counted(annotations),
    participation: counted(participation),
  });
  const counts = () => ['answersOf', 'steps'].map((name) => used.filter((one) => one === name).length);
  const without = await write(STUDY_EXPORT_WRITERS.ARCHIVE, 'without', { studyId, subjectIds: null }, store);
  expect([...without.keys()].filter((name) => /scores|participation|visits/.test(name))).toEqual([]);
  expect(counts()).toEqual([0, 0]);
  await api.client.call('setSubjectStatus', {
    params: { studyId, subjectId },
    body: { status: 'COMPLETED', date: new Date(api.clock.now()).toISOString().slice(0, 10) },
  });
  const followed = await write(STUDY_EXPORT_WRITERS.ARCHIVE, 'followed', { studyId, subjectIds: null }, store);
  expect(String(followed.get('participation.csv'))).toContain('COMPLETED');
  expect(counts()).toEqual([0, 1]);
});
