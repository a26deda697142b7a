import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openZipMembers } from '../importers/csv/zip-members.ts';
import { createSignalFile } from '../signals/index.ts';
import type { SignalChannel, SignalPage } from '../signals/types.ts';
import { importToSignalFile, type ReadRecording, readImport } from '../testing/import-fixtures.ts';
import { realData } from '../testing/real-data.ts';
import { doubleText } from './double-text.ts';
import { exportEdf } from './edf/export.ts';
import { exportMc10Zip } from './mc10-zip.ts';

/** Resolution of the clock signal of an EDF+D file with records of one second, with room for rounding. */
const EDF_TIME_TOLERANCE_US = 40;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-round-trip-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function toZip(signalPath: string): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.zip`);
  const { sizeBytes } = await exportMc10Zip(signalPath, createWriteStream(path));
  expect((await readFile(path)).length).toBe(sizeBytes);
  return path;
}

async function memberText(zipPath: string, name: string): Promise<string> {
  const zip = await openZipMembers(zipPath);
  const chunks: Uint8Array[] = [];
  for await (const chunk of zip.members.find((member) => member.name === name)?.open() ?? []) chunks.push(chunk);
  zip.close();
  return Buffer.concat(chunks).toString();
}

async function memberNames(zipPath: string): Promise<string[]> {
  const zip = await openZipMembers(zipPath);
  zip.close();
  return zip.members.map(({ name }) => name);
}

function expectSameSamples(actual: ReadRecording, expected: ReadRecording, toleranceUs: number): void {
  expect(actual.channels.length).toBe(expected.channels.length);
  expected.channels.forEach((channel, c) => {
    const other = actual.channels[c]!;
    expect(other.channel.scale).toEqual(channel.channel.scale);
    expect(other.channel.offset).toEqual(channel.channel.offset);
    expect(other.channel.dimensions).toEqual(channel.channel.dimensions);
    expect(other.channel.nominalRateHz).toBe(channel.channel.nominalRateHz);
    expect(other.counts).toEqual(channel.counts);
    expect(other.timesUs.length).toBe(channel.timesUs.length);
    let farthest = 0;
    channel.timesUs.forEach((time, i) => {
      farthest = Math.max(farthest, Math.abs(other.timesUs[i]! - time));
    });
    expect(farthest).toBeLessThanOrEqual(toleranceUs);
  });
}

const formats = realData('formats');
const REAL_FILES = [
  'mc10/wrist-left',
  'mc10/wrist-right',
  'mc10/reflex-hammer.zip',
  'mc10/reflex-elec.zip',
  'wfdb/100.hea',
  'wfdb/a103l.hea',
  'edf/test_subsecond.edf',
  'edf/test_utf8.edf',
  'edf/test_generator.edf',
];

describe.runIf(formats)('real files, out and in again', () => {
  it.each(REAL_FILES)('%s keeps every value and microsecond through the ZIP', async (name) => {
    const original = await readImport([`${formats}/${name}`]);
    const zip = await toZip(await importToSignalFile([`${formats}/${name}`], folder));
    const again = await readImport([zip]);
    const byFirstValues = (read: ReadRecording): string[] =>
      read.channels.map(({ values, timesUs }) => JSON.stringify([timesUs, values])).sort();
    expect(byFirstValues(again)).toEqual(byFirstValues(original));
  });

  it.each(REAL_FILES)('%s keeps counts, scales and times through EDF+', async (name) => {
    const original = await readImport([`${formats}/${name}`]);
    const path = join(folder, `${crypto.randomUUID()}.edf`);
    const signalPath = await importToSignalFile([`${formats}/${name}`], folder);
    const { format } = await exportEdf(signalPath, path, { layout: 'exact', labels: original.labels });
    expect(format).toBe(name.startsWith('mc10') ? 'EDF+D' : 'EDF+C');
    const again = await readImport([path], { timeZone: 'Asia/Tokyo' });
    expect(again.format).toBe(format);
    expectSameSamples(again, original, EDF_TIME_TOLERANCE_US);
    expect(again.labels.map(({ startUs, stopUs }) => [startUs, stopUs])).toEqual(
      original.labels.map(({ startUs, stopUs }) => [startUs, stopUs]),
    );
  });

  it('keeps 24 bit samples through BDF+, and refuses them for EDF+', async () => {
    const source = [`${formats}/edf/test_generator.bdf`];
    const original = await readImport(source);
    const signalPath = await importToSignalFile(source, folder);
    const path = join(folder, 'generator.bdf');
    await expect(exportEdf(signalPath, path)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
    await expect(access(path)).rejects.toThrow();
    expect(await exportEdf(signalPath, path, { format: 'BDF' })).toMatchObject({ format: 'BDF+C' });
    expectSameSamples(await readImport([path]), original, 1);
  });

  it.each([
    ['reflex-hammer.zip', 'accel.csv'],
    ['reflex-hammer.zip', 'gyro.csv'],
    ['reflex-elec.zip', 'elec.csv'],
  ])('%s: %s comes out byte for byte', async (name, member) => {
    const original = `${formats}/mc10/${name}`;
    const zip = await toZip(await importToSignalFile([original], folder));
    expect(await memberText(zip, member)).toBe(await memberText(original, member));
  });

  it('prints the wrist files again, but for the notation of values below a thousandth', async () => {
    const path = `${formats}/mc10/wrist-left/accel.csv.gz`;
    const zip = await toZip(await importToSignalFile([path], folder));
    const lines = gunzipSync(await readFile(path))
      .toString()
      .split('\n');
    const printed = lines.map((line, i) =>
      i === 0 || line === '' ? line : line.replaceAll(/(?<=,)[^,]+/g, (value) => doubleText(Number(value))),
    );
    expect((await memberText(zip, 'accel.csv')).split('\n')).toEqual(printed);
  });
});

const START_US = 1_700_000_000_123_457;

function channel(
  type: string,
  dimensions: string[],
  unit: string,
  nominalRateHz: number,
  scale: number,
): SignalChannel {
  const same = (value: number): number[] => dimensions.map(() => value);
  return { type, dimensions, unit, nominalRateHz, scale: same(scale), offset: same(0), sampleBits: 16 };
}

function page(index: number, dimensions: number, startUs: number, periodUs: number, count: number): SignalPage {
  const columns = Array.from({ length: dimensions }, (_, d) =>
    Int16Array.from({ length: count }, (_, i) => Math.round(3000 * Math.sin((i + d * 40) / 17))),
  );
  return { channel: index, startUs, periodUs, count, columns };
}

/** A chest recording: ECG and acceleration on clocks of their own, gaps in one or both, a fault. */
async function chestRecording(): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.sig`);
  const writer = await createSignalFile(path, {
    version: 1,
    recordingId: crypto.randomUUID(),
    deviceRecordingId: 7,
    udid: 'C4:7C:8D:00:11:22',
    hardwareId: 'hw',
    firmwareId: 'fw',
    physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
    sensorConfig: {},
    channels: [channel('ECG', ['v'], 'V', 250, 1e-6), channel('ACCEL', ['x', 'y', 'z'], 'g', 31.25, 1 / 4096)],
    syncPoints: [],
    source: { format: 'test', fileName: 'test', sha256: '' },
  });
  await writer.append(page(0, 1, START_US, 4007.31, 5000));
  await writer.append(page(1, 3, START_US + 9_001, 31_991.7, 620));
  await writer.append(page(0, 1, START_US + 25_000_000, 4011.9, 3000));
  await writer.append(page(1, 3, START_US + 50_000_000, 32_004.2, 200));
  await writer.append(page(0, 1, START_US + 60_500_000, 3999.2, 1001));
  await writer.mark({ channel: 0, timeUs: START_US + 1_000_000, reason: 'EMPTY_SAMPLE' });
  await writer.finish();
  return path;
}

describe('a recording with two clocks and gaps', () => {
  it('keeps counts, and times to the tick, through EDF+D', async () => {
    const signalPath = await chestRecording();
    const original = await readImport([signalPath]);
    const path = join(folder, 'chest.edf');
    expect(await exportEdf(signalPath, path, { layout: 'exact' })).toMatchObject({ format: 'EDF+D' });
    const again = await readImport([path]);
    expectSameSamples(again, original, EDF_TIME_TOLERANCE_US);
    expect(again.channels.map(({ pageCount }) => pageCount)).toEqual([3, 2]);
    expect(again.header.physicalConfig.location).toBe('MEDIAL_CHEST');
    expect(again.header.udid).toBe('C4:7C:8D:00:11:22');
    expect(again.labels).toEqual([
      { startUs: START_US + 1_000_000, stopUs: START_US + 1_000_000, displayName: 'Fault: EMPTY_SAMPLE (ECG)' },
    ]);
  });

  it('goes through the ZIP with its fault, in the order and words of the wire', async () => {
    const signalPath = await chestRecording();
    const zip = await toZip(signalPath);
    expect(await memberNames(zip)).toEqual(['accel.csv', 'elec.csv', 'elec-errors.csv', 'ReadMe.txt']);
    const accel = (await memberText(zip, 'accel.csv')).split('\n');
    expect(accel[0]).toBe('Timestamp (microseconds),Accel X (g),Accel Y (g),Accel Z (g)');
    expect((await memberText(zip, 'elec.csv')).split('\n')[0]).toBe('Timestamp (microseconds),Sample (V)');
    expect(await memberText(zip, 'elec-errors.csv')).toBe(
      `Timestamp (microseconds),Reason\n${START_US + 1_000_000},EMPTY_SAMPLE\n`,
    );
    const original = await readImport([signalPath]);
    const again = await readImport([zip]);
    expect(again.channels.map(({ channel: { type } }) => type)).toEqual(['ACCEL', 'ECG']);
    expect(again.channels[1]!.timesUs).toEqual(original.channels[0]!.timesUs);
    expect(again.channels[1]!.values).toEqual(original.channels[0]!.values);
    expect(again.channels[0]!.values).toEqual(original.channels[1]!.values);
    expect(again.channels.map(({ pageCount }) => pageCount)).toEqual([2, 3]);
    expect(again.marks).toEqual([{ channel: 1, timeUs: START_US + 1_000_000, reason: 'EMPTY_SAMPLE' }]);
  });

  it('gives the same bytes in any time zone', async () => {
    const signalPath = await chestRecording();
    const script = join(folder, 'export.ts');
    const module = new URL('./mc10-zip.ts', import.meta.url).href;
    await writeFile(
      script,
      `import { createWriteStream } from 'node:fs';
       const { exportMc10Zip } = await import(${JSON.stringify(module)});
       await exportMc10Zip(process.argv[2], createWriteStream(process.argv[3]));`,
    );
    const run = async (zone: string): Promise<Buffer> => {
      const path = join(folder, `${crypto.randomUUID()}.zip`);
      execFileSync(process.execPath, [script, signalPath, path], { env: { ...process.env, TZ: zone } });
      return readFile(path);
    };
    expect((await run('Asia/Tokyo')).equals(await run('America/New_York'))).toBe(true);
  });

  it('can be cancelled', async () => {
    const signalPath = await chestRecording();
    const controller = new AbortController();
    const path = join(folder, 'cancelled.edf');
    const onProgress = (): void => controller.abort();
    const options = { signal: controller.signal, onProgress };
    await expect(exportEdf(signalPath, path, options)).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(access(path)).rejects.toThrow();
    const another = new AbortController();
    const zipOptions = { signal: another.signal, onProgress: (): void => another.abort() };
    const zipping = exportMc10Zip(signalPath, new PassThrough({ highWaterMark: 64 }), zipOptions);
    await expect(zipping).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('number text', () => {
  it.each([
    [0, '0.0'],
    [1, '1.0'],
    [-0.25, '-0.25'],
    [1.0095368886854352, '1.0095368886854352'],
    [-1.831082627603564e-4, '-1.831082627603564E-4'],
    [9.15541313801782e-4, '9.15541313801782E-4'],
    [0.001, '0.001'],
    [1e-4, '1.0E-4'],
    [9999999, '9999999.0'],
    [12345678, '1.2345678E7'],
  ])('%f is %s', (value, text) => {
    expect(doubleText(value)).toBe(text);
    expect(Number(text)).toBe(value);
  });
});
