import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { type RouteId, routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';
import { ResponseCache } from '../framework/response-cache.ts';

let api: TestApi;
const statements: string[] = [];
beforeAll(async () => {
  api = await startTestApi({
    isQuiet: true,
    // Webhooks look for work in the background after each write.
    onQuery: ({ name }) => !name.startsWith('webhook') && statements.push(name),
  });
});
afterAll(() => api.close());

const TWO_WEEKS_MS = 14 * 24 * 60 * 60 * 1000;

describe('the response cache', () => {
  const subjects = (authorization: string) =>
    fetch(`${api.url}/api/v1/studies/${api.studyId}/subjects`, { headers: { authorization } });
  const userOf = async (email: string) => {
    const { id } = await api.client.call('createUser', {
      body: {
        email,
        password: 'correct horse 1',
        user: {
          accountId: api.accountId,
          email,
          firstName: 'A',
          lastName: 'B',
          locale: 'en_US',
          timezone: 'Etc/GMT',
          role: 'ADMIN',
        },
      },
    });
    return { id, client: await api.signIn(email) };
  };

  it('is invalidated by every write, regardless of the writer', async () => {
    const before = await (await subjects(api.authorization)).json();
    expect(await (await subjects(api.authorization)).json()).toEqual(before);
    await api.store.subjects.update(api.subjectIds[0]!, { displayName: 'Renamed' }, SYSTEM);
    const after = await (await subjects(api.authorization)).json();
    expect(after.items[0].displayName).toBe('Renamed');
    expect({ ...after.items[0], modifiedTs: 0 }).toEqual({ ...before.items[0], displayName: 'Renamed', modifiedTs: 0 });
  });

  it('serves nothing after a log-out, a disabled user, a lost role or two weeks', async () => {
    const { id, client } = await userOf('kept@example.org');
    const other = await api.signIn('kept@example.org');
    for (const one of [client, other]) expect((await subjects(one.authorization)).status).toBe(200);
    await client.call('logout');
    expect((await subjects(client.authorization)).status).toBe(401);
    expect((await subjects(other.authorization)).status).toBe(200);
    await api.client.call('updateUserRole', { params: { userId: id }, body: { role: 'ANALYST' } });
    // Without a membership the study is no longer found.
    expect((await subjects(other.authorization)).status).toBe(404);
    await api.client.call('updateUserRole', { params: { userId: id }, body: { role: 'ADMIN' } });
    expect((await subjects(other.authorization)).status).toBe(200);
    await api.client.call('deleteUser', { params: { accountId: api.accountId, userId: id } });
    expect((await subjects(other.authorization)).status).toBe(401);

    const { client: late } = await userOf('late@example.org');
    api.clock.advance(TWO_WEEKS_MS - 1);
    expect((await subjects(late.authorization)).status).toBe(200);
    api.clock.advance(1);
    expect((await subjects(late.authorization)).status).toBe(401);
    api.clock.advance(-TWO_WEEKS_MS);
  });

  it('is separate per caller and address', async () => {
    expect((await subjects(api.authorization)).status).toBe(200);
    expect((await subjects(api.otherAccount.authorization)).status).toBe(404);
    expect((await subjects(api.otherAccount.authorization)).status).toBe(404);
  });

  it('stores no jobs, live changes, site state or exports', () => {
    const stored = (Object.entries(routes) as [RouteId, RouteContract][]).filter(([, route]) => route.isStored);
    expect(stored.length).toBeGreaterThan(5);
    for (const [id, route] of stored) {
      expect(route, id).toMatchObject({ method: 'GET', status: 200, access: 'user' });
      expect(route.path, id).not.toMatch(/jobs|live|site|export/);
    }
  });

  it('does not store a response that a write overlapped', async () => {
    const kept = new ResponseCache<string>(api.store, 10);
    const rename = (displayName: string) => api.store.subjects.update(api.subjectIds[0]!, { displayName }, SYSTEM);
    const readName = async () => (await api.store.subjects.require(api.subjectIds[0]!)).displayName;
    const overlapped = kept.getOrMake('a', {}, async () => {
      const name = await readName();
      await rename('After');
      return name;
    });
    expect(await overlapped).not.toBe('After');
    expect(kept.get('a')).toBeUndefined();
    expect(await kept.getOrMake('a', {}, readName)).toBe('After');
    expect(kept.get('a')).toBe('After');
    await rename('Later');
    expect(kept.get('a')).toBeUndefined();
  });

  it('drops the values that were used least recently when it is full', () => {
    const kept = new ResponseCache<string>(api.store, 10);
    const from = { keys: new Set<string>(), begun: api.store.writeCount() };
    for (let i = 0; i < 10; i++) kept.keep(`key ${i}`, 'x', from);
    kept.get('key 0');
    kept.keep('large', 'x', from, 3);
    expect(Array.from({ length: 10 }, (_, i) => i).filter((i) => kept.get(`key ${i}`) !== undefined)).toEqual([
      0, 4, 5, 6, 7, 8, 9,
    ]);
    kept.keep('too large', 'x', from, 11);
    expect(kept.get('too large')).toBeUndefined();
  });
});

describe('a write', () => {
  /** Who is asked what, by name. */
  const paths = () => ({
    studyA: `/studies/${api.studyId}`,
    subjectsA: `/studies/${api.studyId}/subjects`,
    subjectX: `/studies/${api.studyId}/subjects/${api.subjectIds[0]}`,
    messagesX: `/studies/${api.studyId}/subjects/${api.subjectIds[0]}/messages`,
    messagesY: `/studies/${api.studyId}/subjects/${api.subjectIds[1]}/messages`,
    recordingsX: `/studies/${api.studyId}/subjects/${api.subjectIds[0]}/recordings`,
    recordingsY: `/studies/${api.studyId}/subjects/${api.subjectIds[1]}/recordings`,
    equipmentY: `/studies/${api.studyId}/subjects/${api.subjectIds[1]}/equipment`,
    recordingsA: `/studies/${api.studyId}/recordings`,
    studyB: `/studies/${other.studyId}`,
    subjectsB: `/studies/${other.studyId}/subjects`,
    subjectB: `/studies/${other.studyId}/subjects/${other.subjectId}`,
    recordingsB: `/studies/${other.studyId}/recordings`,
    messagesB: `/studies/${other.studyId}/subjects/${other.subjectId}/messages`,
    studies: `/accounts/${api.accountId}/studies?summary=true`,
    conversations: `/accounts/${api.accountId}/conversations`,
  });
  let other: { studyId: string; subjectId: string };
  beforeAll(async () => {
    const { id: studyId } = await api.store.studies.create({ accountId: api.accountId, displayName: 'B' }, SYSTEM);
    const subject = await api.store.subjects.create(studyId, { displayName: 'B 1', timezone: 'Asia/Tokyo' }, SYSTEM);
    other = { studyId, subjectId: subject.id };
  });

  /** Names of the answers that the database was asked for. */
  async function read(): Promise<string[]> {
    const made: string[] = [];
    for (const [name, path] of Object.entries(paths())) {
      statements.length = 0;
      const { status } = await fetch(`${api.url}/api/v1${path}`, { headers: { authorization: api.authorization } });
      expect(status, name).toBe(200);
      if (statements.length > 0) made.push(name);
    }
    return made;
  }

  /** Names of the answers that a write drops. */
  async function droppedBy(write: () => Promise<unknown>): Promise<string[]> {
    await read();
    expect(await read()).toEqual([]);
    await write();
    const dropped = await read();
    expect(await read()).toEqual([]);
    return dropped;
  }

  const placeX = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0]! });
  const byAdmin = () => ({ actor: { type: 'USER', id: api.admin.userId } }) as const;

  it('for a subject keeps what shows other subjects and studies', async () => {
    expect(await droppedBy(() => api.store.messages.post({ ...placeX(), body: 'Hello' }, byAdmin()))).toEqual([
      'messagesX',
      'conversations',
    ]);
    // The first recording adds its device to the definition of the study.
    await addTestRecording(api.store, api.deps.signalsDir, placeX());
    expect(await droppedBy(() => addTestRecording(api.store, api.deps.signalsDir, placeX()))).toEqual([
      ...['subjectX', 'recordingsX', 'recordingsA', 'studies'],
    ]);
    const rename = () => api.store.subjects.update(placeX().subjectId, { displayName: 'X' }, SYSTEM);
    expect(await droppedBy(rename)).toEqual([
      ...['studyA', 'subjectsA', 'subjectX', 'messagesX', 'recordingsX', 'studies'],
    ]);
  });

  it('for a study keeps what shows only other studies', async () => {
    expect(await droppedBy(() => api.store.studies.update(api.studyId, { title: 'New' }, SYSTEM))).toEqual(
      Object.keys(paths()).filter((name) => !name.endsWith('B')),
    );
    await api.store.equipment.register({ accountId: api.accountId, id: 'SN-9', type: 'SENSOR' }, SYSTEM);
    const assign = () =>
      api.store.equipment.assign('SN-9', { studyId: api.studyId, subjectId: api.subjectIds[1]! }, SYSTEM);
    // What a subject holds shows who holds it now, in whichever study.
    expect(await droppedBy(assign)).toEqual(['subjectX', 'equipmentY', 'subjectB']);
  });

  it('of the progress of a job, a setting, a refusal or the audit log keeps everything', async () => {
    expect(
      await droppedBy(async () => {
        await api.store.settings.set('lan.deskOpen', true, SYSTEM);
        const job = await api.store.jobs.queue(
          'analyse',
          { ...placeX(), fromMs: 0, toMs: 1, recordingIds: [] },
          SYSTEM,
        );
        expect(job.id).toBeTruthy();
      }),
    ).toEqual([]);
  });

  it('to users or by another program drops everything', async () => {
    const all = Object.keys(paths());
    expect(
      await droppedBy(() =>
        api.client.call('updateUser', {
          params: { userId: api.admin.userId },
          body: { lastName: 'B' },
        }),
      ),
    ).toEqual(all);
    const program = new BetterSqlite3(api.store.path);
    expect(await droppedBy(async () => program.exec('UPDATE setting SET modifiedTs = modifiedTs + 1'))).toEqual(all);
    program.close();
  });
});
