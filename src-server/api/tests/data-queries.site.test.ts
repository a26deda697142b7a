import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../db/index.ts';
import { writeStudyArchive } from '../../exporters/study-archive/archive.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { type Client, createClient } from '../contract/client.ts';

let api: TestApi;
let place: { studyId: string; subjectId: string };
let study: { studyId: string };
let coordinator: Client;
let monitor: Client;
let labelId: string;

beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
  study = { studyId: api.studyId };
  place = { ...study, subjectId: api.subjectIds[0]! };
  const clientOf = ({ credentials }: { credentials: TestApi['admin']['credentials'] }) =>
    createClient({ baseUrl: api.url, credentials, validateResponses: true });
  coordinator = clientOf(api.coordinator);
  monitor = clientOf(api.monitor);
  const change = { actor: { type: 'USER', id: api.admin.userId } } as const;
  await api.store.studies.setMember(api.studyId, api.coordinator.userId, 'COORDINATOR', change);
  const label = { displayName: 'Fall', startTs: 1000, stopTs: 2000 };
  labelId = (await api.client.call('createLabel', { params: place, body: label })).id;
});
afterAll(() => api.close());

const DAY = { target: 'DAY', date: '2026-01-14' };
const open = async (body: object = DAY, client: Client = monitor, params = place) =>
  (await client.call('openQuery', { params, body: { text: 'Why so few steps?', ...body } as never })).id;
const step = (queryId: string, kind: string, text = '', client: Client = coordinator, more: object = {}) =>
  client.call('addQueryStep', { params: { ...study, queryId }, body: { kind, text, ...more } as never });
const get = (queryId: string) => monitor.call('getQuery', { params: { ...study, queryId } });
const failure = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (thrown: { code?: string }) => thrown.code,
  );

describe('data queries', () => {
  it('go from open to answered to resolved and back, each step with its author, time and text', async () => {
    const id = await open({ ...DAY, metric: 'MOVING_STEPS' });
    expect(await failure(step(id, 'RESOLVE', '', monitor))).toBe('CONFLICT');
    expect(await failure(step(id, 'ANSWER', ' '))).toBe('INVALID_INPUT');
    api.clock.advance(60_000);
    await step(id, 'ANSWER', 'The sensor was charging.');
    expect(await failure(step(id, 'ANSWER', 'Again.'))).toBe('CONFLICT');
    await step(id, 'REOPEN', 'All day?', monitor);
    await step(id, 'COMMENT', 'I will ask.');
    await step(id, 'ANSWER', 'From 9:00 to 18:00.');
    api.clock.advance(60_000);
    await step(id, 'RESOLVE', '', monitor);
    const query = await get(id);
    expect(query).toMatchObject({
      ...{ target: 'DAY', date: '2026-01-14', metric: 'MOVING_STEPS', state: 'RESOLVED', stateTs: api.clock.now() },
      ...{ subjectName: 'Subject 1', openedBy: { id: api.monitor.userId } },
    });
    expect(query.steps.map(({ kind, state, text, author }) => [kind, state, text, author.displayName])).toEqual([
      ['OPEN', 'OPEN', 'Why so few steps?', 'Test MONITOR'],
      ['ANSWER', 'ANSWERED', 'The sensor was charging.', 'Test COORDINATOR'],
      ['REOPEN', 'OPEN', 'All day?', 'Test MONITOR'],
      ['COMMENT', 'OPEN', 'I will ask.', 'Test COORDINATOR'],
      ['ANSWER', 'ANSWERED', 'From 9:00 to 18:00.', 'Test COORDINATOR'],
      ['RESOLVE', 'RESOLVED', '', 'Test MONITOR'],
    ]);
    const { items } = await api.client.call('listStudyAudit', {
      params: study,
      query: { entityType: 'query', entityId: id },
    });
    expect(items.map(({ action }) => action)).toEqual(
      ['open', 'answer', 'reopen', 'comment', 'answer', 'resolve'].reverse().map((name) => `query.${name}`),
    );
  });

  it('name a recording, a day, a label or an answer that is there', async () => {
    const recording = await open({ target: 'RECORDING', targetId: api.recordingId });
    expect((await get(recording)).targetTs).toEqual(expect.any(Number));
    const label = await open({ target: 'LABEL', targetId: labelId });
    await api.client.call('deleteLabel', { params: { ...place, annotationId: labelId }, query: {} });
    expect(await get(label)).toMatchObject({ targetName: 'Fall', targetTs: 1000 });
    for (const [body, code] of [
      [{ target: 'RECORDING', targetId: newId() }, 'NOT_FOUND'],
      [{ target: 'LABEL', targetId: newId() }, 'NOT_FOUND'],
      [{ target: 'RECORDING' }, 'INVALID_INPUT'],
      [{ target: 'DAY' }, 'INVALID_INPUT'],
      [{ target: 'DAY', date: '2026-02-30' }, 'INVALID_INPUT'],
      [{ ...DAY, targetId: api.recordingId }, 'INVALID_INPUT'],
      [{ ...DAY, text: ' ' }, 'INVALID_INPUT'],
      [{ ...DAY, assigneeId: api.otherAccount.userId }, 'INVALID_INPUT'],
    ] as const) {
      expect(await failure(open(body)), JSON.stringify(body)).toBe(code);
    }
    const ofOther = { ...study, subjectId: api.subjectIds[1]! };
    expect(await failure(open({ target: 'RECORDING', targetId: api.recordingId }, monitor, ofOther))).toBe('NOT_FOUND');
  });

  it('and their steps are stored once under the ids of the client', async () => {
    const id = newId();
    for (const _ of [1, 2]) expect(await open({ ...DAY, id })).toBe(id);
    expect(await failure(open({ ...DAY, id }, coordinator))).toBe('CONFLICT');
    const stepId = newId();
    for (const _ of [1, 2]) await step(id, 'ANSWER', 'Once.', coordinator, { id: stepId });
    expect((await get(id)).steps.length).toBe(2);
    // Two people at once: one of them learns that it is answered.
    const other = await open();
    const results = await Promise.all([
      failure(step(other, 'ANSWER', 'A')),
      failure(step(other, 'ANSWER', 'B', api.client)),
    ]);
    expect(results.filter((code) => code === 'CONFLICT').length).toBe(1);
    expect((await get(other)).steps.length).toBe(2);
  });

  it('and their steps are refused with another content under an id that is saved already', async () => {
    const message = expect.stringContaining('was already saved with another content.');
    const first = { ...DAY, id: newId(), metric: 'MOVING_STEPS', assigneeId: api.coordinator.userId };
    const id = await open(first);
    for (const change of [
      { text: 'Why so few stairs?' },
      { date: '2026-01-15' },
      { metric: 'MOVING_TIME' },
      { metric: undefined },
      { assigneeId: api.admin.userId },
      { assigneeId: undefined },
    ]) {
      const thrown = await open({ ...first, ...change }).catch((error: unknown) => error);
      expect(thrown, JSON.stringify(change)).toMatchObject({ code: 'CONFLICT', message });
    }
    const stepId = newId();
    const assign = (assigneeId?: string) => step(id, 'ASSIGN', '', coordinator, { id: stepId, assigneeId });
    await assign(api.admin.userId);
    await assign(api.admin.userId);
    await expect(assign()).rejects.toMatchObject({ code: 'CONFLICT', message });
    // Assigned to somebody else meanwhile, it is still the same request.
    expect(await open(first)).toBe(id);
    const answerId = newId();
    await step(id, 'ANSWER', 'From 9 to 8.', coordinator, { id: answerId });
    await step(id, 'ANSWER', 'From 9 to 8. ', coordinator, { id: answerId });
    const corrected = step(id, 'ANSWER', 'From 9 to 18.', coordinator, { id: answerId });
    await expect(corrected).rejects.toMatchObject({ code: 'CONFLICT', message });
    expect((await get(id)).steps.map(({ text }) => text)).toEqual(['Why so few steps?', '', 'From 9 to 8.']);
    await step(id, 'RESOLVE', '', monitor);
  });

  it('are answered by those who may label or are assigned, and resolved by who asked, monitors and administrators', async () => {
    const id = await open(DAY, api.client);
    expect(await failure(step(id, 'ANSWER', 'x', monitor))).toBe('FORBIDDEN');
    await step(id, 'ASSIGN', '', coordinator, { assigneeId: api.monitor.userId });
    await step(id, 'ANSWER', 'By the assignee.', monitor);
    expect(await failure(step(id, 'RESOLVE'))).toBe('FORBIDDEN');
    await step(id, 'RESOLVE', '', monitor);
    const own = await open(DAY, coordinator);
    await step(own, 'ANSWER', 'Found it.');
    await step(own, 'RESOLVE');
    const other = createClient({ baseUrl: api.url, credentials: api.otherAccount.credentials });
    expect(await failure(other.call('getQuery', { params: { ...study, queryId: id } }))).toBe('NOT_FOUND');
  });

  it('are filtered, read page by page and counted by subject', async () => {
    const all = (await monitor.call('listQueries', { params: study, query: {} })).items;
    for (const state of ['OPEN', 'ANSWERED', 'RESOLVED'] as const) {
      const { items } = await monitor.call('listQueries', { params: study, query: { state } });
      expect(items.map(({ id }) => id)).toEqual(all.filter((one) => one.state === state).map(({ id }) => id));
      expect(items.length).toBeGreaterThan(0);
    }
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await monitor.call('listSubjectQueries', {
        params: place,
        query: { limit: 2, newest: true, ...(cursor !== undefined && { cursor }) },
      });
      found.push(...page.items.map(({ id }) => id));
      const [next] = page.links ?? [];
      cursor = next && (new URL(next.href, api.url).searchParams.get('cursor') ?? undefined);
    } while (cursor !== undefined);
    expect(found).toEqual(all.map(({ id }) => id).reverse());
    const counts = await monitor.call('countQueries', { params: study });
    const openOnes = all.filter(({ state }) => state === 'OPEN');
    const answered = all.filter(({ state }) => state === 'ANSWERED');
    expect(counts).toEqual({
      openCount: openOnes.length,
      answeredCount: answered.length,
      oldestTs: Math.min(...[...openOnes, ...answered].map(({ openedTs }) => openedTs)),
      subjects: [expect.objectContaining({ subjectName: 'Subject 1', openCount: openOnes.length })],
    });
  });

  it('appear on Today of those whom they concern', async () => {
    const today = async (client: Client) =>
      (await client.call('listAttention', { params: { accountId: api.accountId }, query: {} })).items
        .filter(({ reason }) => reason.startsWith('QUERY'))
        .map(({ reason, evidence, isMine }) => [reason, evidence.count, isMine]);
    const { openCount } = await monitor.call('countQueries', { params: study });
    expect(await today(coordinator)).toEqual([['QUERY_OPEN', openCount, undefined]]);
    const ofMonitor = await today(monitor);
    // The monitor may not answer, but resolves what was answered.
    expect(ofMonitor).toEqual([['QUERY_ANSWERED', 2, true]]);
    const id = await open({ ...DAY, assigneeId: api.monitor.userId }, coordinator);
    expect(await today(coordinator)).toEqual([['QUERY_OPEN', openCount, undefined]]);
    expect(await today(monitor)).toEqual([['QUERY_OPEN', 1, true], ...ofMonitor]);
    await step(id, 'ANSWER', 'Seen.', monitor);
    expect(await today(coordinator)).toEqual(expect.arrayContaining([['QUERY_ANSWERED', 1, true]]));
  });

  it('appear on Today of the others when the person they wait for is disabled or has left the study', async () => {
    const ofSubject = { ...study, subjectId: api.subjectIds[1]! };
    const today = async (client: Client) =>
      (await client.call('listAttention', { params: { accountId: api.accountId }, query: {} })).items
        .filter(({ reason, subjectId }) => reason.startsWith('QUERY') && subjectId === ofSubject.subjectId)
        .map(({ reason, evidence, isMine }) => [reason, evidence.count, isMine]);
    const change = { actor: { type: 'USER', id: api.admin.userId } } as const;
    const { studies, users, dataQueries } = api.store;
    const { id: userId } = await users.create(
      {
        ...{ accountId: api.accountId, email: 'gone@example.org', firstName: 'Gone', lastName: 'Soon' },
        ...{ locale: 'en_US', timezone: 'UTC', role: 'COORDINATOR' },
        passwordHash: 'none',
      },
      change,
    );
    const setMember = (role: 'COORDINATOR' | null) => studies.setMember(api.studyId, userId, role, change);
    await setMember('COORDINATOR');
    await open({ ...DAY, assigneeId: userId }, monitor, ofSubject);
    const own = { ...ofSubject, target: 'DAY', date: DAY.date, text: 'Worn?' } as const;
    const { id: answered } = await dataQueries.open(own, { actor: { type: 'USER', id: userId } });
    await step(answered, 'ANSWER', 'Seen.', api.client);
    for (const [leave, comeBack] of [
      [() => setMember(null), () => setMember('COORDINATOR')],
      [() => users.disable(userId, change), () => users.enable(userId, change)],
    ] as const) {
      for (const client of [coordinator, monitor, api.client]) expect(await today(client)).toEqual([]);
      await leave();
      // Coordinators answer, monitors resolve, and administrators do both.
      expect(await today(coordinator)).toEqual([['QUERY_OPEN', 1, undefined]]);
      expect(await today(monitor)).toEqual([['QUERY_ANSWERED', 1, undefined]]);
      expect(await today(api.client)).toEqual([
        ['QUERY_OPEN', 1, undefined],
        ['QUERY_ANSWERED', 1, undefined],
      ]);
      await comeBack();
    }
  });

  it('are exported with their steps; without names also without their texts', async () => {
    const { signalsDir, exportsDir } = api.deps;
    const source = { store: api.store, signalsDir };
    const membersOf = async (name: string, options: object) => {
      const all = { studyId: api.studyId, ...options };
      return (await unpackStudyExport(writeStudyArchive, source, join(exportsDir, name), all)).members;
    };
    const named = await membersOf('named', {});
    expect(named.get('queries.csv')!.toString()).toContain('MOVING_STEPS');
    expect(named.get('query-steps.csv')!.toString()).toContain('The sensor was charging.');
    const coded = await membersOf('coded', { deidentify: testDeidentifier });
    const text = `${coded.get('queries.csv')} ${coded.get('query-steps.csv')}`;
    expect(text).toContain('RESOLVED');
    for (const known of ['The sensor was charging.', api.monitor.userId, api.recordingId, '2026-01-14'])
      expect(text).not.toContain(known);
  });

  it('are refused in a locked study', async () => {
    const id = await open();
    const change = { actor: { type: 'USER', id: api.admin.userId }, reason: 'End' } as const;
    for (const name of ['startStudy', 'stopStudy'] as const) await api.client.call(name, { params: study });
    await step(id, 'COMMENT', 'After the end.');
    await api.store.studyLocks.lock(api.studyId, await api.store.users.require(api.admin.userId), change);
    expect(await failure(step(id, 'ANSWER', 'x'))).toBe('STUDY_LOCKED');
    expect(await failure(open())).toBe('STUDY_LOCKED');
  });
});
