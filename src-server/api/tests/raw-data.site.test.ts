/** Raw data over HTTP from replaced, damaged and missing files, and the text of its numbers. */

import { copyFile, open, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordingRecord } from '../../db/index.ts';
import { MINUTE_MS } from '../../durations.ts';
import { openSignalFile } from '../../signals/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording, TEST_SCALE, testCount } from '../../testing/test-recording.ts';
import type { RawDataPage } from '../contract/index.ts';

const START_MS = Date.UTC(2026, 0, 15, 11);

let api: TestApi;
let recording: RecordingRecord;
beforeAll(async () => {
  api = await startTestApi();
  recording = await addTestRecording(api.store, api.deps.signalsDir, place(), {
    startUs: START_MS * 1000,
    durationSeconds: 300,
  });
});
afterAll(() => api.close());

const place = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0]! });
const pathOf = ({ id }: { id: string }) => join(api.deps.signalsDir, `${id}.sig`);
const page = (from: number, to: number, tsMicros = false): Promise<RawDataPage> =>
  api.client.call('getRawData', { params: place(), query: { from, to, tsMicros } });
const rows = ({ channels }: RawDataPage) => Object.fromEntries(channels.map(({ type, times }) => [type, times.length]));

/** Flips bits in the middle of one stored page. */
async function damagePage(path: string, channel: number, pageNumber: number): Promise<void> {
  const file = await openSignalFile(path);
  const { offset, payloadLength } = file.pageIndex[channel]![pageNumber]!;
  await file.close();
  const handle = await open(path, 'r+');
  await handle.write(new Uint8Array(8).fill(0x5a), 0, 8, offset + Math.floor(payloadLength / 2));
  await handle.close();
}

describe('the text of a response', () => {
  it.each([false, true])('equals the output of JSON.stringify (tsMicros %s)', async (tsMicros) => {
    const query = { from: START_MS - 5, to: START_MS + 5 * MINUTE_MS, tsMicros };
    const url = api.client.url('getRawData', { params: place(), query });
    const text = await (await fetch(url, { headers: { authorization: api.authorization } })).text();
    const parsed = JSON.parse(text) as RawDataPage;
    expect(text).toBe(JSON.stringify(parsed));
    const ecg = parsed.channels.find(({ type }) => type === 'ECG')!;
    const unit = tsMicros ? 1000 : 1;
    expect(ecg.times).toEqual(Array.from({ length: 75_000 }, (_, i) => (START_MS + 4 * i) * unit));
    expect(ecg.values.v).toEqual(Array.from({ length: 75_000 }, (_, i) => testCount(i, 0) * TEST_SCALE.ECG));
  });

  it('contains times around and before the start of 1970', async () => {
    for (const startUs of [5_000_000, -3_000_000, 99_999_999_000_000]) {
      await addTestRecording(api.store, api.deps.signalsDir, place(), { startUs, durationSeconds: 2, udid: 'OLD' });
      const startMs = startUs / 1000;
      const { channels } = await page(startMs, startMs + 1999);
      expect(channels[1]!.times).toEqual(Array.from({ length: 500 }, (_, i) => startMs + 4 * i));
    }
  });
});

describe('a damaged page', () => {
  it('is reported with its channel and times beside readable data, and not in other windows', async () => {
    const path = pathOf(recording);
    const kept = await readFile(path);
    const whole = await page(START_MS, START_MS + 3 * MINUTE_MS - 1);
    expect(whole.warnings).toBeUndefined();
    await damagePage(path, 1, 1);

    const part = await page(START_MS, START_MS + 3 * MINUTE_MS - 1);
    expect(part.warnings).toEqual([
      {
        code: 'SIGNAL_FILE_DAMAGED',
        message: expect.stringMatching(/^15000 samples of ECG of recording .+ from 2026-01-15T11:01:00\.000Z to .+\.$/),
        recordingId: recording.id,
        type: 'ECG',
        fromTs: START_MS + MINUTE_MS,
        toTs: START_MS + 2 * MINUTE_MS - 4,
      },
    ]);
    expect(rows(part)).toEqual({ ACCEL: rows(whole).ACCEL, ECG: 30_000 });
    expect((await page(START_MS + 2 * MINUTE_MS, START_MS + 3 * MINUTE_MS)).warnings).toBeUndefined();

    const only = await page(START_MS + MINUTE_MS, START_MS + MINUTE_MS + 1000);
    expect(only.warnings).toHaveLength(1);
    expect(rows(only)).toEqual({ ACCEL: 32 });

    await writeFile(path, kept);
    expect(await page(START_MS, START_MS + 3 * MINUTE_MS - 1)).toEqual(whole);
  });

  it('is reported without times when the index is damaged too', async () => {
    const path = pathOf(recording);
    const kept = await readFile(path);
    await writeFile(path, kept.subarray(0, kept.length - 40));
    const { warnings } = await page(START_MS, START_MS + 1000);
    expect(warnings).toEqual([
      { code: 'SIGNAL_FILE_DAMAGED', message: expect.stringMatching(/may be missing/), recordingId: recording.id },
    ]);
    await writeFile(path, kept);
  });
});

describe('a missing signal file', () => {
  it('is named without local paths and hides no other sensor', async () => {
    const lost = await addTestRecording(api.store, api.deps.signalsDir, place(), {
      startUs: START_MS * 1000,
      durationSeconds: 60,
      udid: 'AA:BB:CC:00:00:03',
    });
    const path = pathOf(lost);
    expect((await page(START_MS, START_MS + 5000)).channels).toHaveLength(4);
    const kept = await readFile(path);
    await rm(path);
    const { channels, warnings } = await page(START_MS, START_MS + 5000);
    expect(new Set(channels.map((channel) => channel.recording.id))).toEqual(new Set([recording.id]));
    expect(warnings).toEqual([
      {
        code: 'SIGNAL_FILE_DAMAGED',
        message: expect.stringMatching(new RegExp(`recording ${lost.id} is missing\\. Restore it from a backup`)),
        recordingId: lost.id,
      },
    ]);
    expect(JSON.stringify(warnings)).not.toContain(api.deps.signalsDir);
    const query = { from: START_MS, to: START_MS + 5000, deviceId: 'AA:BB:CC:00:00:03' };
    await expect(api.client.call('getRawData', { params: place(), query })).rejects.toMatchObject({
      status: 500,
      code: 'SIGNAL_FILE_DAMAGED',
      message: expect.stringContaining(lost.id),
    });
    await writeFile(path, kept);
    expect((await page(START_MS, START_MS + 5000)).channels).toHaveLength(4);
  });

  it('is read again when another file replaces it', async () => {
    const other = await addTestRecording(api.store, api.deps.signalsDir, place(), {
      startUs: (START_MS + 40 * MINUTE_MS) * 1000,
      durationSeconds: 60,
      udid: 'AA:BB:CC:00:00:04',
      ecgRateHz: 125,
    });
    const window = [START_MS + 40 * MINUTE_MS, START_MS + 41 * MINUTE_MS] as const;
    expect(rows(await page(...window))).toMatchObject({ ECG: 7500 });
    const longer = await addTestRecording(api.store, api.deps.signalsDir, place(), {
      startUs: (START_MS + 40 * MINUTE_MS) * 1000,
      durationSeconds: 30,
      udid: 'AA:BB:CC:00:00:05',
    });
    await copyFile(pathOf(longer), `${pathOf(other)}.new`);
    await rename(`${pathOf(other)}.new`, pathOf(other));
    const { channels } = await page(...window);
    const lengths = channels.filter(({ type }) => type === 'ECG').map(({ times }) => times.length);
    expect(lengths).toEqual([7500, 7500]);
    expect(channels[1]!.times[1]! - channels[1]!.times[0]!).toBe(4);
  });
});

describe.runIf(process.platform === 'linux')('descriptors', () => {
  async function openSignals(): Promise<number> {
    const names = await readdir('/proc/self/fd');
    const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
    return targets.filter((target) => target.startsWith(api.deps.signalsDir)).length;
  }

  it('stay few regardless of the number of recordings', async () => {
    const startMs = START_MS + 120 * MINUTE_MS;
    for (let i = 0; i < 40; i++) {
      const startUs = (startMs + i * 2000) * 1000;
      await addTestRecording(api.store, api.deps.signalsDir, place(), { startUs, durationSeconds: 1, udid: `U${i}` });
    }
    const whole = await page(startMs, startMs + 10 * MINUTE_MS);
    expect(whole.channels).toHaveLength(80);
    await Promise.all(Array.from({ length: 20 }, () => page(startMs, startMs + 10 * MINUTE_MS)));
    expect(await openSignals()).toBeLessThanOrEqual(16);
  });
});
