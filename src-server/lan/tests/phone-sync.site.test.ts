/** The batch of a phone over the real listener: outcomes per item, true times, and what the phone reads back. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';

let site: TestPhoneSite;
let phone: TestPhone;

beforeAll(async () => {
  site = await startTestPhoneSite();
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  phone = await site.signIn();
});

describe('the batch of a phone', () => {
  it('stores what is sound, refuses one item without delaying others, and knows all of it again', async () => {
    const now = site.now();
    const walk = phone.report({ startTs: now - HOUR_MS });
    const batch = {
      reports: [
        walk,
        { id: randomUUID(), taskId: 7, answers: 'none' },
        phone.report({ startTs: now - MINUTE_MS, answers: [{ questionId: randomUUID(), value: '4' }] }),
      ],
      messages: [
        { id: randomUUID(), body: 'The patch itches.' },
        { id: randomUUID(), body: '' },
      ],
    };
    const first = await phone.sync(batch);
    expect(first.reports.map(({ state, code, permanent }) => [state, code, permanent])).toEqual([
      ['STORED', undefined, undefined],
      ['REFUSED', 'INVALID_INPUT', true],
      ['REFUSED', 'INVALID_INPUT', true],
    ]);
    expect(first.reports[1]?.message).toContain('taskId');
    expect(first.messages.map(({ state }) => state)).toEqual(['STORED', 'REFUSED']);
    expect(first.serverTs).toBeGreaterThanOrEqual(first.receivedTs);
    const again = await phone.sync(batch);
    expect(again.reports.map(({ state }) => state)).toEqual(['KNOWN', 'REFUSED', 'REFUSED']);
    expect(again.messages.map(({ state }) => state)).toEqual(['KNOWN', 'REFUSED']);
    const { items } = await site.client.call('listTaskReports', { params: phone.place, query: {} });
    expect(items.filter(({ id }) => id === walk.id)).toHaveLength(1);
  });

  it('corrects times by the measured offset, for the clock that was wrong by three hours', async () => {
    const offsetMs = 3 * HOUR_MS;
    const now = site.now();
    phone.clockAheadMs = -offsetMs;
    await phone.sync({});
    const clock = { offsetMs, uncertaintyMs: 40, state: 'MEASURED' };
    const intendedTs = now - 30 * MINUTE_MS;
    const startTs = now - 20 * MINUTE_MS;
    const report = phone.report({ startTs: startTs - offsetMs, intendedTs, clock });
    expect((await phone.sync({ reports: [report] })).reports).toMatchObject([{ state: 'STORED' }]);
    // The clock is right again; the same report is known by its own times.
    phone.clockAheadMs = 0;
    expect((await phone.sync({ reports: [report] })).reports).toMatchObject([{ state: 'KNOWN' }]);
    expect(await site.store.annotations.get(report.id)).toMatchObject({
      startTs,
      intendedTs,
      phoneClock: { offsetMs, state: 'MEASURED' },
    });
  });

  it('does not trust an offset that contradicts what the site measured', async () => {
    const now = site.now();
    const clock = { offsetMs: -5 * HOUR_MS, uncertaintyMs: 20, state: 'MEASURED' };
    const report = phone.report({ startTs: now - HOUR_MS, clock });
    expect((await phone.sync({ reports: [report] })).reports).toMatchObject([{ state: 'STORED' }]);
    const stored = await site.store.annotations.get(report.id);
    expect(stored?.phoneClock).toMatchObject({ state: 'DISPUTED', claimedOffsetMs: -5 * HOUR_MS });
    expect(Math.abs((stored?.startTs ?? 0) - report.startTs)).toBeLessThan(MINUTE_MS);
  });

  it('keeps a skipped question apart from answers', async () => {
    const [question] = site.walk.questions;
    const answers = [{ questionId: question?.id ?? '', skipped: true }];
    const report = phone.report({ startTs: site.now() - HOUR_MS, answers });
    expect((await phone.sync({ reports: [report, report] })).reports.map(({ state }) => state)).toEqual([
      'STORED',
      'KNOWN',
    ]);
    expect(await site.store.annotations.answers(report.id)).toEqual([]);
    expect((await site.store.annotations.get(report.id))?.skipped).toEqual([
      { questionId: question?.id, text: question?.text },
    ]);
    const both = [...answers, { questionId: question?.id ?? '', value: '4' }];
    const refused = await phone.sync({ reports: [phone.report({ startTs: site.now(), answers: both })] });
    expect(refused.reports).toMatchObject([{ state: 'REFUSED', code: 'INVALID_INPUT' }]);
  });

  it('refuses a body beyond 8 MB with 413, before it reads it all', async () => {
    const message = { id: randomUUID(), body: '', images: [{ id: randomUUID(), mimeType: 'image/jpeg', base64: '' }] };
    const text = JSON.stringify({ clockTs: site.now(), messages: [message] });
    const answer = await phone.post('/phone/sync', `${text.slice(0, -1)}${' '.repeat(8.1 * 1024 * 1024)}}`);
    expect(answer).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE', permanent: true } });
  });
});

describe('a phone whose access ended', () => {
  const refusal = async () => (await phone.call('/phone/today')) as { status: number; body: Record<string, unknown> };

  it('learns that staff revoked it, that it signed out, or that it signed in again', async () => {
    const { accountId } = site.place;
    const params = { accountId, deviceId: phone.credentialId };
    await site.client.call('revokeDevice', { params, query: { reason: 'The phone was lost.' } });
    const staff = await refusal();
    expect(staff).toMatchObject({ status: 401, body: { code: 'DEVICE_REVOKED', reason: 'REVOKED' } });
    expect(JSON.stringify(staff.body)).not.toContain('lost');

    phone = await site.signIn();
    expect((await phone.call('/phone/sign-out', { method: 'POST' })).status).toBe(204);
    expect(await refusal()).toMatchObject({ status: 401, body: { code: 'DEVICE_REVOKED', reason: 'SIGNED_OUT' } });

    const { token: code } = await site.client.call('createSubjectToken', { params: phone.place });
    await phone.signIn(code);
    const copy = { token: phone.token };
    const next = await site.client.call('createSubjectToken', { params: phone.place });
    await phone.signIn(next.token);
    phone.token = copy.token;
    expect(await refusal()).toMatchObject({ status: 401, body: { code: 'DEVICE_REVOKED', reason: 'SIGNED_IN_AGAIN' } });
  });

  it('learns that its subject was erased', async () => {
    const erased = await site.signIn(1);
    const { studyId, subjectId } = erased.place;
    await site.erase({ studyId, subjectId });
    const answer = await erased.post('/phone/sync', erased.batch({}));
    expect(answer).toMatchObject({ status: 403, body: { code: 'SUBJECT_ERASED', permanent: true } });
  });
});

describe('what a phone keeps for a week away', () => {
  it('lists days before and after today, with the tasks due', async () => {
    const program = (await phone.get('/phone/program?days=10')) as {
      timezone: string;
      days: { date: string; dayNumber?: number; tasks: { displayName: string; completed: boolean }[] }[];
    };
    expect(program.days).toHaveLength(10);
    const [yesterday, today, tomorrow] = program.days;
    expect([yesterday?.dayNumber, today?.dayNumber, tomorrow?.dayNumber]).toEqual([undefined, 0, 1]);
    expect(yesterday?.tasks).toEqual([]);
    expect(tomorrow?.tasks.map(({ displayName, completed }) => [displayName, completed])).toEqual([['Walk', false]]);
    // The program has five days.
    expect(program.days.at(-1)?.tasks).toEqual([]);
    const later = new Date(site.now() + 400 * DAY_MS).toISOString().slice(0, 10);
    expect(await phone.get(`/phone/program?from=${later}&days=1`)).toMatchObject({
      days: [{ date: later, tasks: [] }],
    });
    expect((await phone.call('/phone/program?days=32')).status).toBe(400);
    expect((await phone.call('/phone/program?from=2026-02-30')).status).toBe(400);
  });

  it('names the study as the desk does where it has no title, and by its title otherwise', async () => {
    const { studyId } = site.place;
    const names = async () => {
      const [{ studyName }, today] = [await phone.get('/phone/program'), await phone.get('/phone/today')];
      return [studyName, today.studyName];
    };
    expect(await names()).toEqual(['Test study', 'Test study']);
    await site.client.call('updateStudy', { params: { studyId }, body: { title: 'Walking at home' } });
    expect(await names()).toEqual(['Walking at home', 'Walking at home']);
  });

  it('says when a task was completed, which may be long after it was begun', async () => {
    const completedTs = site.now();
    const startTs = completedTs - MINUTE_MS;
    const report = phone.report({ startTs, stopTs: completedTs - 1000, completedTs });
    await phone.sync({ reports: [report] });
    const { days } = await phone.get('/phone/program');
    const times = days.flatMap(({ tasks }: { tasks: { completedTs?: number }[] }) =>
      tasks.map((task) => task.completedTs),
    );
    expect(times).toContain(completedTs);
  });

  it('says which activity has a timer and which it guides itself, as the definition and its document do', async () => {
    const { studyId } = site.place;
    const study = await site.client.call('getStudy', { params: { studyId } });
    const kept = study.activities.map(({ id, displayName, durationSec, instructions, questions }) => ({
      ...{ id, displayName, durationSec, instructions },
      questions: questions.map(({ createdTs: _, ...question }) => question),
    }));
    const untimed = { displayName: 'Rest', durationSec: 0 };
    const calibration = { displayName: 'Calibration', durationSec: 30, guide: 'POSTURE_CALIBRATION' as const };
    await site.client.call('putDefinition', {
      params: { studyId },
      body: { activities: [...kept, untimed, calibration] },
    });
    const tasks = (await phone.get('/phone/tasks')) as {
      items: {
        displayName: string;
        durationSec?: number;
        guide?: string;
        questions: { type: string; isMultiple?: boolean }[];
      }[];
    };
    // An activity without a timer has no duration.
    expect(tasks.items.map(({ displayName, durationSec, guide }) => [displayName, durationSec, guide])).toEqual([
      ['Walk', 360, undefined],
      ['Rest', undefined, undefined],
      ['Calibration', 30, 'POSTURE_CALIBRATION'],
    ]);
    expect(tasks.items[0]?.questions.map(({ isMultiple }) => isMultiple)).toEqual([undefined, true]);
    const document = await site.client.call('getDefinition', { params: { studyId } });
    expect(document.activities.at(-1)).toMatchObject(calibration);
    const { id } = await site.client.call('createStudy', {
      params: { accountId: site.place.accountId },
      body: { displayName: 'Copy' },
    });
    await site.client.call('importDefinition', { params: { studyId: id }, body: document });
    const copy = await site.client.call('getStudy', { params: { studyId: id } });
    expect(copy.activities.map(({ guide }) => guide)).toEqual([undefined, undefined, 'POSTURE_CALIBRATION']);
  });

  it('lists the sensors that the subject holds, and where the one of the one configuration is worn', async () => {
    const { equipment } = site.store;
    const change = { actor: { type: 'SYSTEM' } } as const;
    const { accountId } = site.place;
    await equipment.register(
      { accountId, id: 'S-1', type: 'SENSOR', displayName: 'Chest 1', udid: 'AA:00:00:00:00:01' },
      change,
    );
    expect(await phone.get('/phone/sensors')).toEqual({ items: [], size: 0 });
    await equipment.assign('S-1', phone.place, change);
    expect(await phone.get('/phone/sensors')).toMatchObject({
      items: [{ serial: 'S-1', displayName: 'Chest 1', location: 'MEDIAL_CHEST', side: 'NONE' }],
    });
  });
});
