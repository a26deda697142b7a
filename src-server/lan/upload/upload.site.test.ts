import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeUploadFile, openUploadSite, type UploadSite } from '../../testing/upload-site.ts';

let site: UploadSite;
beforeEach(async () => {
  site = await openUploadSite();
});
afterEach(async () => {
  const { problems } = site;
  await site.close();
  expect(problems).toEqual([]);
});

const file = (options: Parameters<typeof makeUploadFile>[1] = {}) => makeUploadFile(site.folder, options);
const stored = () => site.store.recordings.listForSubject(site.study.subjectId);

describe('an upload', () => {
  it('becomes a recording of its subject, byte by byte, told as an event and analysed', async () => {
    const source = await file();
    const device = site.device();
    const created = await device.announce(source);
    expect(created).toMatchObject({
      status: 201,
      headers: { 'upload-offset': '0', 'outpost-upload-state': 'RECEIVING' },
    });
    const location = created.headers.location ?? '';
    expect(location).toMatch(/^\/api\/v1\/device\/uploads\/[0-9a-f-]{36}$/);
    const half = Math.floor(source.bytes.length / 2);
    expect(await device.patch(location, 0, source.bytes.subarray(0, half), { checksum: true })).toMatchObject({
      status: 204,
      headers: { 'upload-offset': String(half) },
    });
    expect(await device.head(location)).toMatchObject({
      status: 200,
      headers: { 'upload-offset': String(half), 'upload-length': String(source.bytes.length) },
    });
    const last = await device.patch(location, half, source.bytes.subarray(half), { checksum: true });
    expect(last).toMatchObject({
      status: 204,
      headers: { 'outpost-upload-state': 'STORED', 'outpost-recording': source.recordingId },
    });
    const [recording] = await stored();
    expect(recording).toMatchObject({ id: source.recordingId, startUs: source.startUs, fileState: 'PRESENT' });
    expect(readFileSync(join(site.signalsDir, `${source.recordingId}.sig`)).equals(source.bytes)).toBe(true);
    expect(existsSync(join(site.signalsDir, `${source.recordingId}.overview`))).toBe(true);
    expect(readdirSync(join(site.inboxDir, 'uploads'))).toEqual([]);
    await site.queue.whenIdle();
    expect((await stored())[0].dataState).toBe('ANALYSED');
    const events = await site.store.events.list(site.study.studyId, 0, Number.MAX_SAFE_INTEGER);
    expect(events.filter(({ action }) => action === 'RECORDING_UPLOADED')).toMatchObject([
      { referenceId: source.recordingId },
    ]);
  });
});
