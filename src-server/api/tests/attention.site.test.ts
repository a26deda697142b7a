import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, SYSTEM } from '../../db/index.ts';
import { prepareStudy } from '../../testing/fuzz/known.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createClient } from '../contract/client.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let api: TestApi;
let queries = 0;
let params: { studyId: string; subjectId: string };
let account: { accountId: string };

beforeAll(async () => {
  api = await startTestApi({ onQuery: () => queries++ });
  account = { accountId: api.accountId };
  params = { studyId: api.studyId, subjectId: api.subjectIds[0] as string };
  await prepareStudy(api.client, api);
});
afterAll(() => api.close());

const list = async (query: { snoozed?: 'true' } = {}) =>
  (await api.client.call('listAttention', { params: account, query })).items;
/** Items of the first subject. The clock of this site starts frozen, so backups are overdue from the start. */
const isOwn = (item: { subjectId?: string }) => item.subjectId === params.subjectId;
const reasons = async () => (await list()).filter(isOwn).map(({ reason }) => reason);
const byReason = async (reason: string) => (await list({ snoozed: 'true' })).find((item) => item.reason === reason);

describe('what needs attention', () => {
  it('is empty in a study that has just started', async () => {
    expect(await reasons()).toEqual([]);
  });

  it('lists items with time, evidence and one action, ordered by reason', async () => {
    api.clock.advance(2 * DAY - HOUR);
    expect(await reasons()).toEqual([]);
    api.clock.advance(HOUR);
    expect(await reasons()).toContain('NO_DATA');
    api.clock.advance(2 * DAY);
    const bySubject = { actor: { type: 'SUBJECT', id: params.subjectId } } as const;
    await api.store.messages.post({ ...params, body: 'The sensor itches.' }, bySubject);
    const flat = { ...params, faultFlag: 'BATTERY_DEPLETED', faultType: 'RESET', faultClass: 'FLAT_BATTERY' };
    const device = { equipmentId: 'hub-1', mobileAppVersion: '', sensorFirmwareId: '', sensorId: 'x' };
    for (const hours of [30, 5])
      await api.store.faults.add([{ ...flat, ...device, faultTs: api.clock.now() - hours * HOUR }], SYSTEM);
    const uploadId = newId();
    await api.store.uploads.add(
      {
        ...{ id: uploadId, ...account, credentialId: 'h', deviceId: 'hub-1', sensorId: 'SN-9', recordingId: newId() },
        ...{ sizeBytes: 9, sha256: '2'.repeat(64), formatVersion: 1, startUs: 0, syncPoints: [], ...params },
        ...{ state: 'QUARANTINED', code: 'CLOCK_NOT_SET', message: 'The clock was not set.' },
      },
      SYSTEM,
    );
    const job = await api.jobs.enqueue('analyse', { ...params, fromMs: 0, toMs: 1, recordingIds: [] });
    Object.assign(job, { state: 'parked', finishedTs: api.clock.now() });
    const found = await list();
    const own = found.filter(isOwn);
    expect(own.map(({ reason, action }) => [reason, action.kind, action.target.type])).toEqual([
      ['NO_DATA', 'FIND_CAUSE', 'subject'],
      ['MISSED_TASKS', 'CALL_SUBJECT', 'subject'],
      ['LOW_BATTERY', 'CHARGE', 'subject'],
      ['UNREAD_MESSAGE', 'ANSWER_MESSAGE', 'subject'],
      ['UPLOAD_QUARANTINED', 'DECIDE_UPLOAD', 'upload'],
      ['JOB_FAILED', 'RETRY_JOB', 'job'],
    ]);
    expect(own.find(({ reason }) => reason === 'UNREAD_MESSAGE')).toMatchObject({
      severity: 'MEDIUM',
      // The text is for the list; sentences are in emails too.
      sentence: '1 message is unread.',
      evidence: { count: 1, detail: 'The sensor itches.' },
    });
    expect(own[0]).toMatchObject({
      subjectName: 'Subject 1',
      studyName: 'Test study',
      evidence: { seconds: 4 * 86_400 },
    });
    const ofSite = found
      .filter(({ studyId }) => studyId === undefined)
      .map(({ reason, action }) => [reason, action.kind]);
    expect(ofSite).toEqual([
      ['BACKUP_OVERDUE', 'CHECK_BACKUP'],
      ['WEBHOOK_FAILING', 'CHECK_WEBHOOK'],
    ]);
    const { items } = await api.client.call('listStudyAttention', { params: { studyId: api.studyId } });
    expect(items.map(({ id }) => id)).toEqual(found.filter(({ studyId }) => studyId).map(({ id }) => id));
  });

  it('can be snoozed with a reason, and returns when the snooze ends or the evidence changes', async () => {
    const item = (await byReason('UNREAD_MESSAGE'))!;
    const snooze = { params: { ...account, itemId: item.id } };
    const untilTs = api.clock.now() + DAY;
    const body = { untilTs, reason: 'She will call back tomorrow.' };
    await api.client.call('snoozeAttention', { ...snooze, body });
    expect((await list()).some(({ id }) => id === item.id)).toBe(false);
    expect((await byReason('UNREAD_MESSAGE'))?.snooze).toMatchObject({ untilTs, reason: body.reason });
    const audit = await api.client.call('listAccountAudit', { params: account, query: { entityType: 'attention' } });
    expect(audit.items[0]).toMatchObject({ action: 'attention.snooze', entityId: item.id, reason: body.reason });

    const bySubject = { actor: { type: 'SUBJECT', id: params.subjectId } } as const;
    await api.store.messages.post({ ...params, body: 'Are you there?' }, bySubject);
    expect((await list()).find(({ id }) => id === item.id)?.evidence).toMatchObject({
      count: 2,
      detail: 'Are you there?',
    });

    await api.client.call('snoozeAttention', { ...snooze, body });
    expect((await list()).some(({ id }) => id === item.id)).toBe(false);
    await api.client.call('wakeAttention', snooze);
    expect((await list()).some(({ id }) => id === item.id)).toBe(true);
    await api.client.call('snoozeAttention', { ...snooze, body });
    api.clock.advance(DAY + 1);
    expect((await list()).some(({ id }) => id === item.id)).toBe(true);
  });

  it('can be snoozed only until a near future time, and only if the item exists', async () => {
    const { id: itemId } = (await byReason('NO_DATA'))!;
    const reason = 'On holiday.';
    const put = (id: string, untilTs: number) =>
      api.client.call('snoozeAttention', { params: { ...account, itemId: id }, body: { untilTs, reason } });
    await expect(put(itemId, api.clock.now())).rejects.toMatchObject({ status: 400 });
    await expect(put(itemId, api.clock.now() + 91 * DAY)).rejects.toMatchObject({ status: 400 });
    await expect(put('NO_DATA:nobody', api.clock.now() + DAY)).rejects.toMatchObject({ status: 404 });
  });

  it('shows members their own studies, and the site to administrators only', async () => {
    const { credentials } = api.monitor;
    const monitor = createClient({ baseUrl: api.url, credentials, validateResponses: true });
    const { items } = await monitor.call('listAttention', { params: account });
    expect(new Set(items.map(({ studyId }) => studyId))).toEqual(new Set([api.studyId]));
    const coordinator = createClient({ baseUrl: api.url, credentials: api.coordinator.credentials });
    expect((await coordinator.call('listAttention', { params: account })).items).toEqual([]);
    const itemId = items[0]!.id;
    const body = { untilTs: api.clock.now() + DAY, reason: 'No.' };
    const put = (client: typeof monitor) => client.call('snoozeAttention', { params: { ...account, itemId }, body });
    await expect(put(monitor)).rejects.toMatchObject({ status: 403 });
    await expect(put(coordinator)).rejects.toMatchObject({ status: 404 });
  });

  it('asks to return equipment a day after the study ends, also for hidden subjects and archived studies', async () => {
    const study = { params: { studyId: api.studyId } };
    await api.client.call('stopStudy', study);
    // An unread message stays visible after the end of the study.
    const ofSubject = (await reasons()).filter((reason) => !/^(UPLOAD|JOB)/.test(reason));
    expect(ofSubject).toEqual(['UNREAD_MESSAGE']);
    api.clock.advance(DAY);
    expect((await byReason('NOT_RETURNED'))?.evidence).toMatchObject({ count: 1, detail: 'hub-1' });
    await api.client.call('archiveStudy', study);
    expect(new Set(await reasons())).toEqual(new Set(['NOT_RETURNED', 'UNREAD_MESSAGE']));
    await api.client.call('unarchiveStudy', study);
    await api.client.call('reopenStudy', { ...study, body: { reason: 'More subjects.' } });
    await api.store.subjects.update(params.subjectId, { isHidden: true }, SYSTEM);
    expect(await reasons()).not.toContain('NO_DATA');
    await api.client.call('stopStudy', study);
    api.clock.advance(DAY);
    expect(await reasons()).toContain('NOT_RETURNED');
    expect(await reasons()).not.toContain('UNREAD_MESSAGE');
    await api.client.call('reopenStudy', { ...study, body: { reason: 'More subjects.' } });
  });

  it('runs as many queries for a hundred subjects as for two', async () => {
    /** Returns the minimum of a few runs, because background work of the site queries too. */
    const count = async () => {
      const counts: number[] = [];
      for (let round = 0; round < 5; round++) {
        queries = 0;
        await list();
        counts.push(queries);
      }
      return Math.min(...counts);
    };
    const before = await count();
    for (let i = 0; i < 100; i++) {
      await api.store.subjects.create(api.studyId, { displayName: `P-${i}`, timezone: 'Asia/Tokyo' }, SYSTEM);
    }
    api.clock.advance(3 * DAY);
    const after = await count();
    expect((await list()).filter(({ reason }) => reason === 'NO_DATA')).toHaveLength(101);
    expect(after).toBe(before);
    expect(after).toBeLessThan(40);
  });
});
