/** Compatibility of EDF downloads with third-party readers: EDFlib (through pyedflib) and MNE. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import type { ImportResult } from '../jobs/handlers/import.ts';
import { createSignalFile } from '../signals/index.ts';
import { edflibReader, missingEdfReaders, readWithMne } from '../testing/edf-readers.ts';
import { readImport } from '../testing/import-fixtures.ts';
import { addIntervalRecording } from '../testing/interval-recording.ts';
import { realData } from '../testing/real-data.ts';
import { writeReferenceEdf } from '../testing/reference-edf.ts';
import { channelOf, headerOf } from '../testing/signal-fixtures.ts';
import { addTestRecording, TEST_SCALE, testCount } from '../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, type TestSite, upload } from '../testing/test-site.ts';
import { holdsIntervals } from '../vocabulary/channels.ts';
import { type RunningSite, startSite } from './server.ts';

const missing = missingEdfReaders();
if (missing.length > 0) console.warn(`Skipped: foreign EDF readers are not installed (${missing.join(', ')}).`);
const data = { formats: realData('formats'), motion: realData('motion'), devices: realData('devices') };
const FILETYPE_EDFPLUS = 1;
const FILETYPE_DISCONTINUOUS = -10;
/** Resolution of the clock signals in exact EDF. */
const EXACT_TICK_US = 40;
/** 20:00:00.25 on 9 January in Tokyo; the UTC hour differs. */
const START_US = Date.UTC(2026, 0, 9, 11) * 1000 + 250_000;

let site: TestSite;
let server: RunningSite;
let client: Client;
let folder: string;
let subject: { studyId: string; subjectId: string };
let openWithEdflib: ReturnType<typeof edflibReader>;

async function importFiles(paths: string[], fields: Record<string, string> = {}): Promise<ImportResult> {
  const job = await upload(client, subject, paths, fields);
  const ended = await jobEnd(client, job.id);
  expect(ended.error).toBeUndefined();
  return ended.result as ImportResult;
}

type Format = 'edf' | 'edf-d' | 'edf-exact' | 'bdf';
async function download(recordingId: string, format: Format = 'edf'): Promise<string> {
  const params = { studyId: subject.studyId, recordingId };
  const { href } = await client.call('getRecordingExport', { params, query: { format } });
  const response = await fetch(href);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-disposition')).toContain(`recording-${recordingId}.${format.slice(0, 3)}"`);
  const path = join(folder, `${crypto.randomUUID()}.${format.slice(0, 3)}`);
  await writeFile(path, Buffer.from(await response.arrayBuffer()));
  return path;
}

describe.skipIf(missing.length > 0)('an EDF download', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outpost-edf-readers-'));
    openWithEdflib = edflibReader(folder);
    site = await makeTestSite();
    server = await startSite({ dir: site.dir, port: 0 });
    client = await signIn(server.url);
    const { studyId } = site;
    const body = { displayName: 'S 01', timezone: 'Asia/Tokyo', gender: 'FEMALE' } as const;
    subject = { studyId, subjectId: (await client.call('createSubject', { params: { studyId }, body })).id };
  });
  afterAll(async () => {
    await server?.close();
    await site?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('has the intervals of a strap as annotations, without any signal', async () => {
    const beatsUs = [START_US];
    for (let i = 1; i < 200; i++) beatsUs.push(beatsUs.at(-1)! + 1000 * Math.round(800 + 25 * Math.sin(i / 3)));
    const { store, signalsDir } = server.folder;
    const { id } = await addIntervalRecording(store, signalsDir, subject, beatsUs);
    for (const format of ['edf', 'edf-d', 'bdf'] as const) {
      const path = await download(id, format);
      const file = openWithEdflib(path);
      expect(file.error).toBeUndefined();
      expect(file.signals).toEqual([]);
      const texts = file.annotations.map(({ text }) => text);
      expect(texts.filter((text) => /^RR \d\.\d{4} s$/.test(text))).toHaveLength(199);
      const mne = readWithMne(path);
      expect(mne.channels).toEqual([]);
      expect(mne.annotations.map(({ text }) => text)).toEqual(texts);
    }
  });

  it('preserves the counts, local start, gap and labels of an evenly sampled recording', async () => {
    const { store, signalsDir } = server.folder;
    const { id } = await addTestRecording(store, signalsDir, subject, {
      startUs: START_US,
      durationSeconds: 300,
      missingMinutes: [2],
    });
    const label = { ...subject, type: 'recording', startTs: START_US / 1000 + 10_000 } as const;
    await store.annotations.addLabels(
      [
        { ...label, displayName: '歩行', value: 'slow', stopTs: label.startTs + 5000, recordingId: id },
        { ...label, type: 'subject', displayName: 'Before', startTs: START_US / 1000 - 4000, stopTs: label.startTs },
      ],
      { actor: { type: 'USER', id: site.userId } },
    );
    const path = await download(id);
    const places = [0, 7499, 29_999, 30_000, 44_999, 45_000, 74_999];
    const file = openWithEdflib(path, places);
    expect(file).toMatchObject({
      fileType: FILETYPE_EDFPLUS,
      start: '2026-01-09T20:00:00',
      startSubsecond: 2_500_000,
      // EDFlib returns underscores in a subfield as spaces.
      patientCode: 'S 01',
      sex: 'Female',
      equipment: 'Outpost',
    });
    expect(file.additional.trim()).toBe('TZ=+09:00 MEDIAL_CHEST NONE AA:BB:CC:00:00:01');
    expect(file.signals.map(({ label: name, unit }) => [name.trim(), unit.trim()])).toEqual([
      ...['X', 'Y', 'Z'].map((axis) => [`Accel ${axis}`, 'g']),
      ['ECG', 'mV'],
    ]);
    const seconds = file.recordDuration / 1e7;
    expect(file.signals.map(({ samplesPerRecord }) => samplesPerRecord / seconds)).toEqual([31.25, 31.25, 31.25, 250]);
    const isFiller = (place: number) => place >= 30_000 && place < 45_000;
    const ecg = file.signals[3]!;
    expect(ecg.at.map((pair) => pair![0])).toEqual(places.map((i) => (isFiller(i) ? 0 : testCount(i, 0))));
    for (const [i, pair] of ecg.at.entries()) {
      const expected = isFiller(places[i]!) ? 0 : testCount(places[i]!, 0) * TEST_SCALE.ECG * 1000;
      expect(Math.abs(pair![1] - expected)).toBeLessThan(0.006);
    }
    const annotations = file.annotations.map(({ onset, duration, text }) => [onset, Number(duration), text]);
    // The last record is padded after the last sample.
    const rest = (file.records * file.recordDuration) / 1e7 - 300;
    expect(rest).toBeLessThan(seconds);
    expect(annotations).toEqual([
      [0, 10, 'Before (began earlier)'],
      [10, 5, '歩行: slow'],
      [120, 60, 'Gap: ACCEL'],
      [120, 60, 'Gap: ECG'],
      [300, expect.closeTo(rest, 6), 'Gap: ACCEL'],
      [300, expect.closeTo(rest, 6), 'Gap: ECG'],
    ]);
    const mne = readWithMne(path, places);
    expect(mne).toMatchObject({ rate: 250, start: '2026-01-09T20:00:00+00:00', samples: ecg.samples });
    expect(mne.channels).toEqual(['Accel X', 'Accel Y', 'Accel Z', 'ECG']);
    for (const [i, value] of mne.at[3]!.entries()) expect(value * 1000).toBeCloseTo(ecg.at[i]![1], 6);
    expect(mne.annotations.map(({ onset, duration, text }) => [onset, duration, text])).toEqual(annotations);
  });

  it('is regenerated after a label is added', async () => {
    const { store, signalsDir } = server.folder;
    const startUs = START_US + 86_400e6;
    const { id } = await addTestRecording(store, signalsDir, subject, { startUs });
    const labels = async () =>
      openWithEdflib(await download(id)).annotations.filter(({ text }) => !text.startsWith('Gap: '));
    expect(await labels()).toEqual([]);
    const span = { startTs: startUs / 1000 + 1000, stopTs: startUs / 1000 + 2000 };
    const label = { ...subject, ...span, type: 'recording', displayName: 'Late', recordingId: id } as const;
    await store.annotations.addLabels([label], { actor: { type: 'USER', id: site.userId } });
    expect(await labels()).toMatchObject([{ onset: 1, text: 'Late' }]);
  });

  it('places every sample of a drifting sensor at its time, hours into the recording', async () => {
    const path = join(folder, 'drift.sig');
    const startUs = START_US + 2 * 86_400e6;
    const header = headerOf([{ ...channelOf('ECG', ['v'], 250), scale: [1e-6] }]);
    const writer = await createSignalFile(path, header);
    const amplitude = 20_000;
    const sine = (us: number) => Math.round(amplitude * Math.sin((2 * Math.PI * 11 * (us - startUs)) / 1e6));
    const stretches: [number, number][] = [];
    let nextUs = startUs;
    for (let minute = 0; minute < 180; minute++) {
      const periodUs = 1e6 / (245 + 7 * Math.sin(minute / 30) ** 2);
      const count = Math.round(60e6 / periodUs);
      const isLost = minute % 50 === 30;
      if (!isLost) {
        const counts = Int16Array.from({ length: count }, (_, i) => sine(nextUs + i * periodUs));
        await writer.append({ channel: 0, startUs: nextUs, periodUs, count, columns: [counts] });
        stretches.push([nextUs, nextUs + (count - 1) * periodUs]);
      }
      nextUs = Math.round(nextUs + count * periodUs);
    }
    await writer.finish();
    const { recordings } = await importFiles([path]);
    const edf = await download(recordings[0]!.id);
    const all = openWithEdflib(edf);
    const rate = (all.signals[0]!.samplesPerRecord * 1e7) / all.recordDuration;
    const samples = stretches.reduce((sum, [from, to]) => sum + ((to - from) * 250) / 1e6, 0);
    expect(rate).toBeGreaterThan(245);
    expect(rate).toBeLessThan(252);
    expect(samples).toBeGreaterThan(2e6);
    const places = Array.from({ length: 4000 }, (_, i) => i * 661 + 13).filter((i) => i < all.signals[0]!.samples);
    const { signals, annotations } = openWithEdflib(edf, places);
    let checked = 0;
    let farthest = 0;
    for (const [i, place] of places.entries()) {
      const us = startUs + (place * 1e6) / rate;
      const within = stretches.some(([from, to]) => us >= from + 40_000 && us <= to - 40_000);
      const isGap = annotations.some(
        ({ onset, duration }) => us >= startUs + onset * 1e6 - 1 && us < startUs + (onset + Number(duration)) * 1e6 - 1,
      );
      if (isGap) expect(signals[0]!.at[i]![0]).toBe(0);
      if (!within) continue;
      expect(isGap).toBe(false);
      checked++;
      farthest = Math.max(farthest, Math.abs(signals[0]!.at[i]![0] - sine(us)));
    }
    expect(checked).toBeGreaterThan(3000);
    // An 11 Hz signal changes by 7 % of its amplitude per millisecond, so this allows 10 us plus the rounding of counts.
    expect(farthest).toBeLessThan(amplitude * 0.001);
    expect(annotations.filter(({ text }) => text === 'Gap: ECG').length).toBeGreaterThanOrEqual(3);
    expect(readWithMne(edf).rate).toBeCloseTo(rate, 6);
  });

  it('is rejected by EDFlib only as EDF+D', async () => {
    const { store, signalsDir } = server.folder;
    const { id } = await addTestRecording(store, signalsDir, subject, {
      startUs: START_US + 3 * 86_400e6,
      durationSeconds: 240,
      missingMinutes: [1, 2],
    });
    expect(openWithEdflib(await download(id, 'edf-d')).error).toBe(FILETYPE_DISCONTINUOUS);
    expect(openWithEdflib(await download(id, 'edf-exact')).error).toBe(FILETYPE_DISCONTINUOUS);
    expect(openWithEdflib(await download(id, 'bdf')).signals).toHaveLength(4);
    for (const format of ['edf', 'edf-d', 'edf-exact', 'bdf'] as const) {
      const { channels } = await readImport([await download(id, format)]);
      const ecg = channels.find(({ channel }) => channel.type === 'ECG')!;
      const kept = Array.from({ length: 60_000 }, (_, i) => i).filter((i) => i < 15_000 || i >= 45_000);
      expect(ecg.counts[0]!.length).toBe(kept.length);
      expect(ecg.counts[0]!.findIndex((count, i) => count !== testCount(kept[i]!, 0))).toBe(-1);
      const startUs = START_US + 3 * 86_400e6;
      const lateUs = ecg.timesUs.map((us, i) => Math.abs(us - startUs - kept[i]! * 4000));
      expect(Math.max(...lateUs)).toBeLessThanOrEqual(EXACT_TICK_US);
    }
  });

  describe.runIf(data.formats && data.motion && data.devices)('of a real recording', () => {
    it('contains every beat of MIT-BIH record 100 at its time', async () => {
      const paths = ['100.hea', '100.dat', '100.atr'].map((name) => join(data.formats!, 'wfdb', name));
      const startTs = 1_700_000_000_000;
      const { recordings, labels } = await importFiles(paths, { location: 'ECG_LEAD_II', startTs: String(startTs) });
      const edf = await download(recordings[0]!.id);
      const file = openWithEdflib(edf, [0, 1000, 649_999]);
      expect(file.signals.map(({ label, samples }) => [label.trim(), samples])).toEqual([
        ['ECG', 650_160],
        ['ECG V5', 650_160],
      ]);
      const beats = file.annotations.filter(({ text }) => !text.startsWith('Gap: '));
      expect(beats).toHaveLength(labels);
      expect(labels).toBeGreaterThan(2000);
      expect(file.annotations.filter(({ text }) => text.startsWith('Gap: '))).toHaveLength(1);
      const original = await readImport(paths, { defaultStartUs: startTs * 1000 });
      const farthest = original.labels.reduce(
        (most, { startUs }, i) => Math.max(most, Math.abs((startUs - startTs * 1000) / 1e6 - beats[i]!.onset)),
        0,
      );
      expect(farthest).toBeLessThanOrEqual(0.001);
      const named = ({ displayName, value }: (typeof original.labels)[number]) =>
        value ? `${displayName}: ${value}` : displayName;
      expect(beats.findIndex(({ text }, i) => text !== named(original.labels[i]!))).toBe(-1);
      expect(file.signals[0]!.at.map((pair) => pair![0])).toEqual(
        [0, 1000, 649_999].map((i) => original.channels[0]!.counts[0]![i]),
      );
      expect(readWithMne(edf).annotations).toHaveLength(labels + 1);
    });

    const REAL: [string, () => Promise<string[]>, Record<string, string>][] = [
      ['a wrist sensor with jittered stamps', async () => [join(data.formats!, 'mc10/wrist-left/accel.csv.gz')], {}],
      ['a hammer with acceleration and gyroscope', async () => [join(data.formats!, 'mc10/reflex-hammer.zip')], {}],
      ['a Bittium Faros', async () => [join(data.devices!, 'faros/testfile_read.EDF')], {}],
      [
        'a thigh sensor with cuts',
        async () => {
          const path = join(folder, 'harth.edf');
          await writeReferenceEdf(join(data.motion!, 'harth/harth-S026.json'), path, { site: 'thigh' });
          return [path];
        },
        {},
      ],
    ];
    it.each(REAL)('%s opens in both readers with its gaps in place', async (_, files, fields) => {
      const { recordings } = await importFiles(await files(), { location: 'WRIST', ...fields });
      const { id } = recordings[0]!;
      const edf = await download(id);
      const original = await readImport([join(server.folder.signalsDir, `${id}.sig`)]);
      // Beat intervals are annotations.
      const signals = original.channels.filter(({ channel }) => !holdsIntervals(channel));
      const file = openWithEdflib(edf);
      expect(file.fileType).toBe(FILETYPE_EDFPLUS);
      expect(file.signals).toHaveLength(signals.reduce((sum, { counts }) => sum + counts.length, 0));
      const again = await readImport([edf]);
      const byType = new Map(again.channels.map((one) => [one.channel.type, one]));
      for (const { channel, timesUs, counts } of signals) {
        const other = byType.get(channel.type)!;
        const periodUs =
          file.recordDuration /
          10 /
          file.signals.find(({ label }) => label.toUpperCase().startsWith(channel.type))!.samplesPerRecord;
        expect(Math.abs(other.timesUs.length / timesUs.length - 1)).toBeLessThan(0.002);
        expect(Math.abs(other.timesUs[0]! - timesUs[0]!)).toBeLessThanOrEqual(periodUs / 2 + 1);
        expect(Math.abs(other.timesUs.at(-1)! - timesUs.at(-1)!)).toBeLessThanOrEqual(periodUs / 2 + 1);
        const breaks = (times: readonly number[]) =>
          times.flatMap((us, i) => (us - (times[i - 1] ?? us) > periodUs * 2.5 ? [us] : []));
        const found = breaks(other.timesUs);
        expect(found).toHaveLength(breaks(timesUs).length);
        breaks(timesUs).forEach((us, i) => {
          expect(Math.abs(found[i]! - us)).toBeLessThanOrEqual(periodUs / 2 + 1);
        });
        const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
        counts.forEach((column, d) => {
          const middle = mean(column);
          const spread = Math.sqrt(mean(column.map((value) => (value - middle) ** 2)));
          expect(Math.abs(mean(other.counts[d]!) - middle)).toBeLessThanOrEqual(Math.max(1, spread * 0.02));
        });
      }
      expect(readWithMne(edf).channels).toHaveLength(file.signals.length);
    });
  });
});
