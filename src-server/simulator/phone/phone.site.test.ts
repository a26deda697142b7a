import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { PinMismatch } from '../device/connection.ts';
import { type PhoneOptions, type PhoneTask, SimulatedPhone } from './phone.ts';

let test: TestLanSite;
let folder: string;
let place: { studyId: string; subjectId: string };
let other: { studyId: string; subjectId: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-phone-'));
  test = await startTestLanSite();
  const { store } = test.site.folder;
  const { studyId, subjectIds, userId } = test.place;
  const change = { actor: { type: 'USER', id: userId } } as const;
  place = { studyId, subjectId: subjectIds[0] ?? '' };
  other = { studyId, subjectId: subjectIds[1] ?? '' };
  const questions = [
    { text: 'How hard was it?', type: 'RANGE', values: ['0', '10'] },
    { text: 'Which of these?', type: 'MULTIPLECHOICE', values: ['Calm', 'Tense', 'Tired'] },
  ];
  const tasks = { mode: 'UNSUPERVISED', pipelineIds: [] };
  const study = await store.studies.putDefinition(
    studyId,
    {
      activities: [{ ...tasks, displayName: 'Walk', durationSec: 360, instructions: 'Walk.', questions }],
      diaries: [{ ...tasks, displayName: 'Evening', questions: [{ text: 'Note', type: 'FREETEXT', values: [] }] }],
    },
    change,
  );
  const window = { start: '00:00', end: '23:59' };
  const [walk, evening] = [study.activities[0]?.id ?? '', study.diaries[0]?.id ?? ''];
  const due = [
    { taskId: walk, type: 'activity' as const, days: 'daily' as const },
    { taskId: evening, type: 'diary' as const, days: [0], window },
  ];
  await store.studies.putDefinition(studyId, { program: { days: 5, tasks: due } }, change);
  await store.studies.move(studyId, 'start', change);
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});
/** Failed sign-ins of one test must not throttle the next. */
beforeEach(() => {
  test.clock.passedMs += 2 * MINUTE_MS;
});

const now = () => Date.now() + test.clock.aheadMs;
const openPhone = (name: string, options: Partial<PhoneOptions> = {}) =>
  SimulatedPhone.open({ folder: join(folder, name), clock: now, ...options });
const tokenOf = async (params: typeof place) => (await test.client.call('createSubjectToken', { params })).token;

async function signedIn(name: string, options: Partial<PhoneOptions> = {}, whose = place): Promise<SimulatedPhone> {
  const phone = await openPhone(name, options);
  await phone.signIn(test.lanUrl, await tokenOf(whose), test.site.lan.fingerprint);
  return phone;
}

function walkReport(tasks: readonly PhoneTask[], effort: string) {
  const walk = tasks.find(({ displayName }) => displayName === 'Walk') as PhoneTask;
  const [range, choice] = walk.questions;
  const startTs = now() - 90 * MINUTE_MS;
  return {
    taskId: walk.id,
    startTs,
    stopTs: startTs + 6 * MINUTE_MS,
    intendedTs: startTs - 30 * MINUTE_MS,
    openedTs: startTs - 20_000,
    completedTs: startTs + 7 * MINUTE_MS,
    answers: [
      { questionId: range?.id ?? '', value: effort },
      { questionId: choice?.id ?? '', value: 'Calm' },
      { questionId: choice?.id ?? '', value: 'Tired' },
    ],
  };
}

describe('a phone', () => {
  it('signs in once with a token, and reports another phone, a wrong token or another key', async () => {
    const token = await tokenOf(place);
    const phone = await openPhone('first');
    await expect(phone.signIn(test.lanUrl, token, '0'.repeat(64))).rejects.toThrow(PinMismatch);
    await phone.signIn(test.lanUrl, token.toLowerCase());
    // The response may have been lost: the same phone may repeat the call until it has used its credential.
    await phone.signIn(test.lanUrl, token);
    expect((await phone.today()).tasks).toHaveLength(2);
    await expect(phone.signIn(test.lanUrl, token)).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
    expect((await phone.today()).isRunning).toBe(true);
    const second = await openPhone('second');
    await expect(second.signIn(test.lanUrl, token)).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
    await expect(second.signIn(test.lanUrl, 'WRONGWRONGWRONGWRONG')).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
    for (let i = 0; i < 3; i++) await second.signIn(test.lanUrl, `WRONG${i}`).catch(() => undefined);
    await expect(second.signIn(test.lanUrl, token)).rejects.toMatchObject({ code: 'THROTTLED' });
    phone.close();
  });

  it('is refused after its removal, and keeps its queue', async () => {
    const phone = await signedIn('removed');
    const { accountId } = test.place;
    const devices = await test.client.call('listDevices', { params: { accountId } });
    const own = devices.items.find(({ id }) => id === phone.credentialId);
    expect(own).toMatchObject({ kind: 'PHONE', subjectId: place.subjectId, subjectName: 'Subject 1' });
    // Any call counts as contact, even from a phone that never reports its battery.
    expect(now() - (own?.lastContactTs ?? 0)).toBeLessThan(MINUTE_MS);
    await phone.contact(41);
    expect(await test.client.call('getDevice', { params: { accountId, deviceId: own?.id ?? '' } })).toMatchObject({
      batteryPercent: 41,
    });
    await phone.report(walkReport(await phone.tasks(), '3'));
    await test.client.call('revokeDevice', { params: { accountId, deviceId: own?.id ?? '' }, query: {} });
    await expect(phone.sync()).rejects.toMatchObject({ code: 'DEVICE_REVOKED' });
    expect(phone.waiting.reports).toBe(1);
    phone.close();
  });

  it('delivers tasks completed offline exactly once, with all their times, as the desk shows them', async () => {
    let isLost = true;
    const phone = await signedIn('queue', {
      disturb: ({ sizeBytes }) => (isLost ? { cutAfterBytes: sizeBytes } : {}),
    });
    const tasks = await phone.tasks();
    expect(tasks.map(({ displayName, durationSec }) => [displayName, durationSec])).toEqual([
      ['Walk', 360],
      ['Evening', undefined],
    ]);
    const report = walkReport(tasks, '4');
    const id = await phone.report(report);
    await phone.write('The patch itches a little.');
    await expect(phone.sync()).rejects.toThrow();
    phone.close();
    isLost = false;
    const again = await openPhone('queue');
    expect(again.waiting).toEqual({ reports: 1, messages: 1 });
    const [first] = await again.sync();
    expect(first).toMatchObject({ id, state: expect.stringMatching(/STORED|KNOWN/) });
    expect(again.waiting).toEqual({ reports: 0, messages: 0 });

    const done = await test.client.call('listTaskReports', { params: place });
    const { answers: _answers, ...times } = report;
    const [stored, ...twice] = done.items.filter((item) => item.id === id);
    // Moved by the offset that the phone measured, which is next to nothing on one computer.
    for (const [name, ts] of Object.entries(times))
      if (typeof ts === 'number') expect(Math.abs(Number(stored?.[name as 'startTs']) - ts)).toBeLessThan(1000);
    expect(stored).toMatchObject({ taskId: report.taskId, intendedTs: report.intendedTs });
    expect(Math.abs((stored?.reportedTs ?? 0) - now())).toBeLessThan(MINUTE_MS);
    expect(twice).toEqual([]);
    const listed = await test.client.call('listAnnotations', { params: place, query: {} });
    const answers = listed.items.filter(({ event }) => event?.relationship?.id === report.taskId);
    expect(answers.map(({ value }) => value)).toEqual(['4', 'Calm', 'Tired']);
    const events = await test.client.call('listEvents', { params: { studyId: place.studyId }, query: {} });
    const completed = events.items.filter(({ referenceId }) => referenceId === id);
    expect(completed).toMatchObject([{ action: 'ACTIVITY_COMPLETED', author: { id: place.subjectId } }]);

    await again.report({ ...report, id });
    expect(await again.sync()).toMatchObject([{ id, state: 'KNOWN' }]);
    await again.report({ ...report, id, answers: report.answers.slice(0, 1) });
    expect(await again.sync()).toMatchObject([{ state: 'REFUSED', code: 'CONFLICT', permanent: true }]);
    again.close();
  });

  it('measures its clock before the first report and says the same of it each time', async () => {
    const aheadMs = 3 * HOUR_MS;
    const bodies: number[] = [];
    let isLost = false;
    const phone = await signedIn('wrong-clock', {
      clock: () => now() + aheadMs,
      disturb: ({ sizeBytes }) => {
        bodies.push(sizeBytes);
        return isLost ? { cutAfterBytes: sizeBytes } : {};
      },
    });
    const truth = walkReport(await phone.tasks(), '6');
    const ahead = (ts: number) => ts + aheadMs;
    const { startTs, stopTs, openedTs, completedTs } = truth;
    const report = {
      ...truth,
      startTs: ahead(startTs),
      stopTs: ahead(stopTs),
      openedTs: ahead(openedTs),
      completedTs: ahead(completedTs),
    };
    const id = await phone.report(report);
    isLost = true;
    // Without a measurement nothing of the report is sent.
    await expect(phone.sync()).rejects.toThrow();
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toBeLessThan(200);
    isLost = false;
    expect(await phone.sync()).toMatchObject([{ id, state: 'STORED' }]);
    const { items } = await test.client.call('listTaskReports', { params: place });
    const stored = items.find((item) => item.id === id);
    expect(Math.abs((stored?.startTs ?? 0) - startTs)).toBeLessThan(MINUTE_MS / 4);
    expect(stored?.phoneClock).toMatchObject({ state: 'MEASURED' });
    expect(Math.abs((stored?.phoneClock?.offsetMs ?? 0) + aheadMs)).toBeLessThan(MINUTE_MS / 4);
    await phone.report({ ...report, id });
    expect(await phone.sync()).toMatchObject([{ id, state: 'KNOWN' }]);
    phone.close();
  });

  it('labels signal segments with a report, exactly once however often it is sent', async () => {
    let isLost = true;
    const phone = await signedIn('marks', {
      disturb: ({ sizeBytes }) => (isLost ? { cutAfterBytes: sizeBytes } : {}),
    });
    const report = walkReport(await phone.tasks(), '2');
    const { startTs } = report;
    const marks = ['standing', 'sitting', 'lying'].map((posture, index) => ({
      id: randomUUID(),
      displayName: `Calibration: ${posture}`,
      startTs: startTs + index * MINUTE_MS,
      stopTs: startTs + index * MINUTE_MS + 20_000,
    }));
    const id = await phone.report({ ...report, marks });
    await expect(phone.sync()).rejects.toThrow();
    isLost = false;
    expect((await phone.sync()).map((outcome) => outcome.id)).toEqual([id]);
    // Again, like a phone that lost the response.
    await phone.report({ ...report, id, marks });
    expect(await phone.sync()).toMatchObject([{ id, state: 'KNOWN' }]);
    const { items } = await test.client.call('listAnnotations', {
      params: place,
      query: { from: startTs - MINUTE_MS, to: startTs + 10 * MINUTE_MS, type: ['subject'] },
    });
    const reports = await test.client.call('listTaskReports', { params: place });
    const { offsetMs = Number.NaN } = reports.items.find((item) => item.id === id)?.phoneClock ?? {};
    expect(Math.abs(offsetMs)).toBeLessThan(1000);
    expect(items.map(({ displayName, startTs: from, stopTs }) => ({ displayName, from, stopTs }))).toEqual(
      marks.map(({ displayName, startTs: from, stopTs }) => ({
        displayName,
        from: from + offsetMs,
        stopTs: stopTs + offsetMs,
      })),
    );
    phone.close();
  });

  it('shows why one report is refused and still delivers the next', async () => {
    const phone = await signedIn('refused');
    const tasks = await phone.tasks();
    const good = walkReport(tasks, '5');
    await phone.report(walkReport(tasks, '11'));
    await phone.report({ ...good, taskId: randomUUID() });
    await phone.report({ ...good, startTs: now() + 40 * 3_600_000, stopTs: now() + 41 * 3_600_000 });
    const id = await phone.report(good);
    const outcomes = await phone.sync();
    expect(outcomes.map(({ state, code }) => [state, code])).toEqual([
      ['REFUSED', 'INVALID_INPUT'],
      ['REFUSED', 'NOT_FOUND'],
      ['REFUSED', 'INVALID_INPUT'],
      ['STORED', undefined],
    ]);
    expect(outcomes[0]?.message).toBe('Walk: The answer must be a number from 0 to 10.');
    expect(phone.refused).toHaveLength(3);
    const stranger = await signedIn('stranger', {}, other);
    await stranger.report({ ...good, id });
    expect(await stranger.sync()).toMatchObject([{ state: 'REFUSED', code: 'CONFLICT' }]);
    for (const one of [phone, stranger]) one.close();
  });

  it("shows the day in the subject's time zone, with completed tasks", async () => {
    const phone = await signedIn('today', {}, other);
    const day = await phone.today();
    const [walk, evening] = day.tasks;
    expect(day).toMatchObject({ timezone: 'US/Eastern', isRunning: true });
    expect([walk?.completed, walk?.window, evening?.completed]).toEqual([false, undefined, false]);
    const { startTs = 0, stopTs = 0 } = evening?.window ?? {};
    expect([stopTs - startTs, startTs <= now() && now() < stopTs]).toEqual([24 * 3_600_000, true]);
    const startTs2 = now() - 10_000;
    const stopTs2 = now();
    await phone.report({ taskId: evening?.taskId ?? '', startTs: startTs2, stopTs: stopTs2, answers: [] });
    await phone.sync();
    const done = (await phone.today()).tasks[1] as { completed: boolean; completedTs?: number };
    expect(done.completed).toBe(true);
    // Moved by the measured offset.
    expect(Math.abs((done.completedTs ?? 0) - stopTs2)).toBeLessThan(1000);
    phone.close();
  });

  it('shows messages in both directions, and which were read', async () => {
    const phone = await signedIn('messages', {}, other);
    const form = new FormData();
    form.append('body', 'Please charge the sensors.');
    const sent = await test.client.call('sendMessage', { params: other, body: form as never });
    await phone.write('I will.');
    await phone.sync();
    expect((await phone.today()).unreadMessages).toBe(1);
    expect(await phone.messages()).toMatchObject([
      { id: sent.id, from: 'TEAM', isRead: false },
      { from: 'SUBJECT', body: 'I will.', isRead: false },
    ]);
    const unread = await test.client.call('listUnreadMessages', { params: { accountId: test.place.accountId } });
    const own = unread.items.find(({ body }) => body === 'I will.');
    await test.client.call('markMessageRead', {
      params: { ...other, messageId: own?.id ?? '' },
      body: { isRead: true },
    });
    await phone.markRead([sent.id, own?.id ?? '', randomUUID()]);
    await phone.sync();
    expect((await phone.messages()).map(({ isRead }) => isRead)).toEqual([true, true]);
    expect((await phone.today()).unreadMessages).toBe(0);
    phone.close();
  });

  it('pairs a clinic phone for a subject, and serves the subject it is assigned to', async () => {
    const phone = await openPhone('paired', { serial: 'PHONE-7' });
    const { id, link } = await test.startPairing(other.subjectId);
    await phone.pair(
      { link },
      {
        onCheckCode: async (checkCode) => {
          await test.client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode } });
        },
        collectEveryMs: 5,
      },
    );
    await phone.contact(55);
    expect(await phone.today()).toMatchObject({ subjectName: 'Subject 2' });
    const tasks = await phone.tasks();
    for (const effort of ['1', '2', '3']) await phone.report(walkReport(tasks, effort));
    await phone.write('All done.');
    await phone.sync();
    const { accountId } = test.place;
    const { items } = await test.client.call('listDevices', { params: { accountId } });
    const deviceId = items.find(({ serial }) => serial === 'PHONE-7')?.id ?? '';
    const device = await test.client.call('getDevice', { params: { accountId, deviceId } });
    expect(device.received).toEqual({ taskReports: 3, messages: 1 });
    await test.site.folder.store.equipment.unassign('PHONE-7', other, {
      actor: { type: 'USER', id: test.place.userId },
    });
    await expect(phone.today()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    phone.close();
  });
});
