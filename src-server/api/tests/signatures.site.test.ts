import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { storeTestAnalytics } from '../../testing/test-analytics.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { createClient } from '../contract/client.ts';
import type { Routes } from '../contract/index.ts';
import type { BodyInputOf } from '../contract/route.ts';

type Target = Pick<BodyInputOf<Routes['signRecord']>, 'kind' | 'targetId' | 'date'>;
type Meaning = BodyInputOf<Routes['signRecord']>['meaning'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
});
afterAll(() => api.close());

const study = () => ({ studyId: api.studyId });
const subject = () => ({ ...study(), subjectId: api.subjectIds[0]! });
const definition = (): Target => ({ kind: 'study-definition', targetId: api.studyId });

async function sign(target: Target, meaning: Meaning = 'APPROVED', password = api.admin.password) {
  const { contentSha256 } = await api.client.call('getSignableContent', { params: study(), query: target });
  const body = { ...target, meaning, contentSha256, password };
  return await api.client.call('signRecord', { params: study(), body });
}
const statesOf = async (target: Target) =>
  (await api.client.call('listSignatures', { params: study(), query: target })).items.map(({ state }) => state);

describe('an electronic signature', () => {
  it('holds the name of the signer, the time and the meaning, and is in the audit trail with its hash', async () => {
    const { id } = await sign(definition(), 'APPROVED');
    const { items } = await api.client.call('listSignatures', { params: study(), query: definition() });
    expect(items[0]).toMatchObject({
      id,
      signerName: 'Test ADMIN',
      signerRole: 'ADMIN',
      userId: api.admin.userId,
      signedTs: api.clock.now(),
      meaning: 'APPROVED',
      state: 'current',
    });
    const query = { entityType: 'signature', entityId: id };
    const audit = await api.client.call('listStudyAudit', { params: study(), query });
    const changes = Object.fromEntries(audit.items[0]!.changes.map(({ field, new: value }) => [field, value]));
    expect(changes).toMatchObject({ signerName: 'Test ADMIN', contentSha256: items[0]!.contentSha256 });
    expect(JSON.stringify(audit)).not.toContain(api.admin.password);
  });

  it('shows that a record changed since, and that it is as it was again', async () => {
    await sign(definition());
    await api.client.call('updateStudy', { params: study(), body: { title: 'Another' } });
    expect((await statesOf(definition()))[0]).toBe('changed');
    await api.client.call('updateStudy', { params: study(), body: { title: '' } });
    expect((await statesOf(definition()))[0]).toBe('current');

    const recording: Target = { kind: 'recording', targetId: api.recordingId };
    await sign(recording, 'REVIEWED');
    const label = { displayName: 'Artefact', startTs: 1, recordingId: api.recordingId };
    const { id } = await api.client.call('createLabel', { params: subject(), body: label });
    expect(await statesOf(recording)).toEqual(['changed']);
    await api.client.call('deleteLabel', { params: { ...subject(), annotationId: id } });
    expect(await statesOf(recording)).toEqual(['current']);
  });

  it('of a day covers its metrics, their version and its labels, but not when they were computed', async () => {
    const { subjectId } = subject();
    const date = '2026-01-14';
    const day: Target = { kind: 'subject-day', targetId: subjectId, date };
    await expect(sign(day)).rejects.toMatchObject({ status: 404 });
    await storeTestAnalytics(api.store, subject(), 'US/Eastern', [date], []);
    await sign(day, 'REVIEWED');
    expect(await statesOf(day)).toEqual(['current']);
    const [stored] = await api.store.analytics.days(subjectId);
    api.clock.advance(1000);
    await storeTestAnalytics(api.store, subject(), 'US/Eastern', [date], []);
    expect(await statesOf(day)).toEqual(['current']);
    const startTs = stored!.dayStartTs + 3_600_000;
    const { id: annotationId } = await api.client.call('createLabel', {
      params: subject(),
      body: { displayName: 'Nap', startTs },
    });
    expect(await statesOf(day)).toEqual(['changed']);
    await api.client.call('deleteLabel', { params: { ...subject(), annotationId } });
    expect(await statesOf(day)).toEqual(['current']);
    await storeTestAnalytics(api.store, subject(), 'US/Eastern', [date], [], 'another');
    expect(await statesOf(day)).toEqual(['changed']);
    await storeTestAnalytics(api.store, subject(), 'US/Eastern', [date], []);
    expect(await statesOf(day)).toEqual(['current']);
    await addTestRecording(api.store, api.deps.signalsDir, subject(), { startUs: startTs * 1000, durationSeconds: 5 });
    expect(await statesOf(day)).toEqual(['changed']);
  });

  it('of a day or recording covers the subject, and one of an earlier version what that bound', async () => {
    const { subjectId } = subject();
    const date = '2026-01-10';
    await storeTestAnalytics(api.store, subject(), 'US/Eastern', [date], []);
    const day: Target = { kind: 'subject-day', targetId: subjectId, date };
    const recording: Target = { kind: 'recording', targetId: api.recordingId };
    await sign(day);
    await sign(recording);
    // As the version before this one stored it.
    const first = await api.store.signatures.contentOf({ ...day, ...study() }, 1);
    const database = new BetterSqlite3(api.store.path);
    database
      .prepare(
        `INSERT INTO signature (id, studyId, kind, targetId, subjectId, date, meaning, userId, signerName, signedTs,
           contentVersion, contentSha256)
         VALUES ('first', ?, 'subject-day', ?, ?, ?, 'REVIEWED', ?, 'Test ADMIN', 1, 1, ?)`,
      )
      .run(api.studyId, subjectId, subjectId, date, api.admin.userId, first.sha256);
    database.close();
    const states = async () => [...(await statesOf(day)), (await statesOf(recording))[0]];
    expect(await states()).toEqual(['current', 'current', 'current']);
    await api.client.call('updateSubject', { params: subject(), body: { age: 41 } });
    expect(await states()).toEqual(['changed', 'current', 'changed']);
    await storeTestAnalytics(api.store, subject(), 'US/Eastern', [date], [], 'another');
    expect(await states()).toEqual(['changed', 'changed', 'changed']);
  });

  it('of a recording shows that its file is lost, and is not given for a lost file', async () => {
    const recording: Target = { kind: 'recording', targetId: api.recordingId };
    await sign(recording);
    await api.store.recordings.setFileState(api.recordingId, 'DAMAGED', SYSTEM);
    expect((await statesOf(recording))[0]).toBe('gone');
    await expect(sign(recording)).rejects.toMatchObject({ code: 'CONFLICT' });
    await api.store.recordings.setFileState(api.recordingId, 'PRESENT', SYSTEM);
    expect((await statesOf(recording))[0]).toBe('current');
  });

  it('of an export binds its file', async () => {
    const change = { actor: { type: 'USER', id: api.admin.userId } } as const;
    const request = { ...study(), format: 'ARCHIVE', isDeidentified: false, requestedTs: api.clock.now() } as const;
    const { record } = await api.store.exports.request(request, change);
    const target: Target = { kind: 'export', targetId: record.id };
    await expect(sign(target)).rejects.toMatchObject({ code: 'CONFLICT' });
    const file = { name: 'a.zip', sizeBytes: 10, sha256: 'a'.repeat(64), auditSequence: 1 };
    await api.store.exports.finish(record.id, file, change);
    await sign(target);
    await api.store.exports.remove(record.id, 'EXPIRED', change);
    expect(await statesOf(target)).toEqual(['current']);
    await api.store.exports.finish(record.id, { ...file, sha256: 'b'.repeat(64) }, change);
    expect(await statesOf(target)).toEqual(['changed']);
  });

  it('of a definition names its own study', async () => {
    const other = api.subjectIds[0]!;
    await expect(sign({ kind: 'study-definition', targetId: other })).rejects.toMatchObject({ status: 404 });
  });

  it('binds what the signer saw: a record that changed in between is not signed', async () => {
    const { contentSha256 } = await api.client.call('getSignableContent', { params: study(), query: definition() });
    await api.client.call('updateStudy', { params: study(), body: { title: 'Changed meanwhile' } });
    const body = { ...definition(), meaning: 'APPROVED', contentSha256, password: api.admin.password } as const;
    await expect(api.client.call('signRecord', { params: study(), body })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('needs the password each time, and wrong ones are throttled as at a sign-in', async () => {
    for (let attempt = 0; attempt < 5; attempt++)
      await expect(sign(definition(), 'APPROVED', 'wrong password')).rejects.toMatchObject({
        status: 400,
        errors: [{ path: 'password' }],
      });
    await expect(sign(definition())).rejects.toMatchObject({ status: 429, code: 'THROTTLED' });
    api.clock.advance(61_000);
    await sign(definition());
  });

  it('refused for a wrong password is in the history of its record, without the password', async () => {
    api.clock.advance(61_000);
    const wrong = 'Not my password 5';
    const recording: Target = { kind: 'recording', targetId: api.recordingId };
    await expect(sign(recording, 'REVIEWED', wrong)).rejects.toMatchObject({ status: 400 });
    const body = { reason: 'Closed', password: wrong };
    await expect(api.client.call('lockStudy', { params: study(), body })).rejects.toMatchObject({ status: 400 });
    await expect(
      api.client.call('changePassword', {
        body: { currentPassword: wrong, password: 'A new password 6' },
      }),
    ).rejects.toMatchObject({ status: 400 });
    const params = { accountId: api.accountId };
    const { items } = await api.client.call('listAccountAudit', { params, query: { limit: '3' } });
    expect(items.map(({ action, entityType, entityId }) => [action, entityType, entityId])).toEqual([
      ['refusal.password', 'user', api.admin.userId],
      ['refusal.password', 'study', api.studyId],
      ['refusal.password', 'recording', api.recordingId],
    ]);
    expect(items[2]).toMatchObject({
      actor: { type: 'USER', id: api.admin.userId },
      timeTs: api.clock.now(),
      subjectId: api.subjectIds[0],
      changes: [
        { field: 'address', new: '127.0.0.1' },
        { field: 'purpose', new: 'SIGN' },
      ],
    });
    expect(JSON.stringify(items)).not.toContain(wrong);
    api.clock.advance(61_000);
  });

  it('can be given by every member of the study, monitors too, and by nobody else', async () => {
    const { contentSha256 } = await api.client.call('getSignableContent', { params: study(), query: definition() });
    const body = { ...definition(), meaning: 'REVIEWED', contentSha256, password: api.monitor.password } as const;
    const monitor = createClient({ baseUrl: api.url, credentials: api.monitor.credentials });
    await monitor.call('signRecord', { params: study(), body });
    const stranger = createClient({ baseUrl: api.url, credentials: api.coordinator.credentials });
    await expect(stranger.call('signRecord', { params: study(), body })).rejects.toMatchObject({ status: 404 });
  });

  it('is never changed or removed, not even by a statement on the database', async () => {
    const before = await api.store.signatures.list(api.studyId);
    const database = new BetterSqlite3(api.store.path);
    for (const sql of ['DELETE FROM signature', "UPDATE signature SET meaning = 'REVIEWED'"])
      expect(() => database.exec(sql), sql).toThrow(/append-only/);
    database.close();
    expect(await api.store.signatures.list(api.studyId)).toEqual(before);
  });
});

describe('a locked study', () => {
  const lock = (reason = 'Database lock') =>
    api.client.call('lockStudy', { params: study(), body: { reason, password: api.admin.password } });
  const unlock = (password = api.admin.password) =>
    api.client.call('unlockStudy', { params: study(), body: { reason: 'Query 17', password } });

  it('refuses every change, and lets people read, export, sign and leave', async () => {
    const label = await api.client.call('createLabel', {
      params: subject(),
      body: { displayName: 'Kept', startTs: 5 },
    });
    await lock();
    expect((await api.client.call('getStudy', { params: study() })).lockedTs).toBe(api.clock.now());
    const locked = { status: 409, code: 'STUDY_LOCKED' };
    const before = JSON.stringify(await api.store.signatures.contentOf({ ...definition(), ...study() }));
    const body = { displayName: 'X' };
    const params = { ...subject(), annotationId: label.id };
    const form = new FormData();
    form.set('body', 'Hello');
    const attempts: [string, () => Promise<unknown>][] = [
      ['rename', () => api.client.call('updateStudy', { params: study(), body })],
      [
        'definition',
        () =>
          api.client.call('putDefinition', {
            params: study(),
            body: { subjectMetadataFields: [], activities: [{ displayName: 'Walk', durationSec: 60 }] } as never,
          }),
      ],
      ['start', () => api.client.call('startStudy', { params: study() })],
      ['archive', () => api.client.call('archiveStudy', { params: study() })],
      ['enrol', () => api.client.call('createSubject', { params: study(), body: { ...body, timezone: 'US/Eastern' } })],
      ['subject', () => api.client.call('updateSubject', { params: subject(), body: { age: 77 } })],
      ['token', () => api.client.call('createSubjectToken', { params: subject() })],
      ['label', () => api.client.call('createLabel', { params: subject(), body: { ...body, startTs: 1 } })],
      ['change of a label', () => api.client.call('updateLabel', { params, body })],
      ['deletion of a label', () => api.client.call('deleteLabel', { params })],
      ['message', () => api.client.call('sendMessage', { params: subject(), body: form })],
      ['system', () => api.store.recordings.setDataState(api.recordingId, 'ANALYSED', SYSTEM)],
      ['analytics', () => storeTestAnalytics(api.store, subject(), 'US/Eastern', ['2026-01-13'], [])],
    ];
    for (const [what, attempt] of attempts) {
      const code = await attempt().then(
        () => 'done',
        (thrown: { code?: string }) => thrown.code,
      );
      expect({ what, code }).toEqual({ what, code: locked.code });
    }
    expect(JSON.stringify(await api.store.signatures.contentOf({ ...definition(), ...study() }))).toBe(before);
    await sign(definition());
    await api.client.call('exportStudyAudit', { params: study(), body: {} });
    await api.client.call('requestStudyExport', { params: study(), body: { format: 'ARCHIVE' } });
    await api.client.call('setStudyMember', {
      params: { ...study(), userId: api.coordinator.userId },
      body: { role: 'COORDINATOR' },
    });
    await expect(lock()).rejects.toMatchObject({ code: 'STUDY_STATE' });
  });

  it('is unlocked by an administrator with a reason and the password, and its signature shows it', async () => {
    const target = { kind: 'study-lock', targetId: api.studyId } as const;
    const list = async () => (await api.client.call('listSignatures', { params: study(), query: target })).items;
    expect(await list()).toMatchObject([{ meaning: 'LOCKED', state: 'current', comment: 'Database lock' }]);
    await expect(unlock('wrong password')).rejects.toMatchObject({ status: 400 });
    const blank = { reason: ' ', password: api.admin.password };
    await expect(api.client.call('unlockStudy', { params: study(), body: blank })).rejects.toMatchObject({
      status: 400,
    });
    const change = { actor: { type: 'USER', id: api.admin.userId }, reason: ' ' } as const;
    await expect(api.store.studyLocks.unlock(api.studyId, change)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const coordinator = createClient({ baseUrl: api.url, credentials: api.coordinator.credentials });
    const body = { reason: 'I want', password: api.coordinator.password };
    await expect(coordinator.call('unlockStudy', { params: study(), body })).rejects.toMatchObject({ status: 403 });
    await unlock();
    expect(await list()).toMatchObject([{ state: 'changed' }]);
    await api.client.call('updateSubject', { params: subject(), body: { age: 78 } });
    const { items } = await api.client.call('listStudyAudit', { params: study(), query: { entityType: 'study' } });
    expect(items.find(({ action }) => action === 'study.unlock')).toMatchObject({ reason: 'Query 17' });
  });

  it('is not locked while a recording of it is being analysed', async () => {
    const payload = { ...subject(), fromMs: 0, toMs: 1, recordingIds: [] };
    await api.store.jobs.queue('analyse', payload, SYSTEM);
    await expect(lock()).rejects.toMatchObject({ code: 'STUDY_STATE' });
    expect((await api.client.call('getStudy', { params: study() })).lockedTs).toBeUndefined();
  });
});
