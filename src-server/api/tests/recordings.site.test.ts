import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import yauzl from 'yauzl';
import { HOUR_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording, TEST_SCALE, testCount } from '../../testing/test-recording.ts';
import type { RawDataPage } from '../contract/index.ts';

const START_MS = Date.UTC(2026, 0, 15, 11);

let api: TestApi;
let longId: string;
beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
  const place = { studyId: api.studyId, subjectId: api.subjectIds[1]! };
  // Starts off the millisecond, so that floor(us / 1000) matters.
  const long = await addTestRecording(api.store, api.deps.signalsDir, place, {
    startUs: START_MS * 1000 + 600,
    durationSeconds: 1800,
    udid: 'AA:BB:CC:00:00:02',
  });
  longId = long.id;
});
afterAll(() => api.close());

const first = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0]! });
const second = () => ({ studyId: api.studyId, subjectId: api.subjectIds[1]! });

async function allPages(query: Record<string, string | number | boolean>, params = second()): Promise<RawDataPage[]> {
  const pages = [await api.client.call('getRawData', { params, query: query as never })];
  while (pages.at(-1)!.links) {
    expect(pages.length).toBeLessThan(50);
    const { href, rel } = pages.at(-1)!.links!.at(-1)!;
    expect(rel).toBe('next');
    expect(href).toMatch(/^\/v1\/studies\//);
    pages.push((await (await api.client.follow(href)).json()) as RawDataPage);
  }
  return pages;
}

const timesOf = (pages: RawDataPage[], type: string) =>
  pages.flatMap((page) => page.channels.filter((channel) => channel.type === type).flatMap((channel) => channel.times));

describe('recordings', () => {
  it('are listed by start, for the study and the subject, with every documented member', async () => {
    const { items, size } = await api.client.call('listStudyRecordings', { params: { studyId: api.studyId } });
    expect(size).toBe(2);
    const starts = items.map((one) => one.recordingStartTs);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    const [mine] = (await api.client.call('listSubjectRecordings', { params: first() })).items;
    expect(items).toContainEqual(mine);
    expect(mine).toMatchObject({
      id: api.recordingId,
      ...first(),
      recordingId: 7,
      recordingStartTs: START_MS,
      recordingStopTs: START_MS + 59_996,
      udid: 'AA:BB:CC:00:00:01',
      physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
      status: 'COMPLETE',
      faults: [],
    });
    expect((await api.client.call('getSubject', { params: first() })).recordings).toEqual([mine]);
  });

  it('of a subject can be left out in favour of the time that they cover', async () => {
    const query = { recordings: false };
    const { recordings, recorded } = await api.client.call('getSubject', { params: first(), query });
    expect(recordings).toEqual([]);
    expect(recorded).toEqual([{ startTs: START_MS, stopTs: START_MS + 59_996 }]);
    expect((await api.client.call('getSubject', { params: first() })).recorded).toBeUndefined();
  });

  it('can be selected by a recording that they overlap', async () => {
    const overlapping = async (params: typeof first, id: string, query: { from?: number } = {}) =>
      (
        await api.client.call('listSubjectRecordings', { params: params(), query: { ...query, overlapping: id } })
      ).items.map((one) => one.id);
    expect(await overlapping(first, api.recordingId)).toEqual([api.recordingId]);
    expect(await overlapping(first, api.recordingId, { from: START_MS + HOUR_MS })).toEqual([]);
    expect(await overlapping(second, api.recordingId)).toEqual([]);
    expect(await overlapping(first, 'unknown')).toEqual([]);
  });
});

describe('raw data', () => {
  it('returns times and physical values per channel, inclusive at both ends', async () => {
    const page = await api.client.call('getRawData', {
      params: first(),
      query: { from: START_MS, to: START_MS + 1000 },
    });
    expect(page.links).toBeUndefined();
    expect(page.channels.map((channel) => [channel.type, channel.dimensions])).toEqual([
      ['ACCEL', ['x', 'y', 'z']],
      ['ECG', ['v']],
    ]);
    const [accel, ecg] = page.channels;
    expect(ecg!.times).toEqual(Array.from({ length: 251 }, (_, i) => START_MS + 4 * i));
    expect(ecg!.values.v).toEqual(ecg!.times.map((_, i) => testCount(i, 0) * TEST_SCALE.ECG));
    expect(accel!.times).toHaveLength(32);
    expect(accel!.values.z).toEqual(accel!.times.map((_, i) => testCount(i, 2) * TEST_SCALE.ACCEL));
    expect(ecg!.recording).toEqual((await api.client.call('listSubjectRecordings', { params: first() })).items[0]);
  });

  it('selects by floor(us / 1000), and tsMicros changes only the times', async () => {
    const query = { from: START_MS, to: START_MS + 4 };
    const [plain] = (await api.client.call('getRawData', { params: second(), query })).channels.slice(-1);
    const [micros] = (
      await api.client.call('getRawData', { params: second(), query: { ...query, tsMicros: true } })
    ).channels.slice(-1);
    expect(plain!.times).toEqual([START_MS, START_MS + 4]);
    expect(micros!.times).toEqual([START_MS * 1000 + 600, START_MS * 1000 + 4600]);
    expect(micros!.values).toEqual(plain!.values);
  });

  it('pages a long window without losing or repeating a row and keeps the query', async () => {
    const pages = await allPages({ from: 0, to: Date.UTC(3000, 0, 1), tsMicros: true, deviceId: 'AA:BB:CC:00:00:02' });
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages) {
      expect(page.channels.reduce((rows, channel) => rows + channel.times.length, 0)).toBeLessThanOrEqual(200_000);
    }
    const times = timesOf(pages, 'ECG');
    expect(times).toHaveLength(1800 * 250);
    expect(times.every((time, i) => time === START_MS * 1000 + 600 + 4000 * i)).toBe(true);
    expect(timesOf(pages, 'ACCEL')).toHaveLength(1800 * 31.25);
  });

  it('selects a sensor by deviceId and returns no channels for an unknown one', async () => {
    const query = { from: START_MS, to: START_MS + HOUR_MS, deviceId: '00:00:00:00:00:00' };
    expect(await api.client.call('getRawData', { params: second(), query })).toEqual({ channels: [] });
  });

  it('accepts ISO 8601 with an offset and rejects invalid times', async () => {
    const params = second();
    const iso = await api.client.call('getRawData', {
      params,
      query: { from: '2026-01-15T20:00:00.000+09:00', to: '2026-01-15T11:00:00.100Z' },
    });
    expect(iso).toEqual(await api.client.call('getRawData', { params, query: { from: START_MS, to: START_MS + 100 } }));
    const wrong = [
      [{ from: 'today', to: START_MS }, 'from'],
      [{ from: START_MS }, 'to'],
      [{ from: '2026-01-15T11:00:00', to: START_MS }, 'from'],
      [{ from: START_MS + 1, to: START_MS }, 'from'],
      [{ from: START_MS, to: START_MS, tsMicros: 'yes' }, 'tsMicros'],
    ] as const;
    for (const [query, path] of wrong) {
      await expect(api.client.call('getRawData', { params, query: query as never })).rejects.toMatchObject({
        status: 400,
        errors: [expect.objectContaining({ path })],
      });
    }
  });
});

describe('recording ZIP', () => {
  const members = (bytes: Buffer) =>
    new Promise<string[]>((resolve, reject) => {
      yauzl.fromBuffer(bytes, { lazyEntries: false }, (error, zip) => {
        if (error) return reject(error);
        const names: string[] = [];
        zip.on('entry', (entry: { fileName: string }) => names.push(entry.fileName));
        zip.on('end', () => resolve(names));
      });
    });

  it('is downloaded from the signed address of its export href, without credentials, with ranges', async () => {
    const [recording] = (await api.client.call('listSubjectRecordings', { params: first() })).items;
    const signed = (await (await api.client.follow(recording!.export.href)).json()) as {
      href: string;
      expiration: number;
    };
    expect(signed.href.startsWith(`${api.url}/`)).toBe(true);
    expect(signed.expiration).toBe(api.clock.now() + HOUR_MS);

    const whole = await fetch(signed.href);
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-type')).toBe('application/zip');
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(await members(bytes)).toEqual(['accel.csv', 'elec.csv', 'ReadMe.txt']);

    const part = await fetch(signed.href, { headers: { range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 10-19/${bytes.length}`);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20));
    const beyond = await fetch(signed.href, { headers: { range: `bytes=${bytes.length}-` } });
    expect(beyond.status).toBe(416);
    expect(await beyond.json()).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });

    const [after] = (await api.client.call('listSubjectRecordings', { params: first() })).items;
    expect(after!.export.sizeBytes).toBe(bytes.length);
    expect(api.jobs.rows.filter((row) => row.kind === 'export')).toHaveLength(1);
  });

  it('rejects a changed, foreign or expired signature in JSON', async () => {
    const { href } = await api.client.call('getRecordingExport', {
      params: { studyId: api.studyId, recordingId: longId },
    });
    const refused = async (address: string) => {
      const response = await fetch(address);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'FORBIDDEN', message: expect.any(String) });
    };
    await refused(href.replace(longId, api.recordingId));
    await refused(href.replace(/expires=\d+/, `expires=${api.clock.now() + 10 * HOUR_MS}`));
    await refused(href.replace(/signature=./, (text) => (text.endsWith('A') ? 'signature=B' : 'signature=A')));
    await refused(`${href}&more=1`);
    await refused(href.split('?')[0]!);
    api.clock.advance(HOUR_MS);
    await refused(href);
  });

  it('is built once for concurrent readers', async () => {
    const { href } = await api.client.call('getRecordingExport', {
      params: { studyId: api.studyId, recordingId: longId },
    });
    const before = api.jobs.rows.length;
    const sizes = await Promise.all(
      Array.from({ length: 5 }, async () => (await (await fetch(href)).arrayBuffer()).byteLength),
    );
    expect(new Set(sizes).size).toBe(1);
    expect(api.jobs.rows.length - before).toBe(1);
  });

  it('survives a reader that disconnects halfway', async () => {
    const { href } = await api.client.call('getRecordingExport', {
      params: { studyId: api.studyId, recordingId: longId },
    });
    await new Promise<void>((resolve) => {
      const request = httpRequest(href, (response) => response.once('data', () => request.destroy()));
      request.on('error', () => undefined);
      request.on('close', resolve);
      request.end();
    });
    expect((await fetch(href)).status).toBe(200);
  });
});
