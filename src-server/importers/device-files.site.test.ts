/**
 * Every file that a `truth.json` beside the recordings of real devices names is either read to its truth or refused for a reason that is
 * named here. A file that is added there fails until one of the two is stated.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { deviceFolders, deviceTruth, expectTruth, type TruthFile } from '../testing/device-truth.ts';
import { type ReadRecording, readImports } from '../testing/import-fixtures.ts';
import { openImport } from './index.ts';

const work = mkdtempSync(join(tmpdir(), 'outpost-devices-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const GRAVITY = 9.80665;

type Check = (recordings: ReadRecording[], file: TruthFile) => void;

interface Refusal {
  code: string;
  /** Of a known format that is not read. */
  format?: string;
  why: RegExp;
}

const channelOf = (recordings: readonly ReadRecording[], type: string) => {
  const found = recordings.flatMap(({ channels }) => channels).find(({ channel }) => channel.type === type);
  expect(found, type).toBeDefined();
  return found!;
};
const scaled = (columns: number[][], factor: number): number[][] =>
  columns.map((column) => column.map((value) => value * factor));

/** Wall clocks are read as UTC, so that they are the truth's `startLocalUs`. */
const wallStart = (recordings: ReadRecording[], type: string, file: TruthFile): void =>
  expect(channelOf(recordings, type).timesUs[0]).toBe(file.startUtcUs ?? file.startLocalUs);

/** One ECG in three formats: the truth lists its leads in the order of one of them. */
function expectRestingEcg(recordings: ReadRecording[]): void {
  const truth = deviceTruth('resting-ecg')!.files.find(({ counts }) => counts)!;
  const ecg = channelOf(recordings, 'ECG');
  const names = ecg.channel.dimensions.map((name, i) => (i === 0 ? 'i' : name));
  const columns = (truth.leads as string[]).map((lead) => ecg.counts[names.indexOf(lead.toLowerCase())]!);
  expectTruth(columns, truth.counts, 0);
  expect(ecg.channel.nominalRateHz).toBe(truth.rateHz);
  expect(ecg.values[1]![0]! * 1e6).toBeCloseTo(ecg.counts[1]![0]! * truth.microvoltPerCount, 9);
  expect(ecg.timesUs[0]).toBe(Date.parse(`${truth.startLocal.replace(' ', 'T')}Z`) * 1000);
  expect(ecg.timesUs.at(-1)! - ecg.timesUs[0]!).toBe(((truth.counts.count - 1) / truth.rateHz) * 1e6);
  expect(recordings[0]!.header.device?.subjectCode).toBe(truth.patientId);
}

const CHECKS: Record<string, Check> = {
  actigraph: (recordings, file) => {
    expectTruth(channelOf(recordings, 'ACCEL').values, file.accelG, 1e-6);
    wallStart(recordings, 'ACCEL', file);
  },
  axivity: (recordings, file) => {
    const accel = channelOf(recordings, 'ACCEL');
    expectTruth(accel.values, file.accelG, 1e-6);
    if (file.gyroDps) expectTruth(channelOf(recordings, 'GYRO').values, file.gyroDps, 1e-5);
    expect(Math.abs(accel.timesUs[0]! - file.segments[0].startUs)).toBeLessThanOrEqual(file.timeToleranceMs * 1000);
  },
  embraceplus: (recordings, file) => {
    for (const [type, name] of [
      ['EDA', 'eda'],
      ['TEMPERATURE', 'temperature'],
      ['PPG', 'bvp'],
    ] as const) {
      expectTruth(channelOf(recordings, type).values, file[name], 1e-4);
      expect(channelOf(recordings, type).timesUs[0]).toBe(file[name].startUs);
    }
    expect(channelOf(recordings, 'ACCEL').timesUs[0]).toBe(file.accelerometer.startUs);
  },
  'empatica-e4': (recordings, file) => {
    const types: Record<string, string> = { ACC: 'ACCEL', BVP: 'PPG', EDA: 'EDA', TEMP: 'TEMPERATURE', HR: 'HR' };
    for (const truth of file.channels) {
      const channel = channelOf(recordings, types[basename(truth.file, '.csv')]!);
      expectTruth(truth.g ? channel.counts : channel.values, truth, 0);
      expect(channel.timesUs[0]).toBe(truth.startUs);
    }
  },
  faros: (recordings, file) => {
    const [ecg, accel] = file.channels;
    expectTruth(scaled(channelOf(recordings, 'ECG').values, 1e6), ecg, 1e-6);
    expectTruth(scaled(channelOf(recordings, 'ACCEL').values, 1e3), accel, 1e-6);
    wallStart(recordings, 'ECG', file);
  },
  geneactiv: (recordings, file) => {
    expectTruth(channelOf(recordings, 'ACCEL').values, file.accelG, 1e-6);
    expectTruth(channelOf(recordings, 'LIGHT').counts, file.lightRaw, 0);
    wallStart(recordings, 'ACCEL', file);
  },
  ishne: (recordings, file) => {
    expectTruth(channelOf(recordings, 'ECG').counts, file.ecgCounts, 0);
    wallStart(recordings, 'ECG', file);
  },
  matrix: (recordings, file) => {
    expectTruth(channelOf(recordings, 'ACCEL').counts, file.accelCounts, 0);
    expect(channelOf(recordings, 'ACCEL').timesUs[0]).toBe(file.packets[0].startUs);
  },
  'movesense/ECG-540.csv': (recordings, file) => {
    const ecg = channelOf(recordings, 'ECG');
    expectTruth(ecg.counts, file.counts, 0);
    expect([ecg.timesUs[0], ecg.timesUs.at(-1)]).toEqual([file.startUs, file.lastUs]);
  },
  'movesense/HR-540.csv': (recordings, file) => {
    const [rate, rr] = [channelOf(recordings, 'HR'), channelOf(recordings, 'RR')];
    expectTruth([rate.values[0]!, rr.counts[0]!], file.values, 1e-4);
  },
  'movesense/imu9_log.json': (recordings, file) => {
    const accel = channelOf(recordings, 'ACCEL');
    expectTruth(scaled(accel.values, GRAVITY), file.accelMs2, 1e-6);
    expectTruth(accel.values, { first: [], sumAbs: file.accelG.sumAbs }, 1e-6);
    expectTruth(channelOf(recordings, 'GYRO').values, file.gyroDps, 1e-6);
    const { first, last } = file.timestampMs;
    expect(accel.timesUs.at(-8)! - accel.timesUs[0]!).toBe((last - first[0]) * 1000);
  },
  'polar-sensor-logger/Polar_Sense_ACC.txt': (recordings, file) =>
    expectTruth(scaled(channelOf(recordings, 'ACCEL').values, 1e3), file.values, 1e-9),
  'polar-sensor-logger/Polar_Sense_HR.txt': (recordings, file) => {
    const { values } = channelOf(recordings, 'HR');
    // Zeros are no rates, and change no sum.
    expectTruth(values, { first: [], last: file.values.last, max: file.values.max, sum: file.values.sum }, 1e-9);
  },
  'polar-sensor-logger/Polar_Sense_PPI.txt': (recordings, file) => {
    // Intervals that the sensor blocks are left out.
    const { counts } = channelOf(recordings, 'PPI');
    expect(counts[0]!.length).toBeGreaterThan(0.1 * file.rows);
    expect(counts[0]!.length).toBeLessThanOrEqual(file.rows);
    expect(Math.max(...counts[0]!)).toBeLessThanOrEqual(file.values.max[0]);
  },
  'resting-ecg/Example.dcm': expectRestingEcg,
  'resting-ecg/Example.xml.gz': expectRestingEcg,
  'shimmer/ecg_calibrated.csv': (recordings, file) => {
    const emg = channelOf(recordings, 'EMG');
    for (const [d, [name]] of file.columns.slice(1).entries()) {
      expectTruth([scaled(emg.values, 1e3)[d]!], file.values[name], 1e-6);
    }
    expect([emg.timesUs[0], emg.timesUs.at(-1)]).toEqual([file.startUs, file.lastUs]);
  },
  'shimmer/gsr_imu_calibrated.csv': (recordings, file) => {
    for (const [name, truth] of Object.entries(file.values)) {
      const [, sensor, axis] = /_Accel_(LN|WR)_([XYZ])_CAL$/.exec(name)!;
      const { values, timesUs } = channelOf(recordings, sensor === 'WR' ? 'ACCEL' : 'ACCEL_2');
      expectTruth([scaled(values, GRAVITY)['XYZ'.indexOf(axis!)]!], truth as never, 1e-6);
      expect([timesUs[0], timesUs.at(-1)]).toEqual([file.startUs, file.lastUs]);
    }
  },
  unisens: (recordings, file) => {
    const ecg = channelOf(recordings, 'ECG');
    expectTruth(ecg.counts, file.counts, 0);
    expect(ecg.timesUs[0]).toBe(Date.parse(`${file.timestampStart}Z`) * 1000);
  },
};

/** Files of marks, without a signal: the times of their labels. */
const LABELS: Record<string, (file: TruthFile) => number[]> = {
  'movesense/Annotations-2025_01_25-16_42_59.csv': ({ marks }) =>
    marks.map(([seconds]: string[]) => Math.round(Number(seconds) * 1e6)),
  'polar-sensor-logger/MARKER.txt': ({ marks }) => [Date.parse(`${marks[0][0]}Z`) * 1000],
};

const REFUSALS: Record<string, Refusal> = {
  'resting-ecg/Example.scp': {
    code: 'UNSUPPORTED_FORMAT',
    format: 'SCP_ECG',
    why: /Export the ECG as DICOM or HL7 aECG/,
  },
  'shimmer/ecg_sdlog.bin': {
    code: 'UNSUPPORTED_FORMAT',
    format: 'SHIMMER_SD_LOG',
    why: /export calibrated data as CSV/,
  },
  // Frames for the decoders of live sensors: no recording of any program.
  'movesense/gatt-notifications.json': { code: 'UNSUPPORTED_FORMAT', why: /its format is not known/ },
  'polar-ble/h10-capture.json': { code: 'UNSUPPORTED_FORMAT', why: /its format is not known/ },
  'polar-ble/delta-frames.json': { code: 'UNSUPPORTED_FORMAT', why: /its format is not known/ },
};

/** What stands in the truth is one file of a set. */
const pathsOf = (folder: string, file: TruthFile): string[] =>
  folder === 'unisens' ? [join(dirname(file.path), 'unisens.xml')] : [file.path];

const folders = deviceFolders();

describe.runIf(folders.length > 0)('every file of a real device', () => {
  const entries = folders.flatMap((folder) =>
    (deviceTruth(folder)?.files ?? []).map((file) => ({ name: `${folder}/${file.file}`, folder, file })),
  );

  it.each(entries)('$name is read to its truth, or refused for a named reason', async ({ name, folder, file }) => {
    const refusal = REFUSALS[name];
    const labels = LABELS[name];
    const check = CHECKS[name] ?? CHECKS[folder];
    expect([refusal, labels, check].filter(Boolean).length, `what is expected of ${name}`).toBeGreaterThan(0);
    const paths = pathsOf(folder, file);
    if (refusal) {
      const thrown = await openImport(paths).catch((error: unknown) => error);
      expect(thrown).toMatchObject({ code: refusal.code, message: expect.stringMatching(refusal.why) });
      if (refusal.format) expect(thrown).toMatchObject({ details: { format: refusal.format } });
    } else if (labels) {
      const source = await openImport(paths, { timeZone: 'UTC' });
      expect(source.labels.map(({ startUs }) => startUs)).toEqual(labels(file));
      await source.close();
    } else check!(await readImports(paths, { timeZone: 'UTC' }), file);
  });
});

describe('formats that are known and not read', () => {
  it('name a file of ActiLife with counts, and what to import instead', async () => {
    const path = join(work, 'epochs.agd');
    const head = Buffer.from('SQLite format 3\0', 'latin1');
    writeFileSync(
      path,
      Buffer.concat([head, Buffer.alloc(900), Buffer.from('CREATE TABLE data(dataTimestamp INTEGER, axis1)')]),
    );
    await expect(openImport([path])).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      message: expect.stringContaining('Import the .gt3x file'),
      details: { format: 'ACTIGRAPH_AGD', fileName: 'epochs.agd' },
    });
  });

  it('says of a log in the form of the sensor how to convert it', async () => {
    const path = join(work, 'log.sbem');
    writeFileSync(path, Buffer.concat([Buffer.from('SBEM0000'), Buffer.alloc(200, 7)]));
    await expect(openImport([path])).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      message: expect.stringContaining('sbem2json'),
      details: { format: 'MOVESENSE_SBEM', fileName: 'log.sbem' },
    });
  });

  it('does not list them as supported', async () => {
    const path = join(work, 'unknown.bin');
    writeFileSync(path, Buffer.alloc(2000, 5));
    const thrown = await openImport([path]).catch((error: unknown) => error as Error);
    expect((thrown as Error).message).toContain('Supported are');
    expect((thrown as Error).message).not.toMatch(/SCP|SBEM/);
  });
});
