/** What phones report leaves the site with its exports: skipped questions, true times, problems and pictures. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Routes } from '../../api/contract/index.ts';
import type { BodyInputOf } from '../../api/contract/route.ts';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { testJpeg } from '../../testing/test-jpeg.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { allJobsEnd } from '../../testing/test-site.ts';
import { csvRecords, zipContents } from '../../testing/zip-contents.ts';

let site: TestPhoneSite;
let phone: TestPhone;
let report: ReturnType<TestPhone['report']>;
const picture = testJpeg({ sizeBytes: 5000 });
const messageId = randomUUID();

beforeAll(async () => {
  site = await startTestPhoneSite();
  phone = await site.signIn();
  phone.clockAheadMs = -HOUR_MS;
  await phone.sync({});
  const [range, choice] = site.walk.questions;
  const { store, signalsDir } = site.lan.site.folder;
  const startMs = site.now() - 40 * MINUTE_MS;
  await addTestRecording(store, signalsDir, phone.place, { durationSeconds: 1200, startUs: startMs * 1000 });
  report = phone.report({
    startTs: startMs + 5 * MINUTE_MS - HOUR_MS,
    clock: { offsetMs: HOUR_MS, uncertaintyMs: 30, state: 'MEASURED' },
    answers: [
      { questionId: range?.id, skipped: true },
      { questionId: choice?.id, value: 'Calm' },
    ],
  });
  const image = { id: randomUUID(), mimeType: 'image/jpeg', base64: picture.toString('base64') };
  const message = { id: messageId, body: 'Red skin.', problem: { kind: 'SKIN' }, images: [image] };
  await phone.sync({ reports: [report], messages: [message] });
});
afterAll(async () => {
  await site.close();
});

async function studyExport(body: BodyInputOf<Routes['requestStudyExport']>): Promise<Map<string, Buffer>> {
  const params = { studyId: phone.place.studyId };
  const { id } = await site.client.call('requestStudyExport', { params, body });
  await allJobsEnd(site.client);
  const { href } = await site.client.call('getStudyExportFile', { params: { ...params, exportId: id } });
  return await zipContents(Buffer.from(await (await fetch(href)).arrayBuffer()));
}

const member = (members: Map<string, Buffer>, end: string) =>
  String([...members].find(([name]) => name.endsWith(end))?.[1] ?? '');

it('names skipped questions and the correction of times in the archive', async () => {
  const members = await studyExport({ format: 'ARCHIVE' });
  const rows = csvRecords(member(members, 'annotations.csv'));
  const row = rows.find(({ id }) => id === report.id);
  expect(row).toMatchObject({
    startTs: String(report.startTs + HOUR_MS),
    completedTs: String(report.stopTs + HOUR_MS),
    skippedQuestionIds: site.walk.questions[0]?.id,
    clockOffsetMs: String(HOUR_MS),
    clockState: 'MEASURED',
  });
  expect(rows.filter(({ parentId }) => parentId === report.id).map(({ value }) => value)).toEqual(['Calm']);
});

it('codes them in a de-identified archive', async () => {
  const members = await studyExport({ format: 'ARCHIVE', deidentified: true });
  const rows = csvRecords(member(members, 'annotations.csv'));
  const question = csvRecords(member(members, 'questions.csv'));
  const [row] = rows.filter(({ type }) => type === 'activity');
  expect(row?.skippedQuestionIds).not.toBe('');
  expect(row?.skippedQuestionIds).not.toBe(site.walk.questions[0]?.id);
  expect(question.map(({ id }) => id)).toContain(row?.skippedQuestionIds);
  expect(row?.startTs).not.toBe(String(report.startTs + HOUR_MS));
});

it('has an event for a skipped question in BIDS', async () => {
  const events = member(await studyExport({ format: 'BIDS' }), '_events.tsv')
    .split('\n')
    .map((line) => line.split('\t').slice(2));
  expect(events).toContainEqual(['Walk', 'activity', 'n/a']);
  expect(events).toContainEqual(['How hard was it?', 'skipped', 'n/a']);
  expect(events).toContainEqual(['Which of these?', 'answer', 'Calm']);
});

it('leaves no answer for a skipped question in the interface', async () => {
  const { items } = await site.client.call('listAnnotations', { params: phone.place, query: {} });
  expect(items.filter(({ event }) => event?.type === 'question').map(({ value }) => value)).toEqual(['Calm']);
  expect(items.find(({ id }) => id === report.id)?.skipped).toEqual([
    { questionId: site.walk.questions[0]?.id, text: 'How hard was it?' },
  ]);
});

it("is in the subject's own copy, with the picture", async () => {
  const params = phone.place;
  const { id } = await site.client.call('requestSubjectExport', { params });
  await allJobsEnd(site.client);
  const { href } = await site.client.call('getSubjectExportFile', { params: { ...params, exportId: id } });
  const members = await zipContents(Buffer.from(await (await fetch(href)).arrayBuffer()));
  const annotations = JSON.parse(member(members, 'annotations.json')) as Record<string, unknown>[];
  expect(annotations.find((row) => row.id === report.id)).toMatchObject({
    skipped: [{ text: 'How hard was it?' }],
    phoneClock: { offsetMs: HOUR_MS, state: 'MEASURED' },
  });
  const [message] = JSON.parse(member(members, 'messages.json')) as Record<string, unknown>[];
  expect(message).toMatchObject({ id: messageId, problemKind: 'SKIN' });
  expect(members.get(`messages/${String(message?.imageFile)}`)?.equals(picture)).toBe(true);
});

it('hides the offset of a clock that began at a known date, which would tell the true one', async () => {
  const lost = await site.signIn();
  const startTs = 60 * MINUTE_MS;
  lost.clockAheadMs = startTs + 10 * MINUTE_MS - site.now();
  const offsetMs = -lost.clockAheadMs;
  await lost.sync({});
  const clock = { offsetMs, uncertaintyMs: 30, state: 'MEASURED' };
  const { reports } = await lost.sync({ reports: [lost.report({ startTs, clock })] });
  expect(reports[0]?.state).toBe('STORED');
  const offsets = async (deidentified: boolean) => {
    const members = await studyExport({ format: 'ARCHIVE', deidentified });
    return csvRecords(member(members, 'annotations.csv')).map((row) => Number(row.clockOffsetMs));
  };
  expect(Math.max(...(await offsets(false)))).toBe(offsetMs);
  expect(Math.max(...(await offsets(true)))).toBe(HOUR_MS);
});
