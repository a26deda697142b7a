/** A phone a week away: its answers count for the days on which they were given, at the desk, in adherence and in exports. */

import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultHttpStack, Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Change } from '../../api/contract/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { addDays, localDateIn, localTimeOn } from '../../study/day-windows.ts';
import { openTls } from '../../testing/test-device.ts';
import { testJpeg } from '../../testing/test-jpeg.ts';
import { startTestPhoneSite, type TestPhoneSite } from '../../testing/test-phone-site.ts';
import { signIn } from '../../testing/test-site.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from '../../testing/upload-site.ts';

const ZONES = ['Asia/Tokyo', 'US/Eastern'] as const;
let site: TestPhoneSite;
let folder: string;
const stop = new AbortController();

beforeAll(async () => {
  site = await startTestPhoneSite([...ZONES]);
  folder = mkdtempSync(join(tmpdir(), 'outpost-phone-week-'));
});
afterAll(async () => {
  stop.abort();
  await site.close();
  rmSync(folder, { recursive: true });
});

const dateOf = (ts: number, zone: string) => localDateIn(ts, zone);

it('counts what was done within the week for its own days, though all of it arrives at its end', async () => {
  const [zone] = ZONES;
  const phone = await site.signIn(0);
  const first = dateOf(site.now(), zone);
  const at = (day: number, time: string) => localTimeOn(addDays(first, day), time, zone);
  // The phone's clock is 3 h slow since sign-in; on day 3 it is corrected, and on day 5 an hour ahead.
  phone.clockAheadMs = -3 * HOUR_MS;
  await phone.sync({});
  const slow = { offsetMs: 3 * HOUR_MS, uncertaintyMs: 30, state: 'MEASURED' };
  const [question] = site.walk.questions;
  const by = (trueTs: number, clock: { offsetMs: number }, more: object = {}) =>
    phone.report({ startTs: trueTs - clock.offsetMs, clock, ...more });
  const skipped = [{ questionId: question?.id ?? '', skipped: true }];
  const done = {
    // In the window from 08:00, to the minute, and by the phone's clock still the night before.
    inWindow: by(at(1, '08:00'), slow, { intendedTs: at(1, '08:00') }),
    // One second to midnight, and one after: different days.
    lateEvening: by(at(2, '23:59') + 59_000, slow),
    earlyMorning: by(at(3, '00:00') + 1000, slow, { answers: skipped }),
    // Set in between, and the phone can only estimate.
    estimated: by(at(4, '12:00'), { ...slow, offsetMs: -HOUR_MS, state: 'CHANGED' } as never),
  };
  site.lan.clock.aheadMs += 6 * DAY_MS;
  site.client = await signIn(site.lan.site.url);
  const changes: Change[] = [];
  await new Promise<void>((resolve) => {
    void (async () => {
      for await (const change of site.client.live(stop.signal, resolve)) changes.push(change);
    })().catch(() => undefined);
  });
  phone.clockAheadMs = HOUR_MS;
  const { reports } = await phone.sync({ reports: Object.values(done) });
  expect(reports.map(({ state }) => state)).toEqual(['STORED', 'STORED', 'STORED', 'STORED']);

  const params = phone.place;
  const { items } = await site.client.call('listTaskReports', { params, query: {} });
  const shown = new Map(items.map((item) => [item.id, item]));
  const reportedTs = shown.get(done.inWindow.id)?.reportedTs ?? 0;
  expect(Math.abs(reportedTs - site.now())).toBeLessThan(MINUTE_MS);
  expect(shown.get(done.inWindow.id)).toMatchObject({
    startTs: at(1, '08:00'),
    intendedTs: at(1, '08:00'),
    timing: 'IN_WINDOW',
    phoneClock: { offsetMs: 3 * HOUR_MS, state: 'MEASURED' },
  });
  expect(shown.get(done.lateEvening.id)).toMatchObject({ startTs: at(2, '23:59') + 59_000, timing: 'LATE' });
  expect(shown.get(done.earlyMorning.id)).toMatchObject({
    timing: 'EARLY',
    skipped: [{ questionId: question?.id, text: question?.text }],
  });
  expect(shown.get(done.estimated.id)).toMatchObject({ startTs: at(4, '12:00'), phoneClock: { state: 'CHANGED' } });

  const { items: audit } = await site.client.call('listProgramAudit', { params });
  const completed = new Map(audit.map(({ date, tasks }) => [date, tasks.map((task) => task.completed)]));
  expect([0, 1, 2, 3, 4].map((day) => completed.get(addDays(first, day)))).toEqual([
    [false],
    [true],
    [true],
    [true],
    [true],
  ]);
  const { items: stats } = await site.client.call('listProgramStats', { params: { studyId: params.studyId } });
  expect(stats.find(({ subjectId }) => subjectId === params.subjectId)).toMatchObject({ tasksCompleted: 4 });

  // Events: when it was done, and when the site heard of it.
  const { items: events } = await site.client.call('listEvents', {
    params: { studyId: params.studyId },
    query: { from: site.now() - HOUR_MS, to: site.now() + HOUR_MS },
  });
  expect(events.find(({ referenceId }) => referenceId === done.lateEvening.id)).toMatchObject({
    action: 'ACTIVITY_COMPLETED',
    actualTs: shown.get(done.lateEvening.id)?.completedTs,
    author: { id: params.subjectId },
  });
  // A desk that shows the subject learns of it without a reload.
  await vi.waitFor(() => {
    const topics = changes.filter(({ subjectId }) => subjectId === params.subjectId).map(({ topic }) => topic);
    expect(topics).toContain('annotation');
  });
  // The program that the phone keeps agrees.
  const program = await phone.get(`/phone/program?from=${addDays(first, 1)}&days=2`);
  const kept = (program as { days: { tasks: { completedTs?: number }[] }[] }).days;
  expect(kept.map(({ tasks }) => tasks[0]?.completedTs)).toEqual([
    shown.get(done.inWindow.id)?.completedTs,
    shown.get(done.lateEvening.id)?.completedTs,
  ]);
});

it('makes a problem an item of Today, flagged in the conversation with its picture, until staff read it', async () => {
  const phone = await site.signIn(1);
  const writtenTs = site.now() - 2 * HOUR_MS;
  const picture = testJpeg({ sizeBytes: 200_000 });
  const image = { id: randomUUID(), mimeType: 'image/jpeg', base64: picture.toString('base64') };
  const skin = { id: randomUUID(), body: '', problem: { kind: 'SKIN' }, images: [image], createdTs: writtenTs };
  const off = { id: randomUUID(), body: 'It fell off.', problem: { kind: 'SENSOR_OFF', sensorSerial: 'S-404' } };
  expect((await phone.sync({ messages: [skin, off] })).messages.map(({ state }) => state)).toEqual([
    'STORED',
    'STORED',
  ]);
  const { accountId } = site.place;
  const today = async () => {
    const { items } = await site.client.call('listAttention', { params: { accountId }, query: {} });
    return items.filter(({ subjectId }) => subjectId === phone.place.subjectId);
  };
  const items = await today();
  expect(
    items.map(({ reason, evidence, action }) => [reason, evidence.code, evidence.sensorName, action.kind]),
  ).toEqual([
    ['SKIN_PROBLEM', 'SKIN', undefined, 'CALL_SUBJECT'],
    ['PROBLEM_REPORTED', 'SENSOR_OFF', 'S-404', 'CALL_SUBJECT'],
  ]);
  const { items: conversation } = await site.client.call('listMessages', { params: phone.place, query: {} });
  expect(conversation).toMatchObject([
    { id: skin.id, body: '', writtenTs, problem: { kind: 'SKIN' }, image: { sizeBytes: picture.length } },
    { id: off.id, problem: { kind: 'SENSOR_OFF', sensorSerial: 'S-404' } },
  ]);
  const { href } = await site.client.call('getMessageImage', { params: { ...phone.place, messageId: skin.id } });
  const answer = await fetch(href);
  expect(answer.headers.get('content-type')).toBe('image/jpeg');
  expect(Buffer.from(await answer.arrayBuffer()).equals(picture)).toBe(true);
  for (const { id } of [skin, off]) {
    await site.client.call('markMessageRead', { params: { ...phone.place, messageId: id }, body: { isRead: true } });
  }
  expect(await today()).toEqual([]);
  const cut = { ...image, base64: picture.subarray(0, 90_000).toString('base64') };
  const wrong = [
    { id: randomUUID(), body: 'cut', images: [cut] },
    { id: randomUUID(), body: 'html', images: [{ ...image, base64: Buffer.from('<html>').toString('base64') }] },
    { id: randomUUID(), body: 'no base64', images: [{ ...image, base64: `${image.base64.slice(0, -4)}%%%%` }] },
    { ...skin, images: [{ ...image, base64: testJpeg({ sizeBytes: 200_000, fill: 9 }).toString('base64') }] },
  ];
  const before = site.imageNames().length;
  expect((await phone.sync({ messages: wrong })).messages.map(({ state, code }) => [state, code])).toEqual([
    ['REFUSED', 'INVALID_INPUT'],
    ['REFUSED', 'INVALID_INPUT'],
    ['REFUSED', 'INVALID_INPUT'],
    ['REFUSED', 'CONFLICT'],
  ]);
  expect(site.imageNames().length).toBe(before);
  await site.erase(phone.place);
  await vi.waitFor(() => expect(site.imageNames().length).toBe(before - 1), { timeout: 10_000 });
});

it('uploads a recording of a sensor that its subject holds, and not one of another', async () => {
  const phone = await site.signIn(0);
  const { accountId } = site.place;
  const change = { actor: { type: 'SYSTEM' } } as const;
  const { equipment } = site.store;
  await equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID, displayName: 'Strap' }, change);
  await equipment.assign(SENSOR, { ...phone.place, atTs: site.now() - 48 * HOUR_MS }, change);
  const other = { id: 'SN-OTHER', udid: 'AA:BB:CC:00:00:99' };
  await equipment.register({ accountId, ...other, type: 'SENSOR' }, change);
  const socket = await openTls(site.lan.lanUrl);
  const ca = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
  const httpStack = new DefaultHttpStack({ ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined });
  const upload = async (sensor: string, udid: string) => {
    const file = await makeUploadFile(folder, { startUs: (site.now() - 6 * HOUR_MS) * 1000, seconds: 60, udid });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    new Upload(file.bytes, {
      endpoint: `${site.lan.lanUrl}/api/v1/device/uploads`,
      httpStack,
      headers: { authorization: `Bearer ${phone.token}` },
      chunkSize: 16_384,
      retryDelays: [],
      metadata: {
        recordingId: file.recordingId,
        sensor,
        sha256: createHash('sha256').update(file.bytes).digest('hex'),
        formatVersion: '1',
        startUs: String(file.startUs),
      },
      onSuccess: () => resolve(),
      onError: reject,
    }).start();
    await promise;
    return file;
  };
  const file = await upload(SENSOR, SENSOR_UDID);
  await vi.waitFor(async () =>
    expect(await site.store.recordings.get(file.recordingId)).toMatchObject({ ...phone.place, fileState: 'PRESENT' }),
  );
  const stored = readFileSync(join(site.lan.site.folder.signalsDir, `${file.recordingId}.sig`));
  expect(stored.equals(file.bytes)).toBe(true);
  const sensors = (await phone.get('/phone/sensors')) as { items: { serial: string; lastUploadTs?: number }[] };
  expect(sensors.items[0]?.serial).toBe(SENSOR);
  expect(Math.abs((sensors.items[0]?.lastUploadTs ?? 0) - site.now())).toBeLessThan(MINUTE_MS);
  await expect(upload(other.id, other.udid)).rejects.toThrow('SENSOR_');
});
