import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignalFile } from '../../signals/index.ts';
import type { SignalChannel, SignalHeader, SignalPage } from '../../signals/types.ts';
import { importToSignalFile, readImport } from '../../testing/import-fixtures.ts';
import { writeIntervalRecording } from '../../testing/interval-recording.ts';
import { realData } from '../../testing/real-data.ts';
import { channelOf, headerOf } from '../../testing/signal-fixtures.ts';
import { evenBeats, syntheticEcgChunk } from '../../testing/synthetic-ecg.ts';
import { csvRows, zipContents } from '../../testing/zip-contents.ts';
import { beatText } from '../beats/files.ts';
import { writeWfdbZip } from './record.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-wfdb-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes the members of the ZIP to a folder of their own. */
async function exported(signalPath: string) {
  const path = join(folder, `${crypto.randomUUID()}.zip`);
  await writeWfdbZip(signalPath, path);
  const members = await zipContents(await readFile(path));
  const dir = await mkdtemp(join(folder, 'record-'));
  for (const [name, bytes] of members) await writeFile(join(dir, name), bytes);
  return { dir, members };
}

const textOf = async (form: 'csv' | 'kubios', signalPath: string): Promise<string> =>
  (await Array.fromAsync(beatText(form, signalPath))).join('');

const rowsOf = async (signalPath: string) => csvRows(await textOf('csv', signalPath)).slice(1);

async function signalFile(channels: SignalChannel[], pages: SignalPage[]): Promise<string> {
  const header = headerOf(channels);
  const path = join(folder, `${crypto.randomUUID()}.sig`);
  const writer = await createSignalFile(path, header);
  for (const page of pages) await writer.append(page);
  await writer.finish();
  return path;
}

const START_US = 1_700_000_000_000_000;

/** Two stretches of ECG at 250 Hz, a minute each, with a gap of 30 s between them. */
async function ecgWithGap(): Promise<string> {
  const seconds = 60;
  const pages = [0, seconds + 30].map((afterSeconds): SignalPage => {
    const beats = evenBeats(seconds, 0.8);
    const { columns } = syntheticEcgChunk({ seconds, beats, rateHz: 250 });
    const count = columns[0]!.length;
    return {
      channel: 0,
      startUs: START_US + afterSeconds * 1e6,
      periodUs: 4000,
      count,
      columns: [Int16Array.from(columns[0]!)],
    };
  });
  return await signalFile([{ ...channelOf('ECG', ['v'], 250), scale: [1e-6], unit: 'V' }], pages);
}

describe('WFDB', () => {
  const formats = realData('formats');
  it.runIf(formats)('writes the counts of MIT-BIH record 100 again, with its gain and baseline', async () => {
    const source = `${formats}/wfdb/100.hea`;
    const original = await readImport([source]);
    const { dir } = await exported(await importToSignalFile([source], folder));
    for (const [index, { channel, counts }] of original.channels.entries()) {
      const name = index === 0 ? 'ecg' : `ecg_${index + 1}`;
      const again = await readImport([join(dir, `${name}.hea`)]);
      expect(again.channels[0]!.counts).toEqual(counts);
      expect(again.channels[0]!.channel.scale[0]).toBeCloseTo(channel.scale[0]!, 12);
      expect(again.channels[0]!.values[0]!.slice(0, 1000)).toEqual(
        original.channels[index]!.values[0]!.slice(0, 1000).map((value) => expect.closeTo(value, 9)),
      );
      expect(again.channels[0]!.timesUs.at(-1)).toBeCloseTo(original.channels[index]!.timesUs.at(-1)!, -3);
    }
    // The beats are those of the reference, within a tenth of a second.
    const reference = original.labels.filter(({ displayName }) => /beat|contraction/i.test(displayName));
    const beats = (await readImport([join(dir, 'ecg.hea'), join(dir, 'ecg.qrs')])).labels;
    const near = reference.filter(({ startUs }) => beats.some((beat) => Math.abs(beat.startUs - startUs) < 1e5));
    expect(near.length / reference.length).toBeGreaterThan(0.99);
  });

  it('marks what was not recorded as no sample, and places beats on the samples of both stretches', async () => {
    const path = await ecgWithGap();
    const { dir, members } = await exported(path);
    const header = members.get('ecg.hea')!.toString();
    expect(header).toContain('ecg 1 250 37500 22:13:20.000 14/11/2023');
    const data = members.get('ecg.dat')!;
    const counts = new Int16Array(data.buffer, data.byteOffset, data.length / 2);
    expect(counts.length).toBe(150 * 250);
    expect(counts.every((count, i) => (count === -32_768) === (i >= 60 * 250 && i < 90 * 250))).toBe(true);
    const sum = counts.reduce((total, count) => total + count, 0);
    expect(header).toContain(` ${counts[0]} ${((sum & 0xffff) << 16) >> 16} 0 ECG`);
    // WFDB defines -32768 as no sample, so an import finds the gap again.
    const again = await readImport([join(dir, 'ecg.hea'), join(dir, 'ecg.qrs')]);
    const rows = await rowsOf(path);
    expect(rows.length).toBeGreaterThan(140);
    expect(again.labels.length).toBe(rows.length);
    for (const [i, { startUs }] of again.labels.entries()) {
      expect(Math.abs(startUs - Number(rows[i]![0]))).toBeLessThanOrEqual(2001);
    }
    const breaks = rows.filter(([, , , , , isAfterBreak]) => isAfterBreak === '1');
    expect(breaks.length).toBe(2);
    for (const [, , rrMs, isNN] of breaks) expect([rrMs, isNN]).toEqual(['', '0']);
  });
});

describe('text of beats', () => {
  it('has the intervals of an ECG in ms, and none over a gap', async () => {
    const path = await ecgWithGap();
    const rows = await rowsOf(path);
    const used = rows.filter(([, , , isNN]) => isNN === '1').map(([, , rrMs]) => Number(rrMs));
    expect(used.length).toBeGreaterThan(130);
    for (const rrMs of used) expect(rrMs).toBeCloseTo(800, -1);
    for (const [us, utc] of rows) expect(new Date(utc!).getTime()).toBe(Math.floor(Number(us) / 1000));
    const kubios = (await textOf('kubios', path))
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t').map(Number));
    expect(kubios.length).toBe(rows.filter(([, , rrMs]) => rrMs !== '').length);
    let steps = 0;
    for (const [i, [seconds, rr]] of kubios.entries()) {
      const before = kubios[i - 1]?.[0] ?? 0;
      if (Math.abs(seconds! - before - rr!) > 0.001) steps += 1;
    }
    expect(steps).toBe(1);
  });

  it('has shifted times and the same intervals in a de-identified view', async () => {
    const path = await ecgWithGap();
    const shiftUs = -7 * 86_400e6;
    const view = { header: (header: SignalHeader) => header, reason: (reason: string) => reason, shiftUs };
    const shown = csvRows((await Array.fromAsync(beatText('csv', path, { view }))).join('')).slice(1);
    const rows = await rowsOf(path);
    expect(shown.map(([us]) => Number(us))).toEqual(rows.map(([us]) => Number(us) + shiftUs));
    expect(shown.map(([, , rrMs]) => rrMs)).toEqual(rows.map(([, , rrMs]) => rrMs));
  });

  it('has the intervals that a strap reported', async () => {
    const beatsUs = Array.from({ length: 300 }, (_, i) => START_US + i * 850_000);
    const { path } = await writeIntervalRecording(folder, beatsUs);
    const rows = await rowsOf(path);
    const used = rows.filter(([, , , isNN]) => isNN === '1');
    expect(used.length).toBeGreaterThan(280);
    for (const [, , rrMs] of used) expect(Math.abs(Number(rrMs) - 850)).toBeLessThan(1);
    const { members } = await exported(path);
    expect([...members.keys()].sort()).toEqual(['ReadMe.txt', 'rr.hea', 'rr.qrs']);
  });

  it('is refused for a recording without heartbeats', async () => {
    const channel = channelOf('ACCEL', ['x', 'y', 'z'], 50);
    const column = new Int16Array(500);
    const page = { channel: 0, startUs: START_US, periodUs: 20_000, count: 500, columns: [column, column, column] };
    const path = await signalFile([channel], [page]);
    await expect(textOf('csv', path)).rejects.toMatchObject({ code: 'FILE_EMPTY' });
    const { members } = await exported(path);
    expect([...members.keys()].sort()).toEqual(['ReadMe.txt', 'accel.dat', 'accel.hea']);
  });
});
