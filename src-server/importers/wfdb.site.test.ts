/** WFDB records: formats, missing samples, names of files, and starts around a clock change. */
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImport } from '../testing/import-fixtures.ts';
import { realData } from '../testing/real-data.ts';
import { openImport } from './index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-wfdb-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

/** Least significant byte first. */
const little = (values: number[], bytes: number): Buffer =>
  Buffer.from(values.flatMap((value) => Array.from({ length: bytes }, (_, i) => (value >> (8 * i)) & 255)));

const inGroups = (values: number[], size: number): number[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, i) => values.slice(size * i, size * (i + 1)));

/** Encoders written from signal(5), independently of the decoders. */
const ENCODERS: Record<number, { missing: number; encode(values: number[]): Buffer }> = {
  16: { missing: -32_768, encode: (values) => little(values, 2) },
  61: { missing: -32_768, encode: (values) => Buffer.from(little(values, 2)).swap16() },
  24: { missing: -(2 ** 23), encode: (values) => little(values, 3) },
  32: { missing: -(2 ** 31), encode: (values) => little(values, 4) },
  80: { missing: -128, encode: (values) => Buffer.from(values.map((value) => value + 128)) },
  160: {
    missing: -32_768,
    encode: (values) =>
      little(
        values.map((value) => value + 32_768),
        2,
      ),
  },
  212: {
    missing: -2048,
    encode: (values) =>
      Buffer.from(
        inGroups(values, 2).flatMap(([a = 0, b = 0]) => [a & 255, ((a >> 8) & 15) | (((b >> 8) & 15) << 4), b & 255]),
      ),
  },
  310: {
    missing: -512,
    encode: (values) =>
      Buffer.concat(
        inGroups(values, 3).map(([a = 0, b = 0, c = 0]) =>
          little([((a & 1023) << 1) | ((c & 31) << 11), ((b & 1023) << 1) | (((c >> 5) & 31) << 11)], 2),
        ),
      ),
  },
  311: {
    missing: -512,
    encode: (values) =>
      Buffer.concat(
        inGroups(values, 3).map(([a = 0, b = 0, c = 0]) =>
          little([(a & 1023) | ((b & 1023) << 10) | ((c & 1023) << 20)], 4),
        ),
      ),
  },
};

const FRAMES = 1001;
const RATE_HZ = 250;
const level = (frame: number, lead: number): number => ((frame * (lead + 3)) % 201) - 100;

interface Lead {
  name: string;
  unit?: string;
  isMissing?: (frame: number) => boolean;
}

/** A record of leads that share one data file. */
async function record(
  name: string,
  format: number,
  leads: Lead[],
  start = '10:00:00 1/6/2024',
  dataName = `${name}.dat`,
) {
  const { missing, encode } = ENCODERS[format]!;
  const samples = Array.from({ length: FRAMES }, (_, frame) =>
    leads.map(({ isMissing }, lead) => (isMissing?.(frame) ? missing : level(frame, lead))),
  );
  const lines = leads.map(({ name: lead, unit = 'mV' }, l) => {
    const sum = samples.reduce((total, frame) => (total + frame[l]!) & 0xffff, 0);
    return `${dataName} ${format} 200/${unit} 12 0 ${samples[0]![l]} ${(sum << 16) >> 16} 0 ${lead}`;
  });
  await write(`${name}/${dataName}`, encode(samples.flat()));
  return write(`${name}/${name}.hea`, `${name} ${leads.length} ${RATE_HZ} ${FRAMES} ${start}\n${lines.join('\n')}\n`);
}

const frameOf = (timesUs: number[]): number[] =>
  timesUs.map((timeUs) => Math.round(((timeUs - START_US) * RATE_HZ) / 1e6));
const START_US = Date.UTC(2024, 5, 1, 10) * 1000;
const all = Array.from({ length: FRAMES }, (_, frame) => frame);
const isOff = (frame: number): boolean => (frame >= 300 && frame < 500) || frame === 777;

describe.each(Object.keys(ENCODERS).map(Number))('format %i', (format) => {
  it('reads every sample, and the missing ones of a lead are gaps of that lead alone', async () => {
    const leads = [{ name: 'MLII' }, { name: 'V5', isMissing: isOff }, { name: 'V1' }];
    const { channels, notes } = await readImport([await record(`f${format}`, format, leads)]);
    expect(channels.map(({ channel: { type, dimensions } }) => [type, dimensions])).toEqual([
      ['ECG', ['v', 'v1']],
      ['ECG_2', ['v5']],
    ]);
    expect(frameOf(channels[0]!.timesUs)).toEqual(all);
    expect(channels[0]!.counts).toEqual([all.map((frame) => level(frame, 0)), all.map((frame) => level(frame, 2))]);
    const kept = all.filter((frame) => !isOff(frame));
    expect(frameOf(channels[1]!.timesUs)).toEqual(kept);
    expect(channels[1]!.counts).toEqual([kept.map((frame) => level(frame, 1))]);
    expect(channels[1]!.values[0]![0]).toBeCloseTo(level(0, 1) / 200_000, 12);
    expect(notes).toEqual(['V5: 201 samples are marked as missing and are gaps of ECG_2.']);
  });
});

describe('missing samples', () => {
  it('of all leads at once are gaps of the channel they share', async () => {
    const leads = ['MLII', 'V5'].map((name) => ({ name, isMissing: isOff }));
    const { channels } = await readImport([await record('both', 212, leads)]);
    expect(channels.map(({ channel, pageCount }) => [channel.dimensions, pageCount])).toEqual([[['v', 'v5'], 3]]);
    expect(frameOf(channels[0]!.timesUs)).toEqual(all.filter((frame) => !isOff(frame)));
  });

  it('of one axis are gaps of the sensor, whose axes stay together', async () => {
    const leads = ['X', 'Y', 'Z'].map((axis) => ({
      name: `Accel ${axis}`,
      unit: 'g',
      ...(axis === 'Y' && { isMissing: isOff }),
    }));
    const { channels } = await readImport([await record('axes', 16, leads)]);
    expect(channels.map(({ channel }) => channel.dimensions)).toEqual([['x', 'y', 'z']]);
    expect(frameOf(channels[0]!.timesUs)).toEqual(all.filter((frame) => !isOff(frame)));
  });

  it('all through a lead leave it out with a note; all through a record, it is empty', async () => {
    const off = { name: 'V5', isMissing: () => true };
    const { channels, notes } = await readImport([await record('one-off', 16, [{ name: 'MLII' }, off])]);
    expect(channels.length).toBe(1);
    expect(notes.join()).toMatch(/V5 was left out: all its samples/);
    await expect(readImport([await record('all-off', 16, [off])])).rejects.toMatchObject({ code: 'FILE_EMPTY' });
  });
});

/** Beats every second in MIT format, at the times of the record's own rate. */
const beats = (count: number): Buffer =>
  Buffer.concat([
    little(
      Array.from({ length: count }, () => (1 << 10) | RATE_HZ),
      2,
    ),
    little([0], 2),
  ]);

describe('names of files', () => {
  it('are those of the header: a data file of any name leads to it, and is read with it', async () => {
    const header = await record('odd', 16, [{ name: 'MLII' }], undefined, 'night one.xyz'.replace(' ', '-'));
    for (const paths of [[header], [join(folder, 'odd/night-one.xyz')], [header, join(folder, 'odd/night-one.xyz')]]) {
      expect((await readImport(paths)).channels[0]!.counts[0]!.length).toBe(FRAMES);
    }
  });

  it('are no format: a data file that starts like a ZIP is one of the record that names it', async () => {
    const header = await write('zip-like/a.hea', 'a 1 250 4 10:00:00 1/6/2024\na.zip 16 200 12 0 19280 20310 0 MLII\n');
    const data = await write('zip-like/a.zip', Buffer.from('PK\u0003\u0004\u0001\u0000\u0002\u0000', 'latin1'));
    expect((await readImport([header, data])).channels[0]!.counts[0]).toEqual([19_280, 1027, 1, 2]);
  });

  it.each(['qrs', 'ecg', 'ari', 'pu', 'mine'])('.%s is read as annotations that carry its name', async (annotator) => {
    const header = await record(`by-${annotator}`, 16, [{ name: 'MLII' }]);
    const path = await write(`by-${annotator}/by-${annotator}.${annotator}`, beats(4));
    for (const paths of [[header], [path], [header, path]]) {
      const { labels, notes } = await readImport(paths);
      expect(labels.map(({ displayName, startUs }) => [displayName, startUs])).toEqual(
        [1, 2, 3, 4].map((second) => [`Normal beat (${annotator})`, START_US + second * 1e6]),
      );
      expect(notes).toEqual([]);
    }
  });

  it('stay known by content where another annotator comes along', async () => {
    const header = await record('known', 16, [{ name: 'MLII' }]);
    await write('known/known.atr', beats(3));
    const before = await readImport([header]);
    await write('known/known.qrs', beats(2));
    const after = await readImport([header]);
    expect(after.header.source.sha256).toBe(before.header.source.sha256);
    expect(after.labels.map(({ displayName }) => displayName)).toEqual([
      ...Array.from({ length: 3 }, () => 'Normal beat'),
      ...Array.from({ length: 2 }, () => 'Normal beat (qrs)'),
    ]);
  });

  it('that the header does not know are left out with a note, when they were given', async () => {
    const header = await record('more', 16, [{ name: 'MLII' }]);
    const text = await write('more/more.txt', 'Patient slept well.\n');
    const sheet = await write('more/protocol.pdf', '%PDF-1.4 no record');
    expect((await readImport([header])).notes).toEqual([]);
    const { notes, labels } = await readImport([header, text, sheet]);
    expect(labels).toEqual([]);
    expect(notes.map((note) => note.split(' ')[0])).toEqual(['more.txt', 'protocol.pdf']);
  });

  it('of annotations are a promise: a broken .qrs is refused', async () => {
    const header = await record('broken', 16, [{ name: 'MLII' }]);
    await write('broken/broken.qrs', beats(4).subarray(0, 6));
    await expect(openImport([header])).rejects.toMatchObject({
      code: 'FILE_DAMAGED',
      message: expect.stringMatching(/broken\.qrs.*end mark/),
    });
  });
});

it.each([7, 99, 517])('refuses format %i and names those that are read', async (format) => {
  const path = await write(`no${format}/r.hea`, `r 1 250 10 10:00:00 1/6/2024\nr.dat ${format} 200 12 0 0 0 0 MLII\n`);
  await write(`no${format}/r.dat`, Buffer.alloc(40));
  await expect(openImport([path])).rejects.toMatchObject({
    code: 'UNSUPPORTED_FORMAT',
    message: expect.stringMatching(new RegExp(`format ${format}, which is not known.*8, 16, 24.*xform`)),
  });
});

it('says that a record is not calibrated, and refuses an ECG in a unit that is no voltage', async () => {
  const open = async (gain: string, name = gain.replace('/', '-')) => {
    await write(`${name}/r.dat`, Buffer.alloc(40));
    return readImport([
      await write(`${name}/r.hea`, `r 1 250 20 10:00:00 1/6/2024\nr.dat 16 ${gain} 12 0 0 0 0 ECG\n`),
    ]);
  };
  expect((await open('0')).notes.join()).toMatch(/ECG is not calibrated; the format's 200 counts per mV/);
  expect((await open('200')).notes).toEqual([]);
  await expect(open('200/adu')).rejects.toMatchObject({
    code: 'UNIT_UNKNOWN',
    details: { column: 'ECG', unit: 'adu' },
  });
});

describe('a start around a clock change', () => {
  const at = async (name: string, start: string, options: Parameters<typeof readImport>[1]) =>
    readImport([await record(name, 16, [{ name: 'MLII' }], start)], options);

  it('that occurred twice is the first, with a note; the second where it was given', async () => {
    const timeZone = 'America/New_York';
    const first = await at('twice', '01:30:00 03/11/2024', { timeZone });
    expect(first.channels[0]!.timesUs[0]).toBe(Date.UTC(2024, 10, 3, 5, 30) * 1000);
    expect(first.notes).toEqual([
      'The file starts at 2024-11-03 01:30:00, which occurred twice in America/New_York, because the clocks went back. The first was taken: 2024-11-03T05:30:00Z. The other is 2024-11-03T06:30:00Z.',
    ]);
    const laterUs = Date.UTC(2024, 10, 3, 6, 30) * 1000;
    const second = await at('second', '01:30:00 03/11/2024', { timeZone, defaultStartUs: laterUs });
    expect(second.channels[0]!.timesUs[0]).toBe(laterUs);
    expect(second.notes.join()).toMatch(/second was taken, as given/);
  });

  it('that did not occur is read by the clock before the change, with a note', async () => {
    const { channels, notes } = await at('never', '02:30:00 31/03/2024', { timeZone: 'Europe/Berlin' });
    expect(channels[0]!.timesUs[0]).toBe(Date.UTC(2024, 2, 31, 1, 30) * 1000);
    expect(notes.join()).toMatch(/02:30:00, an hour that did not occur in Europe\/Berlin.*2024-03-31T01:30:00Z/);
  });

  it('has no note an hour later', async () => {
    expect((await at('later', '02:30:00 03/11/2024', { timeZone: 'America/New_York' })).notes).toEqual([]);
  });
});

const formats = realData('formats');
it.runIf(formats)('MIT-BIH record 100 is the same under other names', async () => {
  const from = (name: string): string => `${formats}/wfdb/${name}`;
  const plain = await readImport([from('100.hea')]);
  const header = (await readFile(from('100.hea'), 'utf8')).replaceAll('100.dat', 'lead.xyz');
  const path = await write('renamed/100.hea', header);
  await copyFile(from('100.dat'), join(folder, 'renamed/lead.xyz'));
  await copyFile(from('100.atr'), join(folder, 'renamed/100.qrs'));
  const renamed = await readImport([path, join(folder, 'renamed/lead.xyz'), join(folder, 'renamed/100.qrs')]);
  expect(renamed.channels.map(({ counts }) => counts)).toEqual(plain.channels.map(({ counts }) => counts));
  expect(renamed.labels).toEqual(
    plain.labels.map((label) => ({ ...label, displayName: `${label.displayName} (qrs)` })),
  );
});
