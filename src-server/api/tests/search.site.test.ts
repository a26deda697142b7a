import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../db/index.ts';
import { PERMISSIONS, type Role } from '../../study/permissions.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { SEARCH_KINDS, type SearchKind } from '../../vocabulary/search.ts';
import { type Client, createClient } from '../contract/client.ts';

let api: TestApi;
let monitor: Client;
let outsider: Client;
let otherAdmin: Client;
let secret: { studyId: string; subjectId: string };

const byAdmin = () => ({ actor: { type: 'USER' as const, id: api.admin.userId } });

/** Names of the statements that ran. */
let asked: string[] = [];

beforeAll(async () => {
  api = await startTestApi({ onQuery: ({ name }) => asked.push(name) });
  const clientOf = ({ credentials }: { credentials: TestApi['admin']['credentials'] }) =>
    createClient({ baseUrl: api.url, credentials, validateResponses: true });
  monitor = clientOf(api.monitor);
  outsider = clientOf(api.coordinator);
  otherAdmin = clientOf(api.otherAccount);
  const { store, accountId, studyId } = api;
  await fill({ studyId, subjectId: api.subjectIds[0]! }, 'here');
  const other = await store.studies.create({ accountId, displayName: 'Needle study', title: 'there' }, byAdmin());
  const subject = await store.subjects.create(other.id, { displayName: 'Needle-9 there', timezone: 'UTC' }, byAdmin());
  secret = { studyId: other.id, subjectId: subject.id };
  await fill(secret, 'there');
  while (await store.search.buildSome(500));
});
afterAll(() => api.close());

/** One of each kind, each with the words "needle" and `where`. */
async function fill(place: { studyId: string; subjectId: string }, where: string): Promise<void> {
  const { store, accountId } = api;
  const change = { ...byAdmin(), reason: 'Seen' };
  const body = `needle ${where} 心電図`;
  await store.notes.add({ ...place, kind: 'NOTE', body }, change);
  await store.messages.post({ ...place, body }, change);
  const span = { startTs: api.clock.now(), stopTs: api.clock.now() + 1000 };
  await store.annotations.addLabels([{ ...place, type: 'recording', displayName: body, ...span }], change);
  await store.dataQueries.open({ ...place, target: 'DAY', date: '2026-01-14', text: body }, change);
  const serial = `NEEDLE-${where}`;
  await store.equipment.register(
    { accountId, id: serial, type: 'LINK_HUB', displayName: `Needle hub ${where}` },
    change,
  );
  await store.equipment.assign(serial, place, change);
}

const find = async (client: Client, text: string, query: { kind?: SearchKind[]; limit?: number } = {}) =>
  await client.call('search', { params: { accountId: api.accountId }, query: { text, ...query } });
const kindsOf = async (client: Client, text: string) => (await find(client, text)).items.map(({ kind }) => kind);

describe('a search', () => {
  it('finds every kind for an administrator, with the place and the part of the text', async () => {
    expect(await kindsOf(api.client, 'needle there')).toEqual([
      ...['study', 'subject', 'equipment', 'note', 'message', 'query', 'label'],
    ]);
    const [note] = (await find(api.client, '心電', { kind: ['note'] })).items;
    expect(note).toMatchObject({
      ...{ kind: 'note', ...secret, studyName: 'Needle study', subjectName: 'Needle-9 there' },
      ...{ text: 'needle there 心電図', matches: [[13, 15]], ts: api.clock.now() },
    });
  });

  it('shows members only their studies: no results, no number and no part of a text of others', async () => {
    expect(await kindsOf(monitor, 'needle')).toEqual(['equipment', 'note', 'message', 'query', 'label']);
    const found = await find(monitor, 'needle', { limit: 1 });
    expect(found.more).toEqual([]);
    expect(JSON.stringify(found)).not.toContain('there');
    expect(await kindsOf(monitor, 'there')).toEqual([]);
    expect((await find(outsider, 'needle')).items).toEqual([]);
  });

  it('says where there is more, for what the caller may see', async () => {
    expect((await find(api.client, 'needle', { limit: 1 })).more).toEqual([
      ...['equipment', 'note', 'message', 'query', 'label'],
    ]);
    expect((await find(api.client, 'needle', { limit: 2 })).more).toEqual([]);
  });

  it('finds nothing of another account, and is not answered for it', async () => {
    const params = { accountId: api.otherAccount.accountId };
    expect((await otherAdmin.call('search', { params, query: { text: 'needle' } })).items).toEqual([]);
    await expect(find(otherAdmin, 'needle')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('finds staff by name and address', async () => {
    expect((await find(monitor, api.admin.email)).items.map(({ kind, id }) => [kind, id])).toEqual([
      ['staff', api.admin.userId],
    ]);
  });

  it.each(['', '   ', '--', '"', '*', 'NEAR(', ')'])('finds nothing for %j', async (text) => {
    expect((await find(api.client, text)).items).toEqual([]);
  });

  it('says while older rows are being added', async () => {
    expect((await find(api.client, 'needle')).indexing).toBeUndefined();
    await api.store.search.clear();
    const { items, indexing } = await find(api.client, 'needle');
    expect(items).toEqual([]);
    expect(indexing).toMatchObject({ done: 0 });
    while (await api.store.search.buildSome(500));
  });

  it('finds a data query once, by the newest of its steps, and what lies behind it', async () => {
    const { store, studyId, subjectIds } = api;
    const place = { studyId, subjectId: subjectIds[0]! };
    const change = { ...byAdmin(), reason: 'Seen' };
    const ids: string[] = [];
    for (const date of ['2026-01-10', '2026-01-11']) {
      const { id } = await store.dataQueries.open({ ...place, target: 'DAY', date, text: 'zebra first' }, change);
      ids.unshift(id);
      api.clock.advance(2000);
      for (let n = 0; n < 60; n++)
        await store.dataQueries.addStep({ id, ...place }, { kind: 'COMMENT', text: `zebra ${n}` } as never, change);
      api.clock.advance(2000);
    }
    const { items, more } = await find(api.client, 'zebra', { kind: ['query'] });
    expect(items.map(({ id, text }) => [id, text])).toEqual(
      ids.map((id) => [id, expect.stringMatching(/^zebra \d+$/)]),
    );
    expect(more).toEqual([]);
    expect((await find(api.client, 'zebra', { kind: ['query'], limit: 1 })).more).toEqual(['query']);
  });

  it('marks a note that was withdrawn', async () => {
    const { store, studyId } = api;
    const change = { ...byAdmin(), reason: 'Wrong subject' };
    const { id } = await store.notes.add({ studyId, kind: 'NOTE', body: 'okapi' }, change);
    expect((await find(api.client, 'okapi')).items[0]).not.toHaveProperty('isWithdrawn');
    await store.notes.withdraw({ id, studyId }, change);
    expect((await find(api.client, 'okapi')).items).toMatchObject([{ kind: 'note', id, isWithdrawn: true }]);
  });

  it('reads equipment of other studies once, page after page', async () => {
    const { store, accountId } = api;
    for (let n = 0; n < 170; n++) {
      const id = `GIRAFFE-${n}`;
      await store.equipment.register({ accountId, id, type: 'LINK_HUB', displayName: `Giraffe ${n}` }, byAdmin());
      await store.equipment.assign(id, secret, byAdmin());
    }
    asked = [];
    expect(await kindsOf(monitor, 'giraffe')).toEqual([]);
    const countOf = (name: string) => asked.filter((one) => one === name).length;
    // Four pages of 50, and the other kinds.
    expect(countOf('search.find')).toBeLessThanOrEqual(SEARCH_KINDS.length + 4);
    expect([countOf('equipment.get'), countOf('equipment.listOf')]).toEqual([0, 4]);
  });

  it('follows a role at once', async () => {
    const { store } = api;
    await store.studies.setMember(secret.studyId, api.monitor.userId, 'MONITOR', byAdmin());
    expect(await kindsOf(monitor, 'there')).toContain('note');
    await store.studies.setMember(secret.studyId, api.monitor.userId, null, byAdmin());
    expect(await kindsOf(monitor, 'there')).toEqual([]);
  });

  it('answers in the same way for many studies', async () => {
    const { store, accountId } = api;
    for (let n = 0; n < 300; n++)
      await store.studies.create({ accountId, displayName: `Many ${n}`, title: newId() }, byAdmin());
    expect(await kindsOf(api.client, 'needle there')).toContain('note');
  });
});

describe('a role that may not read', () => {
  const table = PERMISSIONS as unknown as Record<string, { roles: readonly Role[] }>;
  const before = structuredClone(table);
  const withhold = (operation: string) => {
    table[operation]!.roles = table[operation]!.roles.filter((role) => role !== 'MONITOR');
  };
  afterEach(() => {
    for (const [name, { roles }] of Object.entries(before)) table[name]!.roles = roles;
  });

  it.each([
    ['annotation.read', ['equipment', 'note', 'message', 'query']],
    ['message.read', ['equipment', 'note', 'query', 'label']],
    ['note.read', ['equipment', 'message', 'query', 'label']],
    ['query.read', ['equipment', 'note', 'message', 'label']],
    ['equipment.read', ['note', 'message', 'query', 'label']],
  ])('%s does not find it', async (operation, kinds) => {
    withhold(operation);
    expect(await kindsOf(monitor, 'needle')).toEqual(kinds);
  });

  it('names finds neither subjects nor staff, and no names beside what it finds', async () => {
    expect(await kindsOf(monitor, 'Subject')).toContain('subject');
    withhold('subject.read');
    withhold('user.read');
    expect(await kindsOf(monitor, 'Subject')).not.toContain('subject');
    expect(await kindsOf(monitor, api.admin.email)).toEqual([]);
    const { items } = await find(monitor, 'needle', { kind: ['note'] });
    expect(items).toHaveLength(1);
    expect(items[0]!.subjectName).toBeUndefined();
  });
});
