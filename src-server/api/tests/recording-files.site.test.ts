/** The files of a recording beside its ZIP: signed addresses, ranges, sizes, refusals. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSignalFile } from '../../signals/index.ts';
import { readHyparquet } from '../../testing/read-parquet.ts';
import { channelOf, headerOf } from '../../testing/signal-fixtures.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording, TEST_SCALE, testCount } from '../../testing/test-recording.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
});
afterAll(() => api.close());

type Format = 'zip' | 'edf' | 'edf-d' | 'edf-exact' | 'bdf' | 'wfdb' | 'beats-csv' | 'rr-kubios' | 'parquet';
const EXTENSIONS: Partial<Record<Format, string>> = {
  'edf-d': 'edf',
  'edf-exact': 'edf',
  wfdb: 'zip',
  'beats-csv': 'csv',
  'rr-kubios': 'txt',
};
async function signed(format?: Format, recordingId = api.recordingId): Promise<string> {
  const params = { studyId: api.studyId, recordingId };
  return (await api.client.call('getRecordingExport', { params, query: format ? { format } : {} })).href;
}

it.each(['edf', 'edf-d', 'edf-exact', 'bdf', 'wfdb', 'beats-csv', 'parquet'] as const)(
  'serves %s whole and in ranges, and builds it once',
  async (format) => {
    const href = await signed(format);
    const before = api.jobs.rows.length;
    const [whole, again] = await Promise.all([fetch(href), fetch(href)]);
    expect(whole.status).toBe(200);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(Number(whole.headers.get('content-length'))).toBe(bytes.length);
    expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true);
    expect(whole.headers.get('content-disposition')).toBe(
      `attachment; filename="recording-${api.recordingId}.${EXTENSIONS[format] ?? format}"`,
    );
    const part = await fetch(href, { headers: { range: 'bytes=-100' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(-100))).toBe(true);
    expect(api.jobs.rows.length - before).toBe(1);
    const start = {
      edf: '0       ',
      'edf-d': '0       ',
      'edf-exact': '0       ',
      bdf: '\xffBIOSEMI',
      wfdb: 'PK',
      'beats-csv': 'time_us,',
      parquet: 'PAR1',
    }[format];
    expect(bytes.subarray(0, start.length).toString('latin1')).toBe(start);
  },
);

it('exports the samples of raw data as Parquet', async () => {
  const path = join(api.deps.inboxDir, 'recording.parquet');
  await writeFile(path, Buffer.from(await (await fetch(await signed('parquet'))).arrayBuffer()));
  const { rows } = await readHyparquet(path);
  const ecg = rows.filter(({ type }) => type === 'ECG');
  expect(ecg.map(({ v }) => v)).toEqual(ecg.map((_, i) => testCount(i, 0) * TEST_SCALE.ECG));
  expect(ecg.map(({ time }) => Number(time))).toEqual(ecg.map((_, i) => Date.UTC(2026, 0, 15, 11) + 4 * i));
});

it('returns the ZIP without a format, the only file whose size the recording states', async () => {
  expect(new URL(await signed()).pathname).toBe(`/api/v1/files/recordings/${api.recordingId}/export.zip`);
  expect(new URL(await signed('zip')).pathname).toBe(`/api/v1/files/recordings/${api.recordingId}/export.zip`);
  const zip = await (await fetch(await signed())).arrayBuffer();
  await (await fetch(await signed('parquet'))).arrayBuffer();
  const { items } = await api.client.call('listStudyRecordings', { params: { studyId: api.studyId } });
  expect(items.find(({ id }) => id === api.recordingId)?.export.sizeBytes).toBe(zip.byteLength);
});

it('rejects an unknown format, a signature for another format, and EDF for samples it cannot hold', async () => {
  await expect(signed('wav' as Format)).rejects.toMatchObject({ status: 400 });
  const href = await signed('edf');
  expect((await fetch(href.replace('/formats/edf', '/formats/parquet'))).status).toBe(403);
  const place = { studyId: api.studyId, subjectId: api.subjectIds[1]! };
  const wide = await addTestRecording(api.store, api.deps.signalsDir, place, { startUs: 1e15, udid: 'WIDE' });
  const path = join(api.deps.signalsDir, `${wide.id}.sig`);
  const replacement = `${path}.wide`;
  const writer = await createSignalFile(replacement, headerOf([channelOf('ECG', ['v'], 250, 32)]));
  const columns = [new Int32Array([1, 70_000, -70_000])];
  await writer.append({ channel: 0, startUs: 1e15, periodUs: 4000, count: 3, columns });
  await writer.finish();
  await rename(replacement, path);
  const refused = await fetch(await signed('edf', wide.id));
  expect(refused.status).toBe(415);
  expect(await refused.json()).toMatchObject({ code: 'UNSUPPORTED_FORMAT', message: expect.stringContaining('BDF+') });
  expect((await fetch(await signed('bdf', wide.id))).status).toBe(200);
});
