import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportEdf } from '../../exporters/edf/export.ts';
import { exportMc10Zip } from '../../exporters/mc10-zip.ts';
import { recordingParquet } from '../../exporters/parquet/recording.ts';
import { hashFile } from '../../files/content-hash.ts';
import { openImport } from '../../importers/index.ts';
import { verifySignalFile } from '../../signals/index.ts';
import { addIntervalRecording } from '../../testing/interval-recording.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { zipContents } from '../../testing/zip-contents.ts';

const START_MS = Date.UTC(2026, 0, 15, 11);
const MINUTE_MS = 60_000;
let api: TestApi;
let rrId: string;
let ppiId: string;
let place: { studyId: string; subjectId: string };

/** Ten minutes of beats about 0.8 s apart, with one that comes early. */
const beatsUs = [START_MS * 1000];
for (let i = 1; i < 750; i++) {
  const early = i === 200 ? -300 : i === 201 ? 300 : 0;
  beatsUs.push(beatsUs.at(-1)! + 1000 * Math.round(800 + 25 * Math.sin(i / 3) + early));
}
/** Nothing arrives in the sixth minute. */
const isLost = (second: number) => second >= START_MS / 1000 + 300 && second < START_MS / 1000 + 360;

beforeAll(async () => {
  api = await startTestApi();
  place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const { signalsDir } = api.deps;
  rrId = (await addIntervalRecording(api.store, signalsDir, place, beatsUs, { isLost, endReason: 'SENSOR_RESTART' }))
    .id;
  const pulse = { type: 'PPI', stepSeconds: 0.001, location: 'POSTERIOR_FOREARM' } as const;
  const later = beatsUs.map((us) => us + 86_400e6);
  ppiId = (await addIntervalRecording(api.store, signalsDir, place, later, pulse)).id;
});
afterAll(() => api.close());

const path = (id: string) => join(api.deps.signalsDir, `${id}.sig`);
const params = (recordingId: string) => ({ studyId: api.studyId, recordingId });

describe('a recording of RR intervals', () => {
  it('gives beat times and intervals as raw data', async () => {
    const { channels } = await api.client.call('getRawData', {
      params: place,
      query: { from: START_MS, to: START_MS + MINUTE_MS, tsMicros: true },
    });
    const [rr] = channels;
    expect([rr?.type, rr?.dimensions, channels.length]).toEqual(['RR', ['rr'], 1]);
    const inside = beatsUs.filter((us, i) => i > 0 && us <= (START_MS + MINUTE_MS) * 1000);
    expect(rr?.times).toHaveLength(inside.length);
    for (const [i, us] of rr!.times.entries()) expect(Math.abs(us - inside[i]!)).toBeLessThan(3000);
    expect(rr?.values.rr?.[0]).toBeCloseTo((beatsUs[1]! - beatsUs[0]!) / 1e6, 2);
    for (const [i, us] of rr!.times.entries())
      if (i > 0) expect(Math.abs(us - rr!.times[i - 1]! - 1e6 * rr!.values.rr![i]!)).toBeLessThan(2);
  });

  it('shows its gap, and none where only a page ends', async () => {
    const { channels } = await api.client.call('getRecordingOverview', { params: params(rrId) });
    const gaps = channels[0]!.gaps.map(({ startTs, stopTs }) => [startTs - START_MS, stopTs - START_MS]);
    expect(gaps).toHaveLength(1);
    expect(gaps[0]![0]).toBeGreaterThan(5 * MINUTE_MS - 1000);
    expect(gaps[0]![0]).toBeLessThanOrEqual(5 * MINUTE_MS);
    expect(Math.abs(gaps[0]![1]! - 6 * MINUTE_MS)).toBeLessThan(1000);
    expect(channels[0]!.gaps[0]!.reason).toBe('LINK_LOST');
    expect(channels[0]!.maxima.rr!.filter((value) => value !== null).length).toBeGreaterThan(400);
  });

  it('explains its gap and its early end by its marks', async () => {
    const { items } = await api.client.call('listGaps', {
      params: place,
      query: { from: START_MS, to: START_MS + 11 * MINUTE_MS },
    });
    expect(items.map(({ recordingId, causes }) => [recordingId, causes.map(({ code }) => code)])).toEqual([
      [rrId, ['LINK_LOST']],
      [undefined, ['SENSOR_RESTART']],
    ]);
  });

  it('gives its beats with what they are used for, the same in every window', async () => {
    const beatsIn = async (from: number, to: number) =>
      (await api.client.call('getRecordingBeats', { params: params(rrId), query: { from, to } })).beats;
    const whole = await beatsIn(START_MS, START_MS + 5 * MINUTE_MS - 1);
    const parts = [];
    for (let minute = 0; minute < 5; minute++)
      parts.push(...(await beatsIn(START_MS + minute * MINUTE_MS, START_MS + (minute + 1) * MINUTE_MS - 1)));
    expect(parts).toEqual(whole);
    const odd = whole.filter(({ use }) => use !== 'USED');
    expect(odd).toHaveLength(1);
    expect(Math.abs(odd[0]!.timeUs - beatsUs[200]!)).toBeLessThan(3000);
    expect(whole.filter(({ isAfterBreak }) => isAfterBreak)).toHaveLength(1);
    expect(odd[0]!.intervalMs).toBeCloseTo((beatsUs[200]! - beatsUs[199]!) / 1000, -1);
  });

  it('is verified, imported and exported', async () => {
    const checked = await verifySignalFile(path(rrId), await hashFile(path(rrId)), () => undefined);
    expect(checked.problems).toEqual([]);
    const source = await openImport([path(rrId)]);
    const pages = [];
    for await (const page of source.recordings[0]!.pages()) pages.push(page.count);
    await source.close();
    expect(source.recordings[0]!.notes).toEqual([]);

    const edf = join(api.deps.exportsDir, 'beats.edf');
    for (const layout of ['uniform', 'discontinuous', 'exact'] as const) {
      const out = `${edf}.${layout}`;
      expect((await exportEdf(path(rrId), out, { layout })).format).toBe('EDF+C');
      const text = (await readFile(out)).toString('latin1');
      expect(text.match(/RR \d\.\d{4} s/g)).toHaveLength(pages.reduce((sum, count) => sum + count, 0));
      expect(text).toContain('Fault: LINK_LOST (RR)');
    }
    const zip = join(api.deps.exportsDir, 'beats.zip');
    await exportMc10Zip(path(rrId), createWriteStream(zip));
    const members = await zipContents(await readFile(zip));
    expect([...members.keys()]).toEqual(['rr.csv', 'rr-errors.csv', 'ReadMe.txt']);
    const parquet = [];
    for await (const bytes of recordingParquet(path(rrId))) parquet.push(bytes);
    expect(Buffer.concat(parquet).subarray(0, 4).toString()).toBe('PAR1');
  });
});

it('marks pulse intervals as good for the rate only', async () => {
  const from = START_MS + 86_400_000;
  const { beats, quality } = await api.client.call('getRecordingBeats', {
    params: params(ppiId),
    query: { from, to: from + MINUTE_MS },
  });
  expect(beats.length).toBeGreaterThan(70);
  expect(new Set(beats.map(({ use }) => use))).toEqual(new Set(['EARLY_OR_ODD']));
  expect(new Set(quality?.values)).toEqual(new Set([100]));
});
