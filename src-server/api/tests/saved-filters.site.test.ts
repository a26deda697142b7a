/** Saved filters: whose they are, who sees and changes shared ones, their bounds, and what ends them. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { openStore } from '../../services/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestStudy, openTestStore } from '../../testing/test-store.ts';
import { MOST_FILTERS } from '../../vocabulary/saved-filters.ts';
import { type Client, createClient } from '../contract/client.ts';

let api: TestApi;
let coordinator: Client;
let monitor: Client;
let stranger: Client;
let other: Client;
beforeAll(async () => {
  api = await startTestApi();
  await api.store.studies.setMember(api.studyId, api.coordinator.userId, 'COORDINATOR', SYSTEM);
  const clientOf = (credentials: TestApi['admin']['credentials']) =>
    createClient({ baseUrl: api.url, credentials, validateResponses: true });
  coordinator = clientOf(api.coordinator.credentials);
  monitor = clientOf(api.monitor.credentials);
  other = clientOf(api.otherAccount.credentials);
  const { id } = await api.client.call('createUser', {
    body: {
      email: 'stranger@example.org',
      password: 'eight characters',
      user: {
        accountId: api.accountId,
        ...{ email: 'stranger@example.org', firstName: 'No', lastName: 'Member', locale: 'en_US', timezone: 'Etc/UTC' },
      },
    },
  });
  const { accessToken } = await api.store.tokens.create(id);
  stranger = clientOf({ userId: id, accessToken });
});
afterAll(() => api.close());

interface Content {
  table?: 'subjects' | 'equipment';
  displayName?: string;
  search?: Record<string, string>;
  sharedStudyId?: string;
  studyId?: string;
}
const accountOf = (client: Client) => (client === other ? api.otherAccount.accountId : api.accountId);
const save = (client: Client, filterId: string, { table = 'subjects', ...content }: Content = {}) =>
  client.call('putSavedFilter', {
    params: { accountId: accountOf(client), filterId },
    body: {
      table,
      ...(table === 'subjects' && { studyId: api.studyId }),
      ...{ displayName: 'Not worn', search: { filter: 'twoDays' } },
      ...content,
    },
  });
const remove = (client: Client, filterId: string) =>
  client.call('deleteSavedFilter', { params: { accountId: accountOf(client), filterId } });
const list = async (client: Client, query: { table?: 'subjects' | 'equipment'; studyId?: string } = {}) =>
  (await client.call('listSavedFilters', { params: { accountId: accountOf(client) }, query })).items;
const namesOf = async (client: Client) => (await list(client)).map(({ displayName }) => displayName);
const auditOf = async () =>
  (await api.client.call('listStudyAudit', { params: { studyId: api.studyId }, query: { entityType: 'savedFilter' } }))
    .items;
const clear = async () => {
  for (const client of [api.client, coordinator, monitor, stranger])
    for (const { id, owner } of await list(client)) {
      if (owner.id === client.credentials?.userId) await remove(client, id);
    }
};

describe('private filters', () => {
  it('are saved under the id of the caller, renamed, replaced and deleted, each step repeatable', async () => {
    const id = randomUUID();
    for (let time = 0; time < 2; time++) await save(monitor, id);
    const [saved] = await list(monitor, { table: 'subjects', studyId: api.studyId });
    expect(saved).toEqual({
      ...{ id, table: 'subjects', studyId: api.studyId, displayName: 'Not worn', search: { filter: 'twoDays' } },
      owner: { id: api.monitor.userId, displayName: 'Test MONITOR' },
      ...{ createdTs: api.clock.now(), modifiedTs: api.clock.now() },
    });
    api.clock.advance(1000);
    await save(monitor, id, { displayName: '  未装着 ', search: { text: 'N-1', filter: 'week' } });
    expect(await list(monitor)).toEqual([
      { ...saved, displayName: '未装着', search: { filter: 'week', text: 'N-1' }, modifiedTs: api.clock.now() },
    ]);
    for (let time = 0; time < 2; time++) await remove(monitor, id);
    expect(await list(monitor)).toEqual([]);
  });

  it('are seen and changed by nobody else, and leave no trace that others read', async () => {
    const id = randomUUID();
    const before = await auditOf();
    await save(monitor, id);
    for (const client of [api.client, coordinator, stranger, other]) {
      expect(await list(client)).toEqual([]);
      await expect(save(client, id, { table: 'equipment' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await remove(client, id);
    }
    expect(await namesOf(monitor)).toEqual(['Not worn']);
    expect(await auditOf()).toEqual(before);
    await clear();
  });

  it('need a study of the caller for the tables of a study, and none for others', async () => {
    const id = randomUUID();
    for (const client of [stranger, other])
      await expect(save(client, id)).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
    await expect(
      monitor.call('putSavedFilter', {
        params: { accountId: api.accountId, filterId: id },
        body: { table: 'subjects', displayName: 'X', search: { filter: 'week' } },
      }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT', errors: [{ path: 'studyId' }] });
    await expect(save(monitor, id, { table: 'equipment', studyId: api.studyId })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await save(stranger, id, { table: 'equipment' });
    await expect(save(stranger, id, { table: 'subjects' })).rejects.toMatchObject({ status: 404 });
    expect(await namesOf(stranger)).toEqual(['Not worn']);
    await clear();
  });

  it('are bounded in number and size, and each name of a table is given once', async () => {
    const id = randomUUID();
    const long = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`k${'x'.repeat(at)}`, '1']));
    for (const content of [
      { displayName: ' ' },
      { displayName: 'x'.repeat(101) },
      { search: { text: 'x'.repeat(201) } },
      { search: { 'a b': 'x' } },
      { search: {} },
      { search: long },
    ])
      await expect(save(monitor, id, content)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    for (let at = 0; at < MOST_FILTERS; at++) await save(monitor, randomUUID(), { displayName: `Filter ${at}` });
    await expect(save(monitor, id)).rejects.toMatchObject({ code: 'CONFLICT' });
    const [first] = await list(monitor);
    await expect(save(monitor, first!.id, { displayName: 'Filter 7' })).rejects.toMatchObject({
      code: 'DUPLICATE_NAME',
    });
    // What is there can still be changed.
    await save(monitor, first!.id, { displayName: 'Renamed' });
    await save(coordinator, id);
    expect(await list(monitor)).toHaveLength(MOST_FILTERS);
    await clear();
  });

  it('are deleted with the user who is disabled; what they shared stays', async () => {
    const [own, shared] = [randomUUID(), randomUUID()];
    await save(coordinator, own, { displayName: 'Own' });
    await save(coordinator, shared, { displayName: 'Shared', sharedStudyId: api.studyId });
    const params = { accountId: api.accountId, userId: api.coordinator.userId };
    await api.client.call('deleteUser', { params });
    await api.client.call('enableUser', { params });
    const { accessToken } = await api.store.tokens.create(api.coordinator.userId);
    coordinator.credentials = { userId: api.coordinator.userId, accessToken };
    expect(await namesOf(coordinator)).toEqual(['Shared']);
    expect(await namesOf(monitor)).toEqual(['Shared']);
    await clear();
  });
});

describe('filters that would find an erased subject', () => {
  const erased = async (displayName: string, during: (subjectId: string) => Promise<void>) => {
    const { id: subjectId } = await api.client.call('createSubject', {
      params: { studyId: api.studyId },
      body: { displayName, timezone: 'Asia/Tokyo' },
    });
    await during(subjectId);
    const params = { studyId: api.studyId, subjectId };
    const reason = { actor: { type: 'USER', id: api.admin.userId }, reason: 'Asked for in writing' } as const;
    const { id } = await api.store.erasures.order({ ...params, confirmation: displayName }, reason);
    await api.store.erasures.eraseRows(id);
  };

  it('are deleted, whatever case, width, kana or escapes they are written in', async () => {
    await erased('Gone-77', async (subjectId) => {
      await save(monitor, randomUUID(), { displayName: 'By id', search: { of: subjectId } });
      await save(monitor, randomUUID(), { displayName: 'By code', search: { text: 'gone-77' } });
      await save(monitor, randomUUID(), { displayName: 'By width', search: { text: 'ｇｏｎｅ－７７' } });
      await save(monitor, randomUUID(), { displayName: 'Like GONE-77' });
      await save(monitor, randomUUID(), { displayName: 'Stays', search: { text: 'Gone-771' } });
    });
    expect(await namesOf(monitor)).toEqual(['Stays']);
    await erased('タナカ', async () => {
      await save(monitor, randomUUID(), { displayName: 'By kana', search: { text: 'たなか' } });
      await save(monitor, randomUUID(), { displayName: 'By half width', search: { text: 'ﾀﾅｶ' } });
    });
    await erased('Ward "N\\7"', async () => {
      await save(monitor, randomUUID(), { displayName: 'By escapes', search: { text: 'ward "n\\7"' } });
    });
    // A short code is not looked for within other words, nor in choices.
    await erased('wee', async () => {
      await save(monitor, randomUUID(), { displayName: 'Choice', search: { filter: 'wee' } });
      await save(monitor, randomUUID(), { displayName: 'By short code', search: { text: 'WEE' } });
    });
    expect(await namesOf(monitor)).toEqual(['Choice', 'Stays']);
    await clear();
  });

  it('leave no code in the audit trail of their study', async () => {
    const [byCase, byKana] = [randomUUID(), randomUUID(), randomUUID()];
    const shared = { sharedStudyId: api.studyId };
    await erased('Left-88', async () => {
      await save(coordinator, byCase, { ...shared, displayName: 'A', search: { text: 'lEFT-88' } });
      await save(coordinator, byCase, { ...shared, displayName: 'A', search: { text: 'ＬＥＦＴ-88' } });
      await remove(coordinator, byCase);
    });
    await erased('サトウ', async () => {
      await save(coordinator, byKana, { ...shared, displayName: 'B', search: { text: 'さとう' } });
      await save(coordinator, randomUUID(), { ...shared, displayName: 'C', search: { text: 'Left-881' } });
    });
    const entries = await auditOf();
    const texts = entries.map(({ changes }) => JSON.stringify(changes).normalize('NFKC').toLowerCase());
    expect(texts.filter((text) => /left-88\b|さとう/.test(text))).toEqual([]);
    expect(entries.filter(({ entityId }) => [byCase, byKana].map(String).includes(entityId))).toEqual([]);
    expect(texts.filter((text) => text.includes('left-881'))).toHaveLength(1);
    expect(await namesOf(coordinator)).toEqual(['C']);
    expect(await api.store.audit.verify()).toEqual([]);
    await clear();
  });
});

describe('shared filters', () => {
  it('are seen by the members of the study, and shared and changed by those who manage it', async () => {
    const id = randomUUID();
    const shared = { sharedStudyId: api.studyId };
    await expect(save(monitor, id, shared)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await save(coordinator, id, shared);
    expect(await list(monitor)).toMatchObject([
      { id, ...shared, owner: { id: api.coordinator.userId, displayName: 'Test COORDINATOR' } },
    ]);
    for (const client of [stranger, other]) {
      expect(await list(client)).toEqual([]);
      await expect(save(client, id, { table: 'equipment' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await remove(client, id);
    }
    await expect(save(monitor, id, { ...shared, displayName: 'Mine' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(remove(monitor, id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    // An administrator manages every study, but makes nothing of others private.
    await save(api.client, id, { ...shared, displayName: 'Not worn for days' });
    await expect(save(api.client, id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await namesOf(monitor)).toEqual(['Not worn for days']);
    expect(await namesOf(coordinator)).toEqual(['Not worn for days']);
    await remove(api.client, id);
    expect(await list(coordinator)).toEqual([]);
    expect((await auditOf()).slice(0, 3).map(({ action }) => action)).toEqual([
      'saved-filter.delete',
      'saved-filter.put',
      'saved-filter.put',
    ]);
  });

  it('of other tables are shared with a study too, and taken back by their owner also without the role', async () => {
    const id = randomUUID();
    const equipment = { table: 'equipment', search: { state: 'attention' } } as const;
    await save(coordinator, id, { ...equipment, sharedStudyId: api.studyId });
    expect(await list(monitor, { table: 'equipment' })).toHaveLength(1);
    expect(await list(monitor, { table: 'subjects' })).toEqual([]);
    await api.store.studies.setMember(api.studyId, api.coordinator.userId, 'MONITOR', SYSTEM);
    await expect(
      save(coordinator, id, { ...equipment, displayName: 'Other', sharedStudyId: api.studyId }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await save(coordinator, id, equipment);
    expect(await list(monitor)).toEqual([]);
    expect(await namesOf(coordinator)).toEqual(['Not worn']);
    await api.store.studies.setMember(api.studyId, api.coordinator.userId, 'COORDINATOR', SYSTEM);
    await clear();
  });

  it('are hidden from their owner after the owner left the study', async () => {
    const [shared, own] = [randomUUID(), randomUUID()];
    const content = { displayName: 'Ward', sharedStudyId: api.studyId };
    await save(coordinator, shared, content);
    await save(coordinator, own, { displayName: 'Own' });
    await api.store.studies.setMember(api.studyId, api.coordinator.userId, null, SYSTEM);
    await save(api.client, shared, { ...content, search: { text: 'N-9' } });
    expect(await namesOf(coordinator)).toEqual(['Own']);
    for (const sharedStudyId of [undefined, api.studyId])
      await expect(
        save(coordinator, shared, { ...content, table: 'equipment', ...(sharedStudyId && { sharedStudyId }) }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await remove(coordinator, shared);
    expect(await list(monitor)).toMatchObject([{ id: shared, search: { text: 'N-9' } }]);
    await api.store.studies.setMember(api.studyId, api.coordinator.userId, 'COORDINATOR', SYSTEM);
    expect(await namesOf(coordinator)).toEqual(['Own', 'Ward']);
    await clear();
  });

  it('are renamed by others without a word about private filters of their owner', async () => {
    const [shared, second] = [randomUUID(), randomUUID()];
    const content = { sharedStudyId: api.studyId };
    await save(coordinator, randomUUID(), { displayName: 'Secret' });
    await save(coordinator, shared, { ...content, displayName: 'Ward' });
    await save(coordinator, second, { ...content, displayName: 'Ward 2' });
    await expect(save(api.client, shared, { ...content, displayName: 'Ward 2' })).rejects.toMatchObject({
      code: 'DUPLICATE_NAME',
    });
    await save(api.client, shared, { ...content, displayName: 'Secret' });
    expect(await namesOf(coordinator)).toEqual(['Secret', 'Secret', 'Ward 2']);
    // The owner can still replace what it chooses, and give it another name of their own only once.
    await save(coordinator, shared, { ...content, displayName: 'Secret', search: { filter: 'week' } });
    await expect(save(coordinator, second, { ...content, displayName: 'Secret' })).rejects.toMatchObject({
      code: 'DUPLICATE_NAME',
    });
    await clear();
  });

  it('leave a deletion in the trail of a study that they leave', async () => {
    const { id: second } = await api.client.call('createStudy', {
      params: { accountId: api.accountId },
      body: { displayName: 'Second' },
    });
    const id = randomUUID();
    const content = { table: 'equipment', displayName: 'Spare', search: { state: 'free' } } as const;
    const moves: unknown[] = [];
    const stop = api.store.subscribe(({ action, studyId }) => moves.push([action, studyId]));
    await save(api.client, id, { ...content, sharedStudyId: api.studyId });
    await save(api.client, id, { ...content, sharedStudyId: second });
    await save(api.client, id, { ...content, search: { text: 'Private now' } });
    stop();
    expect(moves).toEqual([
      ['saved-filter.put', api.studyId],
      ['saved-filter.delete', api.studyId],
      ['saved-filter.put', second],
      ['saved-filter.delete', second],
    ]);
    const trailOf = async (studyId: string) =>
      (await api.client.call('listStudyAudit', { params: { studyId }, query: { entityType: 'savedFilter' } })).items
        .filter(({ entityId }) => entityId === String(id))
        .map(({ action, changes }) => ({ action, changes }));
    const [deleted, put] = [
      {
        action: 'saved-filter.delete',
        changes: [
          { field: 'displayName', old: 'Spare' },
          { field: 'search', old: { state: 'free' } },
        ],
      },
      (sharedStudyId: string) => ({
        action: 'saved-filter.put',
        changes: [
          { field: 'displayName', new: 'Spare' },
          { field: 'search', new: { state: 'free' } },
          { field: 'sharedStudyId', new: sharedStudyId },
        ],
      }),
    ];
    for (const studyId of [api.studyId, second]) expect(await trailOf(studyId)).toEqual([deleted, put(studyId)]);
    await clear();
  });

  it('can be saved and deleted while the study is locked', async () => {
    const lock = { params: { studyId: api.studyId }, body: { reason: 'Locked', password: api.admin.password } };
    await api.client.call('lockStudy', lock);
    const id = randomUUID();
    await save(coordinator, id, { sharedStudyId: api.studyId });
    expect(await namesOf(monitor)).toEqual(['Not worn']);
    await remove(coordinator, id);
    await api.client.call('unlockStudy', lock);
  });

  it('of one study are bounded', async () => {
    const content = { sharedStudyId: api.studyId };
    for (let at = 0; at < MOST_FILTERS; at++)
      await save(coordinator, randomUUID(), { ...content, displayName: `Filter ${at}` });
    await expect(save(api.client, randomUUID(), content)).rejects.toMatchObject({ code: 'CONFLICT' });
    await save(api.client, randomUUID());
    await clear();
  });
});

it('saved filters are there when the site is opened again', async () => {
  const { store, path, close } = openTestStore();
  const { studyId, userId, byUser } = await addTestStudy(store);
  const may = { read: () => true, manage: () => true };
  const filter = { tableName: 'subjects', studyId, displayName: 'Not worn', search: { filter: 'week' } } as const;
  await store.savedFilters.save({ id: randomUUID(), ...filter, sharedStudyId: studyId }, may, byUser);
  const before = await store.savedFilters.seenBy(userId, [studyId]);
  expect(before).toMatchObject([{ ...filter, sharedStudyId: studyId }]);
  await store.close();
  const reopened = openStore(path);
  expect(await reopened.savedFilters.seenBy(userId, [studyId])).toEqual(before);
  await reopened.close();
  await close();
});
