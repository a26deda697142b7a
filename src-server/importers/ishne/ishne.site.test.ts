import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImport } from '../../testing/import-fixtures.ts';
import { realData } from '../../testing/real-data.ts';
import { openImport } from '../index.ts';
import { crcCcitt } from './ishne-header.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-ishne-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const RATE = 200;
const START_US = Date.UTC(2021, 5, 3, 7, 8, 9) * 1000;

interface Made {
  codes?: number[];
  samples: number[][];
  variable?: string;
  declared?: number;
  change?: (header: Buffer) => void;
  magic?: string;
}

/** An ISHNE file; samples by time, then by lead. */
function made({ codes = [5, 6], samples, variable = '', declared, change, magic = 'ISHNE1.0' }: Made): Buffer {
  const header = Buffer.alloc(522 + variable.length);
  header.write(magic, 0, 'latin1');
  header.writeInt32LE(variable.length, 10);
  header.writeInt32LE(declared ?? samples.length, 14);
  header.writeInt32LE(522, 18);
  header.writeInt32LE(header.length, 22);
  header.writeInt16LE(1, 26);
  header.write('Jane', 28);
  header.write('Doe', 68);
  header.write('P-017', 108);
  [3, 6, 2021].forEach((value, i) => {
    header.writeInt16LE(value, 138 + 2 * i);
  });
  [7, 8, 9].forEach((value, i) => {
    header.writeInt16LE(value, 150 + 2 * i);
  });
  header.writeInt16LE(codes.length, 156);
  codes.forEach((code, i) => {
    header.writeInt16LE(code, 158 + 2 * i);
    header.writeInt16LE(2000 + i, 206 + 2 * i);
  });
  header.write('Holter 9', 232);
  header.writeInt16LE(RATE, 272);
  header.write(variable, 522);
  header.writeUInt16LE(crcCcitt(header.subarray(10)), 8);
  change?.(header);
  const data = Buffer.alloc(samples.length * codes.length * 2);
  samples.flat().forEach((value, i) => {
    data.writeInt16LE(value, 2 * i);
  });
  return Buffer.concat([header, data]);
}

const frames = (count: number): number[][] => Array.from({ length: count }, (_, i) => [i, -i]);

async function saved(files: Record<string, Buffer>): Promise<string[]> {
  const place = join(folder, crypto.randomUUID());
  await mkdir(place);
  return Promise.all(
    Object.entries(files).map(async ([name, bytes]) => {
      await writeFile(join(place, name), bytes);
      return join(place, name);
    }),
  );
}

const read = async (bytes: Buffer) => readImport(await saved({ 'a.ecg': bytes }), { timeZone: 'UTC' });

describe('ISHNE files made by the standard', () => {
  it('read with their leads, resolution, start and recorder, and without the name', async () => {
    const { channels, header, notes } = await read(made({ samples: frames(500), variable: 'history' }));
    expect(channels.length).toBe(1);
    expect(channels[0]!.channel).toMatchObject({
      type: 'ECG',
      dimensions: ['v', 'ii'],
      unit: 'V',
      nominalRateHz: RATE,
    });
    expect(channels[0]!.counts).toEqual([frames(500).map(([a]) => a), frames(500).map(([, b]) => (b === 0 ? 0 : b))]);
    expect(channels[0]!.values[1]![100]).toBeCloseTo(-100 * 2001e-9, 15);
    expect(channels[0]!.timesUs.at(-1)).toBe(START_US + 499 * 5000);
    expect(header).toMatchObject({ hardwareId: 'Holter 9', device: { subjectCode: 'P-017' } });
    expect(JSON.stringify(header)).not.toMatch(/Jane|Doe/);
    expect(notes.filter((note) => !note.includes('P-017'))).toEqual([]);
  });

  it('ask for the zone, which counts for the start', async () => {
    const paths = await saved({ 'a.ecg': made({ samples: frames(10) }) });
    const { channels } = await readImport(paths, { timeZone: 'Asia/Tokyo' });
    expect(channels[0]!.timesUs[0]).toBe(START_US - 9 * 3600e6);
    const source = await openImport(paths);
    expect(source.clock).toEqual({ kind: 'WALL_CLOCK', wallStart: '2021-06-03T07:08:09.000' });
    await source.close();
  });

  it('need a start where the date is zeros or -9', async () => {
    for (const value of [0, -9]) {
      const change = (header: Buffer): void => {
        for (const at of [138, 140, 142]) header.writeInt16LE(value, at);
      };
      const paths = await saved({ 'a.ecg': made({ samples: frames(10), change }) });
      await expect(openImport(paths)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect((await readImport(paths)).channels[0]!.counts[0]!.length).toBe(10);
    }
  });

  it('leave a lead open while it was off, with a mark, and other leads whole', async () => {
    const samples = frames(30_000);
    for (let i = 1000; i < 14_000; i++) samples[i]![1] = -32_768;
    const { channels, marks } = await read(made({ samples }));
    expect(channels.map(({ channel }) => [channel.type, channel.dimensions])).toEqual([
      ['ECG', ['v']],
      ['ECG_2', ['ii']],
    ]);
    expect(channels[0]!.counts[0]!.length).toBe(30_000);
    expect(channels[1]!.counts[0]!.length).toBe(17_000);
    expect(channels[1]!.timesUs[1000]).toBe(START_US + 14_000 * 5000);
    expect(marks).toEqual([{ channel: 1, timeUs: START_US + 999 * 5000, reason: 'LEAD_OFF' }]);
  });

  it('read what is whole: cut, of a wrong count, of a wrong checksum', async () => {
    const whole = made({ samples: frames(500) });
    const cut = await read(whole.subarray(0, whole.length - 203));
    expect(cut.channels[0]!.counts[0]!.length).toBe(449);
    expect(cut.notes.join()).toMatch(/51 of 500 samples of each lead are missing/);
    const total = await read(made({ samples: frames(500), declared: 1000 }));
    expect(total.channels[0]!.counts[0]!.length).toBe(500);
    expect(total.notes.join()).toMatch(/names 1000 samples, which is the total of its leads/);
    const fewer = await read(made({ samples: frames(500), declared: 490 }));
    expect(fewer.channels[0]!.counts[0]!.length).toBe(490);
    expect(fewer.notes.join()).toMatch(/10 samples of each lead after/);
    const wrong = await read(made({ samples: frames(500), change: (header) => header.writeUInt16LE(1, 8) }));
    expect(wrong.channels[0]!.counts[0]!.length).toBe(500);
    expect(wrong.notes.join()).toMatch(/does not match its checksum/);
  });

  it.each([
    ['no leads', (header: Buffer) => header.writeInt16LE(0, 156)],
    ['thirteen leads', (header: Buffer) => header.writeInt16LE(13, 156)],
    ['no rate', (header: Buffer) => header.writeInt16LE(0, 272)],
    ['no resolution', (header: Buffer) => header.writeInt16LE(-9, 206)],
  ])('are refused with %s', async (_, change) => {
    await expect(read(made({ samples: frames(10), change }))).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });

  it('are refused without samples, or inside the header', async () => {
    await expect(read(made({ samples: [] }))).rejects.toMatchObject({ code: 'FILE_EMPTY' });
    await expect(read(made({ samples: frames(5) }).subarray(0, 400))).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });
});

describe('ISHNE annotations', () => {
  const recording = made({ samples: frames(200_000).map(() => [1, 2]) });
  const entries = (list: [string, number][]): Buffer => {
    const bytes = Buffer.alloc(4 + 4 * list.length);
    bytes.writeUInt32LE(1000, 0);
    list.forEach(([label, step], i) => {
      bytes.write(label, 4 + 4 * i, 'latin1');
      bytes.writeUInt16LE(step, 4 + 4 * i + 2);
    });
    return bytes;
  };
  const annotations = (list: [string, number][]): Buffer =>
    Buffer.concat([made({ samples: [], magic: 'ANN  1.0' }), entries(list)]);
  const list: [string, number][] = [
    ['N', 160],
    ['V', 100],
    ['!', 65_535],
    ['S', 200],
    ['N', 65_535],
    ['N', 65_535],
    ['N', 65_535],
  ];

  it('become labels when they lie beside the recording, or are given with it', async () => {
    const paths = await saved({ 'day.ecg': recording, 'day.ANN': annotations(list) });
    for (const given of [paths.slice(0, 1), paths, paths.toReversed()]) {
      const { labels, notes } = await readImport(given, { timeZone: 'UTC' });
      const at = (sample: number) => ({ startUs: START_US + sample * 5000, stopUs: START_US + sample * 5000 });
      expect(labels).toEqual([
        { ...at(1160), displayName: 'Normal beat', value: 'N' },
        { ...at(1260), displayName: 'Premature ventricular contraction', value: 'V' },
        { ...at(66_995), displayName: 'Supraventricular premature beat', value: 'S' },
        { ...at(132_530), displayName: 'Normal beat', value: 'N' },
        { ...at(198_065), displayName: 'Normal beat', value: 'N' },
      ]);
      expect(notes.join()).toMatch(/1 beats of day\.ANN lie after/);
    }
  });

  it('of another rate, or cut, cost no more than their beats', async () => {
    const other = annotations(list);
    other.writeInt16LE(128, 272);
    const paths = await saved({ 'day.ecg': recording, 'day.ann': other });
    const rate = await readImport(paths.slice(0, 1), { timeZone: 'UTC' });
    expect(rate.labels).toEqual([]);
    expect(rate.notes.join()).toMatch(/is for 128 samples per second/);
    const cut = await saved({ 'day.ecg': recording, 'day.ann': annotations(list.slice(0, 2)).subarray(0, -2) });
    const result = await readImport(cut.slice(0, 1), { timeZone: 'UTC' });
    expect(result.labels.length).toBe(1);
    expect(result.notes.join()).toMatch(/cut off inside a beat/);
  });

  it('alone are refused', async () => {
    const paths = await saved({ 'day.ann': annotations(list) });
    await expect(openImport(paths)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });
});

const real = realData('devices/ishne');

describe.runIf(real)('a Holter of a clinic', () => {
  it('reads as its truth says', async () => {
    const truth = JSON.parse(readFileSync(`${real}/truth.json`, 'utf8')).files[0];
    const { channels, header, notes } = await readImport([`${real}/${truth.file}`], { timeZone: 'UTC' });
    const { channel, counts, timesUs } = channels[0]!;
    expect(channel).toMatchObject({ type: 'ECG', dimensions: ['v', 'lead_2', 'lead_3'], nominalRateHz: truth.rateHz });
    for (const [d, nanovolts] of (truth.resolutionNv as number[]).entries()) {
      expect(channel.scale[d]).toBeCloseTo(nanovolts * 1e-9, 15);
    }
    expect(header.hardwareId).toBe(truth.recorder);
    expect(notes).toEqual([]);
    const expected = truth.ecgCounts;
    expect(counts[0]!.length).toBe(expected.count);
    const rowAt = (i: number): number[] => counts.map((column) => column[i]!);
    expect([0, 1, 2, 3, 4].map(rowAt)).toEqual(expected.first);
    expect([3, 2, 1].map((back) => rowAt(expected.count - back))).toEqual(expected.last);
    for (const [i, row] of Object.entries(expected.at)) expect(rowAt(Number(i))).toEqual(row);
    const over = (reduce: (a: number, b: number) => number, from: number) =>
      counts.map((column) => column.reduce(reduce, from));
    expect(over((a, b) => Math.min(a, b), 0)).toEqual(expected.min);
    expect(over((a, b) => Math.max(a, b), 0)).toEqual(expected.max);
    expect(over((a, b) => a + b, 0)).toEqual(expected.sum);
    expect(over((a, b) => a + Math.abs(b), 0)).toEqual(expected.sumAbs);
    expect(timesUs[0]).toBe(truth.startLocalUs);
    expect(timesUs.at(-1)).toBe(Math.round(truth.startLocalUs + ((expected.count - 1) * 1e6) / truth.rateHz));
  });
});
