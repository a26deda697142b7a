import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../db/index.ts';
import { writeStudyArchive } from '../../exporters/study-archive/archive.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { type Client, createClient } from '../contract/client.ts';

const DAY_MS = 86_400_000;

let api: TestApi;
let place: { studyId: string; subjectId: string };
let study: { studyId: string };
let coordinator: Client;
let monitor: Client;

beforeAll(async () => {
  api = await startTestApi();
  study = { studyId: api.studyId };
  place = { ...study, subjectId: api.subjectIds[0]! };
  const clientOf = ({ credentials }: { credentials: TestApi['admin']['credentials'] }) =>
    createClient({ baseUrl: api.url, credentials, validateResponses: true });
  coordinator = clientOf(api.coordinator);
  monitor = clientOf(api.monitor);
  const change = { actor: { type: 'USER', id: api.admin.userId } } as const;
  await api.store.studies.setMember(api.studyId, api.coordinator.userId, 'COORDINATOR', change);
});
afterAll(() => api.close());

type New = Parameters<typeof add>[0];
const add = async (
  body: { kind: 'NOTE' | 'CALL'; body: string; [name: string]: unknown },
  client: Client = coordinator,
  subjectId: string = place.subjectId,
) => (await client.call('addSubjectNote', { params: { ...study, subjectId }, body: body as never })).id;
const note = (body = 'Sleeps on the ward.', more: object = {}): New => ({ kind: 'NOTE', body, ...more });
const get = (noteId: string, client: Client = coordinator) => client.call('getNote', { params: { ...study, noteId } });
const edit = (noteId: string, body: { version: number; [name: string]: unknown }, client: Client = coordinator) =>
  client.call('editNote', { params: { ...study, noteId }, body: body as never });
const failure = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (thrown: { code?: string }) => thrown.code,
  );
const dateIn = (days: number) => new Date(api.clock.now() + days * DAY_MS).toISOString().slice(0, 10);
const audit = async (noteId: string) =>
  (await api.client.call('listStudyAudit', { params: study, query: { entityType: 'note', entityId: noteId } })).items;

describe('notes and calls', () => {
  it('are stored with the author and time of the request, and in the audit trail', async () => {
    const id = await add({ kind: 'CALL', isReached: false, body: '' });
    expect(await get(id)).toMatchObject({
      kind: 'CALL',
      isReached: false,
      body: '',
      author: { id: api.coordinator.userId, displayName: 'Test COORDINATOR' },
      createdTs: api.clock.now(),
      version: 1,
      subjectName: 'Subject 1',
      earlier: [],
    });
    const [entry] = await audit(id);
    expect(entry).toMatchObject({ action: 'note.add', subjectName: 'Subject 1', entity: { code: 'CALL' } });
  });

  it('are stored once under the id of the client', async () => {
    const id = newId();
    for (const _ of [1, 2]) expect(await add(note('Once.', { id }))).toBe(id);
    expect((await audit(id)).length).toBe(1);
    expect(await failure(add(note('Once.', { id }), api.client))).toBe('CONFLICT');
    expect(await failure(add(note('Once.', { id }), coordinator, api.subjectIds[1]!))).toBe('CONFLICT');
    const both = newId();
    expect(await Promise.all([add(note('Both.', { id: both })), add(note('Both.', { id: both }))])).toEqual([
      both,
      both,
    ]);
    expect((await audit(both)).length).toBe(1);
  });

  it('are refused with another content under an id that is saved already, so that no correction is lost', async () => {
    const followUp = { followUpDate: dateIn(3), assigneeId: api.coordinator.userId };
    const first = note('Call on Mondey.', { ...followUp, id: newId() });
    const id = await add(first);
    for (const change of [
      { body: 'Call on Monday.' },
      { kind: 'CALL', isReached: true },
      { followUpDate: dateIn(4) },
      { assigneeId: api.admin.userId },
      { assigneeId: undefined },
    ]) {
      const thrown = await add({ ...first, ...change } as New).catch((error: unknown) => error);
      expect(thrown, JSON.stringify(change)).toMatchObject({
        code: 'CONFLICT',
        message: 'This note was already saved with another content. Open it in the list and edit it there.',
      });
    }
    expect(await get(id)).toMatchObject({ version: 1, body: 'Call on Mondey.' });
    // The first request, delayed until after an edit, is still the same request.
    await edit(id, { version: 1, body: 'Call on Monday.' });
    for (const body of ['Call on Mondey. ', 'Call on Monday.']) expect(await add({ ...first, body })).toBe(id);
    expect(await get(id)).toMatchObject({ version: 2, body: 'Call on Monday.' });
    await coordinator.call('setFollowUpDone', { params: { ...study, noteId: id }, body: { isDone: true } });
  });

  it('are refused when something is missing or cannot be', async () => {
    for (const body of [
      note('  '),
      note('x', { isReached: true }),
      { kind: 'CALL', body: 'x' } as const,
      note('x', { followUpDate: dateIn(-3) }),
      note('x', { followUpDate: '2026-02-30' }),
      note('x', { followUpDate: '9999-01-01' }),
      note('x', { assigneeId: api.coordinator.userId }),
      note('x', { followUpDate: dateIn(1), assigneeId: api.otherAccount.userId }),
      note('x', { followUpDate: dateIn(1), assigneeId: 'nobody' }),
      note('x'.repeat(10_001)),
    ]) {
      expect(await failure(add(body))).toBe('INVALID_INPUT');
    }
    expect(await failure(add(note(), coordinator, newId()))).toBe('NOT_FOUND');
  });

  it('keep what an edit replaces, with its author and time', async () => {
    const id = await add(note('Firs.'));
    api.clock.advance(60_000);
    await edit(id, { version: 1, body: 'First.' });
    api.clock.advance(60_000);
    await edit(id, { version: 2, kind: 'CALL', isReached: true }, api.client);
    const { version, kind, body, editedBy, earlier } = await get(id);
    expect({ version, kind, body, by: editedBy.id }).toEqual({
      version: 3,
      kind: 'CALL',
      body: 'First.',
      by: api.admin.userId,
    });
    expect(earlier.map((one) => [one.version, one.kind, one.body, one.editedBy.id])).toEqual([
      [1, 'NOTE', 'Firs.', api.coordinator.userId],
      [2, 'NOTE', 'First.', api.coordinator.userId],
    ]);
    expect(earlier[1]!.editedTs - earlier[0]!.editedTs).toBe(60_000);
    expect((await audit(id)).map(({ action }) => action)).toEqual(['note.edit', 'note.edit', 'note.add']);
  });

  it('refuse an edit of an older version, and take a repeated one', async () => {
    const id = await add(note('A'));
    const [first, second] = await Promise.all([
      failure(edit(id, { version: 1, body: 'B' })),
      failure(edit(id, { version: 1, body: 'C' })),
    ]);
    expect([first, second].sort()).toEqual(['CONFLICT', undefined].sort());
    const { body, earlier } = await get(id);
    await edit(id, { version: 1, body });
    expect(earlier.map((one) => one.body)).toEqual(['A']);
    expect((await get(id)).version).toBe(2);
  });

  it('are withdrawn with a reason, and stay', async () => {
    const id = await add(note('Of another subject.', { followUpDate: dateIn(0) }));
    const withdraw = (reason: string, client = coordinator) =>
      client.call('withdrawNote', { params: { ...study, noteId: id }, body: { reason } });
    expect(await failure(withdraw(' '))).toBe('INVALID_INPUT');
    for (const reason of ['Wrong subject', 'Again']) await withdraw(reason);
    expect(await get(id)).toMatchObject({
      body: 'Of another subject.',
      withdrawn: { reason: 'Wrong subject', by: { id: api.coordinator.userId } },
    });
    expect(await failure(edit(id, { version: 1, body: 'x' }))).toBe('CONFLICT');
    const { items } = await coordinator.call('listFollowUps', { params: study, query: {} });
    expect(items.some((item) => item.id === id)).toBe(false);
    expect((await audit(id)).map(({ action, reason }) => [action, reason])).toEqual([
      ['note.withdraw', 'Wrong subject'],
      ['note.add', undefined],
    ]);
  });

  it('are read by all members and written by those who run or analyse the study', async () => {
    const id = await add(note('Mine', { followUpDate: dateIn(1) }));
    expect((await get(id, monitor)).body).toBe('Mine');
    expect(await failure(add(note(), monitor))).toBe('FORBIDDEN');
    expect(await failure(edit(id, { version: 1, body: 'x' }, monitor))).toBe('FORBIDDEN');
    const own = await add(note('Of the administrator'), api.client);
    expect(await failure(edit(own, { version: 1, body: 'x' }))).toBe('FORBIDDEN');
    // The follow-up is for everybody who may write.
    await edit(own, { version: 1, followUpDate: dateIn(2), assigneeId: api.monitor.userId });
    const done = (noteId: string, client: Client) =>
      client.call('setFollowUpDone', { params: { ...study, noteId }, body: { isDone: true } });
    expect(await failure(done(id, monitor))).toBe('FORBIDDEN');
    await done(own, monitor);
    expect((await get(own)).followUp).toMatchObject({ done: { by: { id: api.monitor.userId } } });
    const other = createClient({ baseUrl: api.url, credentials: api.otherAccount.credentials });
    expect(await failure(get(id, other))).toBe('NOT_FOUND');
    expect(await failure(api.client.call('getNote', { params: { ...study, noteId: newId() } }))).toBe('NOT_FOUND');
  });

  it('are refused in a locked study only', async () => {
    const change = { actor: { type: 'USER', id: api.admin.userId }, reason: 'x' } as const;
    const other = await api.store.studies.create({ accountId: api.accountId, displayName: 'Ended' }, change);
    const params = { studyId: other.id };
    await api.client.call('startStudy', { params });
    await api.client.call('stopStudy', { params });
    const { id } = await api.client.call('addNote', { params, body: { kind: 'NOTE', body: 'After the end.' } });
    await api.store.studyLocks.lock(other.id, await api.store.users.require(api.admin.userId), change);
    expect(await failure(api.client.call('addNote', { params, body: { kind: 'NOTE', body: 'x' } }))).toBe(
      'STUDY_LOCKED',
    );
    expect(
      await failure(api.client.call('withdrawNote', { params: { ...params, noteId: id }, body: { reason: 'x' } })),
    ).toBe('STUDY_LOCKED');
  });
});

describe('lists of notes', () => {
  it('are read page by page without repeating or skipping', async () => {
    const subjectId = api.subjectIds[1]!;
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      // Several of one instant.
      if (i % 3 === 0) api.clock.advance(1000);
      ids.push(
        await add(note(`Page ${i}`, i % 2 === 0 ? {} : { kind: 'CALL', isReached: true }), coordinator, subjectId),
      );
    }
    for (const query of [{}, { newest: true }, { kind: 'CALL' as const }]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await coordinator.call('listSubjectNotes', {
          params: { ...study, subjectId },
          query: { ...query, limit: 2, ...(cursor !== undefined && { cursor }) },
        });
        found.push(...page.items.map(({ id }) => id));
        const next = page.links?.find(({ rel }) => rel === 'next');
        cursor = next && (new URL(next.href, api.url).searchParams.get('cursor') ?? undefined);
      } while (cursor !== undefined);
      const expected = 'kind' in query ? ids.filter((_, i) => i % 2 === 1) : ids;
      expect(found).toEqual('newest' in query ? [...expected].reverse() : expected);
    }
    const ofStudy = await coordinator.call('addNote', { params: study, body: { kind: 'NOTE', body: 'Whole study' } });
    const all = (await coordinator.call('listNotes', { params: study, query: {} })).items.map(({ id }) => id);
    expect(all).toEqual(expect.arrayContaining([...ids, ofStudy.id]));
    const { items } = await coordinator.call('listNotes', { params: study, query: { ofStudy: true } });
    expect(items.map(({ id, subjectId: of }) => [id, of])).toEqual([[ofStudy.id, undefined]]);
  });

  it('give the people of a study, to whom follow-ups are assigned', async () => {
    const { items } = await monitor.call('listStudyPeople', { params: study });
    expect(items.map(({ id, role }) => [id, role])).toEqual(
      expect.arrayContaining([
        [api.admin.userId, 'ADMIN'],
        [api.coordinator.userId, 'COORDINATOR'],
        [api.monitor.userId, 'MONITOR'],
      ]),
    );
    // Disabled users and those of other accounts are missing.
    expect(items.some(({ id }) => id === api.otherAccount.userId)).toBe(false);
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  });
});

describe('follow-ups', () => {
  const onToday = async (client: Client) =>
    (await client.call('listAttention', { params: { accountId: api.accountId }, query: {} })).items.filter(
      ({ reason }) => reason === 'FOLLOW_UP_DUE',
    );

  it('appear on Today from their date on, those of the caller first, until they are done', async () => {
    const change = (id: string) => ({ params: { ...study, noteId: id }, body: { isDone: true } });
    const open = await coordinator.call('listFollowUps', { params: study, query: {} });
    for (const { id } of open.items) await coordinator.call('setFollowUpDone', change(id));
    const theirs = await add(note('Theirs', { followUpDate: dateIn(1), assigneeId: api.monitor.userId }));
    const anybodys = await add(note('Anybody', { followUpDate: dateIn(2) }));
    const mine = await add(note('Mine', { followUpDate: dateIn(3), assigneeId: api.coordinator.userId }));
    expect(await onToday(coordinator)).toEqual([]);
    api.clock.advance(3 * DAY_MS);
    const due = await onToday(coordinator);
    expect(due.map(({ action, isMine }) => [action.target.id, isMine])).toEqual([
      [mine, true],
      [theirs, undefined],
      [anybodys, undefined],
    ]);
    expect(due[1]).toMatchObject({
      subjectName: 'Subject 1',
      evidence: { count: 2, detail: 'Theirs', personName: 'Test MONITOR' },
      action: { kind: 'FOLLOW_UP', target: { type: 'note' } },
    });
    expect((await onToday(monitor))[0]).toMatchObject({ action: { target: { id: theirs } }, isMine: true });
    for (const _ of [1, 2]) await coordinator.call('setFollowUpDone', change(mine));
    expect((await audit(mine)).map(({ action }) => action)).toEqual(['note.follow-up-done', 'note.add']);
    expect((await onToday(coordinator)).some(({ action }) => action.target.id === mine)).toBe(false);
    // Another date opens it again.
    await edit(mine, { version: 1, followUpDate: dateIn(5) });
    expect((await get(mine)).followUp).toEqual({
      date: dateIn(5),
      assignee: { id: api.coordinator.userId, displayName: 'Test COORDINATOR' },
    });
    await edit(mine, { version: 2, followUpDate: null });
    const cleared = await get(mine);
    expect([cleared.followUp, cleared.earlier.length]).toEqual([undefined, 2]);
  });

  it('are listed and counted for a study, a subject and a person', async () => {
    const list = (query: object) => coordinator.call('listFollowUps', { params: study, query });
    const all = await list({});
    expect(all.items.map(({ followUp }) => followUp!.date)).toEqual(
      all.items.map(({ followUp }) => followUp!.date).sort(),
    );
    expect(all.openCount).toBe(all.size);
    expect(all.dueCount).toBe(all.items.filter(({ followUp }) => followUp!.date <= dateIn(0)).length);
    const ofMonitor = await list({ assigneeId: api.monitor.userId });
    expect(ofMonitor.items.every(({ followUp }) => followUp!.assignee!.id === api.monitor.userId)).toBe(true);
    expect(ofMonitor.size).toBeGreaterThan(0);
    expect((await list({ subjectId: api.subjectIds[1] })).size).toBe(0);
    const [page] = [await list({ limit: 1 })];
    expect([page.size, page.openCount, page.links?.length]).toEqual([1, all.size, 1]);
  });
});

describe('exports', () => {
  it('hold notes, and without names neither their text nor their authors', async () => {
    const { signalsDir, exportsDir } = api.deps;
    const source = { store: api.store, signalsDir };
    const csvOf = async (name: string, options: object) => {
      const all = { studyId: api.studyId, ...options };
      const { members } = await unpackStudyExport(writeStudyArchive, source, join(exportsDir, name), all);
      return members.get('notes.csv')!.toString();
    };
    const rows = await csvOf('named', {});
    for (const text of ['Of another subject.', 'Whole study', 'Wrong subject']) expect(rows).toContain(text);
    expect(await csvOf('chosen', { subjectIds: [place.subjectId] })).not.toContain('Whole study');
    const coded = await csvOf('coded', { deidentify: testDeidentifier });
    expect(coded.split('\n').length).toBeGreaterThan(10);
    for (const text of [
      'Of another subject.',
      'Whole study',
      'Wrong subject',
      api.coordinator.userId,
      place.subjectId,
    ]) {
      expect(coded).not.toContain(text);
    }
  });
});
