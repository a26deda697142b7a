import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotationList, EdfFileWriter, type EdfSignal } from '../exporters/edf/file-writer.ts';
import { readImport } from '../testing/import-fixtures.ts';
import { madeZip } from '../testing/made-zip.ts';
import { openImport } from './index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-forms-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

const START_US = 1_579_647_012_385_000;
const ACCEL = 'Timestamp (microseconds),Accel X (g),Accel Y (g),Accel Z (g)';

describe('a ZIP of files that are read unpacked alone', () => {
  const refusalOf = async (members: Record<string, string>) =>
    await openImport([await write(`${crypto.randomUUID()}.zip`, madeZip(members))]).catch((thrown: unknown) => thrown);

  it.each([
    ['of another format', { 'ward/wrist.cwa': 'MD' }, 'it holds wrist.cwa, '],
    ['of texts of another maker', { 'ECG-540.csv': 'ECG 2025.01.25 16:43:12 125 Hz\n1\n' }, 'it holds ECG-540.csv, '],
    ['of many', { 'a.bin': '1', 'b.bin': '2', 'c.bin': '3', 'd.bin': '4' }, 'it holds a.bin, b.bin, c.bin, 1 more, '],
  ])('is refused with their names and what to do: %s', async (_, members, text) => {
    expect(await refusalOf(members)).toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      message: expect.stringContaining(
        `${text}which is no export that is read packed. Unpack it, and import the files in it.`,
      ),
    });
  });

  it('keeps the words about a column where the files are those of an export that is read', async () => {
    const thrown = await refusalOf({ 'accel.csv': 'time,x\n1,2\n' });
    expect(thrown).toMatchObject({ message: expect.stringContaining('its first line is not a header that is known') });
  });
});

describe('CSV', () => {
  it('reads a byte-order mark, CRLF, plus signs, exponents, and no last line end', async () => {
    const text = `\ufeff${ACCEL}\r\n${START_US},+0.5,-2.5E-4,1e0\r\n${START_US + 4000},.25,1.,-0.125`;
    const { channels, notes } = await readImport([await write('a/accel.csv', text)]);
    expect(channels[0]!.values).toEqual([
      [0.5, 0.25],
      [-2.5e-4, 1],
      [1, -0.125],
    ]);
    expect(notes.join()).toMatch(/no line end/);
  });

  it('reads millisecond headers, and keeps repeated milliseconds with a note', async () => {
    const times = [0, 16, 32, 32, 48].map((ms) => START_US / 1000 + ms);
    const text = `Timestamp (ms),Sample (V)\n${times.map((time, i) => `${time},0.00${i}`).join('\n')}\n`;
    const { channels, notes } = await readImport([await write('b/emg.csv', text)]);
    expect(channels[0]!.channel).toMatchObject({ type: 'EMG', nominalRateHz: 62.5, unit: 'V' });
    expect(channels[0]!.timesUs).toEqual(times.map((time) => time * 1000));
    expect(notes.join()).toMatch(/first row 4/);
  });

  it('never bridges a gap, though single stamps may jump by a fifth of a period', async () => {
    let time = START_US;
    const lines: string[] = [];
    for (let i = 0; i < 2000; i++) {
      time += i === 700 ? 4100 * 1.6 : i % 97 === 0 ? 4950 : 4077;
      lines.push(`${Math.round(time)},${i % 3},0,1`);
    }
    const { channels } = await readImport([await write('c/accel.csv', `${ACCEL}\n${lines.join('\n')}\n`)]);
    expect(channels[0]!.pageCount).toBe(2);
    expect(channels[0]!.timesUs).toEqual(lines.map((line) => Number(line.split(',')[0])));
  });

  it('reproduces doubles on any grid to the last bit, after a second scan at the latest', async () => {
    const step = 0.1234567890123;
    const values = Array.from({ length: 20_000 }, (_, i) => (i < 10_000 ? 8 * (i % 50) : i % 997) * step + 0.777);
    const lines = values.map((value, i) => `${START_US + i * 4000},${value}`);
    const path = await write('d/temp.csv', `Timestamp (microseconds),Sample (C)\n${lines.join('\n')}\n`);
    const { channels, notes } = await readImport([path]);
    expect(channels[0]!.channel).toMatchObject({ type: 'TEMP', unit: 'C', sampleBits: 16 });
    expect(channels[0]!.channel.scale[0]).toBeCloseTo(step, 9);
    expect(channels[0]!.values[0]).toEqual(values);
    expect(notes).toEqual([]);
  });

  it('rounds values without a grid to a fine step, with a note', async () => {
    const values = Array.from({ length: 500 }, (_, i) => Math.sin(i) * Math.E);
    const lines = values.map((value, i) => `${START_US + i * 4000},${value}`);
    const path = await write('e/sound.csv', `Timestamp (microseconds),Sample (Pa)\n${lines.join('\n')}\n`);
    const { channels, notes } = await readImport([path]);
    expect(channels[0]!.channel.sampleBits).toBe(32);
    expect(notes.join()).toMatch(/nearest step/);
    values.forEach((value, i) => {
      expect(Math.abs(channels[0]!.values[0]![i]! - value)).toBeLessThan(1e-8);
    });
  });

  it('reads faults as marks and the portal layout with its annotations', async () => {
    const sensor = 'S1/anterior_thigh_left/d5la7xna/2020-01-21T22-50-12-385Z';
    await write(`f/${sensor}/accel.csv`, `${ACCEL}\n${START_US},0.1,0.2,0.3\n${START_US + 16_000},0.1,0.2,0.4\n`);
    await write(`f/${sensor}/accel-errors.csv`, `Timestamp (microseconds),Reason\n${START_US},EMPTY_SAMPLE\n`);
    await write('f/S1/sacrum/d14spkfp/2020-01-21T22-50-12-385Z/accel.csv', `${ACCEL}\n${START_US},0,0,1\n`);
    const header =
      '"Timestamp (ms)","AnnotationId","EventType","AuthorId","Start Timestamp (ms)","Stop Timestamp (ms)","Value"';
    const rows = '"1579647100000","Activity:Walk #1: 10-m","Walk #1: 10-m","","1579647012000","1579647022000",""';
    await write('f/S1/annotations.csv', `${header}\n${rows}\n`);
    const source = await openImport([join(folder, 'f')]);
    expect(source.recordings.map(({ header: { physicalConfig, udid } }) => [physicalConfig, udid])).toEqual([
      [{ location: 'ANTERIOR_THIGH', side: 'LEFT' }, 'd5la7xna'],
      [{ location: 'SACRUM', side: 'NONE' }, 'd14spkfp'],
    ]);
    expect(source.recordings[0]!.marks).toEqual([{ channel: 0, timeUs: START_US, reason: 'EMPTY_SAMPLE' }]);
    expect(source.labels).toEqual([
      { startUs: 1_579_647_012_000_000, stopUs: 1_579_647_022_000_000, displayName: 'Walk #1: 10-m' },
    ]);
    await source.close();
  });
});

const signal = (label: string, unit: string, range: number, samplesPerRecord: number): EdfSignal => ({
  label,
  transducer: '',
  unit,
  physicalMinimum: -range,
  physicalMaximum: range,
  digitalMinimum: -32_767,
  digitalMaximum: 32_767,
  prefilter: '',
  samplesPerRecord,
});

async function edf(
  name: string,
  signals: EdfSignal[],
  recordUs: number,
  onsetsUs: number[],
  isDiscontinuous: boolean,
  startSecondMs = Date.UTC(2024, 2, 10, 1, 59, 0),
): Promise<string> {
  const path = join(folder, name);
  const writer = await EdfFileWriter.create(path, {
    bytesPerSample: 2,
    isDiscontinuous,
    startSecondMs,
    patient: 'X X X X',
    recording: 'X X Recorder',
    recordCount: onsetsUs.length,
    recordDurationUs: recordUs,
    signals,
    annotationBytes: 64,
  });
  for (const [r, onsetUs] of onsetsUs.entries()) {
    const columns = signals.map(({ samplesPerRecord }, s) =>
      Int32Array.from({ length: samplesPerRecord }, (_, i) => 1000 * s + r * samplesPerRecord + i),
    );
    const label = r === 1 ? [annotationList({ onsetUs: onsetUs + 500, durationUs: 250_000, text: 'Stood up' })] : [];
    await writer.record(columns, Buffer.concat([annotationList({ onsetUs, durationUs: 0, text: '' }), ...label]));
  }
  await writer.finish();
  return path;
}

describe('EDF', () => {
  const SIGNALS = [
    signal('ECG', 'mV', 5, 25),
    signal('Accel X', 'g', 8, 5),
    signal('Accel Y', 'mg', 8000, 5),
    signal('Accel Z', 'm/s2', 78.4532, 5),
    signal('EKG V5', 'uV', 5000, 25),
    signal('Resp', 'mmHg', 1, 1),
  ];

  it('maps names and units, mixed rates, records of a tenth of a second', async () => {
    const path = await edf('mixed.edf', SIGNALS, 100_000, [0, 1e5, 2e5, 3e5], false);
    const { channels, labels } = await readImport([path]);
    expect(channels.map(({ channel: c }) => [c.type, c.dimensions, c.unit, c.nominalRateHz])).toEqual([
      ['ECG', ['v', 'v5'], 'V', 250],
      ['ACCEL', ['x', 'y', 'z'], 'g', 50],
      ['RESP', ['v'], 'mmHg', 10],
    ]);
    expect(channels[0]!.values[0]![99]).toBeCloseTo((99 / 32_767) * 0.005, 9);
    expect(channels[0]!.values[1]![0]).toBeCloseTo((4000 / 32_767) * 0.005, 9);
    const [x, y, z] = channels[1]!.channel.scale;
    expect(y).toBeCloseTo(x!, 9);
    expect(z).toBeCloseTo(x!, 9);
    const startUs = Date.UTC(2024, 2, 10, 1, 59, 0) * 1000;
    expect(channels[1]!.timesUs.slice(0, 3)).toEqual([startUs, startUs + 20_000, startUs + 40_000]);
    expect(labels).toEqual([{ startUs: startUs + 100_500, stopUs: startUs + 350_500, displayName: 'Stood up' }]);
  });

  it.each([
    ['Accel X', 'counts'],
    ['Accel Y', 'LSB'],
    ['GYRO_Z', 'g'],
    ['ECG', 'mmHg'],
    ['EMG chin', 'ADC'],
  ])('refuses %s in %s, and says what is accepted', async (label, unit) => {
    const path = await edf(`${label} ${unit}.edf`, [signal(label, unit, 1000, 50)], 1_000_000, [0, 1e6], false);
    await expect(openImport([path])).rejects.toMatchObject({
      code: 'UNIT_UNKNOWN',
      message: expect.stringContaining(`the unit "${unit}" of ${label}`),
      details: { column: label, unit },
    });
  });

  it('keeps an acceleration that names no axis apart from x, y and z', async () => {
    const signals = ['Accel', 'Accel X', 'Accel Y', 'Accel Z'].map((label) => signal(label, 'mg', 8000, 5));
    const { channels } = await readImport([await edf('single.edf', signals, 100_000, [0, 1e5], false)]);
    expect(channels.map(({ channel: c }) => [c.type, c.dimensions, c.unit])).toEqual([
      ['ACCEL_SINGLE', ['v'], 'g'],
      ['ACCEL', ['x', 'y', 'z'], 'g'],
    ]);
  });

  it('notes how a start in a repeated or skipped hour was read', async () => {
    const ecg = [signal('ECG', 'mV', 5, 25)];
    const twice = await edf('twice.edf', ecg, 100_000, [0, 1e5], false, Date.UTC(2024, 10, 3, 1, 30));
    const first = await readImport([twice], { timeZone: 'US/Eastern' });
    expect(first.channels[0]!.timesUs[0]).toBe(Date.UTC(2024, 10, 3, 5, 30) * 1000);
    expect(first.notes.join()).toMatch(/occurred twice in US\/Eastern.*first was taken: 2024-11-03T05:30:00Z/);
    const never = await edf('never.edf', ecg, 100_000, [0, 1e5], false, Date.UTC(2024, 2, 10, 2, 30));
    const read = await readImport([never], { timeZone: 'US/Eastern' });
    expect(read.channels[0]!.timesUs[0]).toBe(Date.UTC(2024, 2, 10, 7, 30) * 1000);
    expect(read.notes.join()).toMatch(/did not occur in US\/Eastern/);
    expect((await readImport([twice], { timeZone: 'Asia/Tokyo' })).notes).toEqual([]);
  });

  it('keeps the gaps and the drift of an EDF+D file', async () => {
    const onsets = [250_000, 1_260_000, 2_270_000, 9_000_000, 10_010_000];
    const path = await edf('breaks.edf', [signal('ECG', 'mV', 5, 100)], 1_010_000, onsets, true);
    const { channels, format } = await readImport([path], { timeZone: 'America/New_York' });
    expect(format).toBe('EDF+D');
    expect(channels[0]!.pageCount).toBe(2);
    // 01:59 of 10 March 2024 in New York is 06:59 UTC: a minute before the clocks went forward.
    const startUs = Date.UTC(2024, 2, 10, 6, 59, 0) * 1000;
    expect(channels[0]!.timesUs[0]).toBe(startUs + 250_000);
    expect(channels[0]!.timesUs[300]).toBe(startUs + 9_000_000);
    expect(channels[0]!.timesUs[1]! - channels[0]!.timesUs[0]!).toBe(10_100);
  });
});
