/** Lists that begin at one of their items, which a search or a link names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

const COUNT = 41;
const MIDDLE = 17;

let api: TestApi;
let place: { studyId: string; subjectId: string };
let other: { studyId: string; subjectId: string };
const messageIds: string[] = [];
const labelIds: string[] = [];
let asked: string[] = [];

beforeAll(async () => {
  api = await startTestApi({ onQuery: ({ name }) => asked.push(name) });
  const { store, studyId, subjectIds, clock, admin } = api;
  place = { studyId, subjectId: subjectIds[0]! };
  other = { studyId, subjectId: subjectIds[1]! };
  const byAdmin = { actor: { type: 'USER' as const, id: admin.userId } };
  for (let n = 0; n < COUNT; n++) {
    // Three of each instant: the id decides.
    if (n % 3 === 0) clock.advance(1000);
    messageIds.push((await store.messages.post({ ...place, body: `Message ${n}` }, byAdmin)).id);
    const label = { ...place, type: 'recording' as const, displayName: `Label ${n}`, startTs: clock.now() };
    const [stored] = await store.annotations.addLabels([{ ...label, stopTs: label.startTs }], byAdmin);
    labelIds.push(stored!.id);
  }
});
afterAll(() => api.close());

const LISTS = {
  messages: {
    ids: messageIds,
    call: (query: object, of = place) => api.client.call('listMessages', { params: of, query }),
  },
  annotations: {
    ids: labelIds,
    call: (query: object, of = place) => api.client.call('listAnnotations', { params: of, query }),
  },
};

describe.each(Object.entries(LISTS))('a page of %s around an item', (_, { ids, call }) => {
  it('begins with the item in either direction, and the two make up the list', async () => {
    const all = (await call({})).items.map(({ id }) => id);
    const at = ids[MIDDLE]!;
    const older = await call({ limit: '1000', newest: 'true', at });
    const newer = await call({ limit: '1000', at });
    expect([older.items[0]?.id, newer.items[0]?.id]).toEqual([at, at]);
    const joined = [...older.items.map(({ id }) => id).reverse(), ...newer.items.map(({ id }) => id).slice(1)];
    expect(joined).toEqual(all);
  });

  it('continues from there by the link to the next page', async () => {
    const all = (await call({})).items.map(({ id }) => id);
    const at = ids[MIDDLE]!;
    const first = await call({ limit: '5', at });
    const next = new URL(first.links?.[0]?.href ?? '', 'http://site').searchParams;
    expect(next.get('at')).toBeNull();
    const second = await call({ limit: '5', cursor: next.get('cursor') });
    const place = all.indexOf(at);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(all.slice(place, place + 10));
  });

  it('is 404 for an item of another subject, and for one that does not exist', async () => {
    for (const [at, of] of [
      [ids[MIDDLE]!, other],
      [newId(), place],
    ] as const)
      await expect(call({ limit: '5', at }, of)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  it('asks as often for the oldest item as for the newest', async () => {
    const statements = async (at: string) => {
      asked = [];
      await call({ limit: '5', newest: 'true', at });
      return asked;
    };
    expect(await statements(ids[0]!)).toEqual(await statements(ids[COUNT - 1]!));
  });
});

describe('a page around an item that the filter leaves out', () => {
  it('is 404', async () => {
    const query = { limit: '5', at: labelIds[MIDDLE]!, type: ['diary' as const] };
    await expect(api.client.call('listAnnotations', { params: place, query })).rejects.toMatchObject({ status: 404 });
  });
});

describe('an event that was found', () => {
  it('is where the log begins, and its words name the event in every language', async () => {
    const { client, store, accountId, clock } = api;
    while (await store.search.buildSome(500));
    const find = async (text: string) =>
      (await client.call('search', { params: { accountId }, query: { text, kind: ['event'] } })).items[0]!;
    const event = await find('enrolled');
    expect(event).toMatchObject({ action: 'SUBJECT_CREATED', text: 'Subject enrolled / 被験者を登録' });
    expect((await find('被験者を登録')).id).toBe(event.id);
    const window = { from: event.ts, to: clock.now() };
    const { items } = await client.call('listEvents', {
      params: { studyId: event.studyId! },
      query: { ...window, limit: '3', newest: 'true' as never, at: event.id },
    });
    expect(items[0]).toMatchObject({ action: 'SUBJECT_CREATED', subjectId: event.subjectId });
    const later = { from: clock.now() + 1, to: clock.now() + 2, at: event.id };
    await expect(
      client.call('listEvents', { params: { studyId: event.studyId! }, query: later }),
    ).rejects.toMatchObject({ status: 404 });
  });
});

describe('an answer that was found', () => {
  it('names its own record beside that of its report', async () => {
    const { store, client, accountId, clock } = api;
    const by = { actor: { type: 'USER' as const, id: api.admin.userId } };
    const { id: studyId } = await store.studies.create({ accountId, displayName: 'Diary', title: 'Diary' }, by);
    const question = { text: 'What else?', type: 'FREETEXT' as const, values: [] };
    const evening = { mode: 'UNSUPERVISED' as const, pipelineIds: [], displayName: 'Evening', questions: [question] };
    const { diaries } = await store.studies.putDefinition(studyId, { diaries: [evening] }, by);
    const { id: subjectId } = await store.subjects.create(studyId, { displayName: 'D-1', timezone: 'UTC' }, by);
    const report = { taskId: diaries[0]!.id, startTs: clock.now(), stopTs: clock.now() };
    await store.annotations.reportTask(
      { studyId, subjectId, ...report, answers: [{ questionId: diaries[0]!.questions[0]!.id, value: 'pangolin' }] },
      { actor: { type: 'SUBJECT', id: subjectId } },
    );
    const { items } = await client.call('search', { params: { accountId }, query: { text: 'pangolin' } });
    expect(items).toHaveLength(1);
    const { items: list } = await client.call('listAnnotations', {
      params: { studyId, subjectId },
      query: { limit: '1', at: items[0]!.recordId! },
    });
    expect(list[0]).toMatchObject({ value: 'pangolin', event: { type: 'question' } });
  });
});
