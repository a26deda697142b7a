/** Pages of lists: they hold the whole list once, in its order, also when records are added meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { fillDatabase } from '../../testing/full-database.ts';
import { idOf } from '../../testing/full-site/rows.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';

const FROM_TS = Date.UTC(2025, 11, 20);
const DAY_MS = 86_400_000;

interface Page {
  items: Record<string, unknown>[];
  size: number;
  links?: { href: string; rel: string }[];
}

let api: TestApi;
let lists: Record<string, string>;
let subjectId: string;

beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
  const { accountId, studyId } = api;
  const full = fillDatabase(api.store.path, {
    accountId,
    studyId,
    subjects: 12,
    days: 10,
    sensors: 2,
    fromTs: FROM_TS,
  });
  subjectId = full.subjectIds[2]!;
  const payload = { studyId, subjectId, fromMs: 0, toMs: 1, recordingIds: [] };
  for (let i = 0; i < 5; i++) await api.store.jobs.queue('analyse', payload, SYSTEM);
  const subject = `/studies/${studyId}/subjects/${subjectId}`;
  lists = {
    subjects: `/studies/${studyId}/subjects?summary=true`,
    studyRecordings: `/studies/${studyId}/recordings`,
    newestRecordings: `/studies/${studyId}/recordings?newest=true`,
    recordings: `${subject}/recordings`,
    annotations: `${subject}/annotations`,
    newestAnnotations: `${subject}/annotations?newest=true`,
    messages: `${subject}/messages`,
    newestMessages: `${subject}/messages?newest=true`,
    conversations: `/accounts/${accountId}/conversations`,
    events: `/studies/${studyId}/events?from=${FROM_TS + DAY_MS}&to=${FROM_TS + 2 * DAY_MS}`,
    uploads: `/accounts/${accountId}/uploads?state=STORED`,
    signatures: `/studies/${studyId}/signatures`,
    fleet: `/accounts/${accountId}/fleet`,
    adherence: `/studies/${studyId}/adherence`,
    taskReports: `${subject}/task_reports`,
    devices: `/accounts/${accountId}/devices`,
    mail: `/accounts/${accountId}/outbox`,
    unreadMail: `/accounts/${accountId}/outbox?isRead=false`,
    deliveries: `/accounts/${accountId}/webhooks/${idOf(FROM_TS, 'webhook', studyId)}/deliveries`,
  };
});
afterAll(() => api.close());

async function read(path: string): Promise<Page> {
  const response = await fetch(`${api.url}/api${path}`, { headers: { authorization: api.authorization } });
  expect(response.status, path).toBe(200);
  return (await response.json()) as Page;
}

function withQuery(path: string, query: string): string {
  return `/v1${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Follows the links from a first page. */
async function pagesFrom(path: string): Promise<Page[]> {
  const pages = [await read(path)];
  for (let next = pages[0]?.links?.[0]; next; next = pages.at(-1)?.links?.[0]) pages.push(await read(next.href));
  return pages;
}

const LISTS = [
  'subjects',
  'studyRecordings',
  'newestRecordings',
  'recordings',
  'annotations',
  'newestAnnotations',
  'messages',
  'newestMessages',
  'conversations',
  'events',
  'uploads',
  'signatures',
  'fleet',
  'adherence',
  'taskReports',
  'devices',
  'mail',
  'unreadMail',
];

describe('pages', () => {
  it.each(LISTS)('of %s hold the whole list once, in its order', async (name) => {
    const whole = await read(`/v1${lists[name]}`);
    expect(whole.links).toBeUndefined();
    expect(whole.items.length).toBeGreaterThan(2);
    for (const limit of [2, 7, whole.items.length]) {
      const pages = await pagesFrom(withQuery(lists[name]!, `limit=${limit}`));
      expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
      expect(pages.every(({ items, size }) => items.length <= limit && size === items.length)).toBe(true);
      expect(pages).toHaveLength(Math.ceil(whole.items.length / limit));
    }
  });

  it('of deliveries continue where the list ends at 200', async () => {
    const whole = await read(`/v1${lists.deliveries}`);
    expect(whole.size).toBe(200);
    const pages = await pagesFrom(withQuery(lists.deliveries!, 'limit=90'));
    const items = pages.flatMap((page) => page.items);
    expect(items.slice(0, 200)).toEqual(whole.items);
    expect(items.length).toBeGreaterThan(200);
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  });

  it('of jobs continue after the last one, also within one instant', async () => {
    const { jobs } = api.store;
    const whole = await jobs.list({ limit: 500 });
    const pages = [await jobs.list({ limit: 2 })];
    for (let last = pages[0]!.at(-1); last; last = pages.at(-1)!.at(-1))
      pages.push(await jobs.list({ limit: 2, after: [last.createdTs, last.id] }));
    expect(whole.length).toBeGreaterThanOrEqual(5);
    expect(pages.flat()).toEqual(whole);
  });

  it('of more than 200 items have the link too', async () => {
    const page = await read(withQuery(lists.studyRecordings!, 'limit=210'));
    expect(page).toMatchObject({ size: 210, links: [{ rel: 'next' }] });
    expect(page.items).toHaveLength(210);
  });

  it('neither repeat nor skip a record when others are added meanwhile', async () => {
    const whole = await read(`/v1${lists.recordings}`);
    const first = await read(withQuery(lists.recordings!, 'limit=5'));
    const place = { studyId: api.studyId, subjectId };
    // One before the place of the cursor and one of the same instant as the last record read.
    const lastStartTs = first.items.at(-1)!.recordingStartTs as number;
    for (const [i, startTs] of [FROM_TS - DAY_MS, lastStartTs].entries()) {
      await addTestRecording(api.store, api.deps.signalsDir, place, {
        startUs: startTs * 1000,
        durationSeconds: 5,
        udid: `AA:BB:CC:DD:EE:0${i}`,
      });
    }
    const rest = (await pagesFrom(first.links![0]!.href)).flatMap(({ items }) => items);
    const ids = [...first.items, ...rest].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(whole.items.map(({ id }) => id)));
  });

  it('hold only recordings that share time with the window', async () => {
    const day = `from=${FROM_TS + 4 * DAY_MS}&to=${FROM_TS + 5 * DAY_MS}`;
    const { items } = await read(withQuery(lists.recordings!, day));
    expect(items).toHaveLength(2);
    const [first] = items;
    expect(first!.recordingStartTs).toBe(FROM_TS + 4 * DAY_MS + 8 * 3_600_000 + 118_000);
  });

  it.each([
    ['an arbitrary text', 'nothing'],
    ['a cursor of another list', Buffer.from('["jobs",1,"a"]').toString('base64url')],
    ['a cursor with other types', Buffer.from('["recordings","1","a"]').toString('base64url')],
    ['a cursor with a fraction', Buffer.from('["recordings",1.5,"a"]').toString('base64url')],
    ['a cursor that is too short', Buffer.from('["recordings",1]').toString('base64url')],
  ])('refuse %s', async (_, cursor) => {
    const response = await fetch(`${api.url}/api${withQuery(lists.recordings!, `cursor=${cursor}`)}`, {
      headers: { authorization: api.authorization },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT', errors: [{ path: 'cursor' }] });
  });

  it.each(['0', '1001', '-1', 'x', ''])('refuse the limit %s', async (limit) => {
    const response = await fetch(`${api.url}/api${withQuery(lists.recordings!, `limit=${limit}`)}`, {
      headers: { authorization: api.authorization },
    });
    expect(response.status).toBe(400);
  });
});

describe('lists for screens', () => {
  it('carry what each subject and study has recorded', async () => {
    const { items } = await read(`/v1${lists.subjects}`);
    const recordings = await read(`/v1${lists.studyRecordings}`);
    const own = recordings.items.filter((one) => one.subjectId === subjectId);
    const found = items.find(({ id }) => id === subjectId)!.summary as Record<string, number>;
    expect(found).toMatchObject({
      countRecordings: own.length,
      lastDataTs: Math.max(...own.map(({ recordingStopTs }) => recordingStopTs as number)),
      firstDataTs: Math.min(...own.map(({ recordingStartTs }) => recordingStartTs as number)),
    });
    const response = await fetch(`${api.url}/api/v1/accounts/${api.accountId}/studies?summary=true`, {
      headers: { authorization: api.authorization },
    });
    const [study] = (await response.json()) as { summary: Record<string, number> }[];
    expect(study!.summary).toMatchObject({
      countSubjects: items.length,
      countHiddenSubjects: 0,
      countRecordings: recordings.size,
      lastDataTs: Math.max(...recordings.items.map(({ recordingStopTs }) => recordingStopTs as number)),
    });
  });

  it('hold only the days of the window', async () => {
    const window = 'fromDate=2025-12-22&toDate=2025-12-24';
    const { items } = await read(withQuery(lists.adherence!, window));
    const found = items.find((item) => item.subjectId === subjectId) as { days: { date: string }[] };
    expect(found.days.map(({ date }) => date)).toEqual(['2025-12-22', '2025-12-23', '2025-12-24']);
    const daily = await read(`/v1/studies/${api.studyId}/daily_recording_stats?${window}`);
    expect(daily.items.map(({ date }) => date)).toEqual(['2025-12-22', '2025-12-23', '2025-12-24']);
  });
});
