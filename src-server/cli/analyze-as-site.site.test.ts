/** `outpost analyze` of a file gives the numbers of a site that imports the same file, to the last digit. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CalibrationDetails } from '../analytics/epochs/types.ts';
import { binChannels, binFurtherChannels, RecordingPasses } from '../analytics/index.ts';
import { beatChannelOf, beatsOfFile } from '../exporters/beats/recording-beats.ts';
import { annotationList, EdfFileWriter } from '../exporters/edf/file-writer.ts';
import { openImport } from '../importers/index.ts';
import type { ImportResult } from '../jobs/handlers/import.ts';
import { openSignalFileSync } from '../signals/index.ts';
import { simulateSubject } from '../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../simulator/physiology/write.ts';
import { BinReader, binRuns } from '../stored-analytics/bin-reader.ts';
import { cwaOfMotion } from '../testing/cwa-of-motion.ts';
import { realData } from '../testing/real-data.ts';
import { writeReferenceEdf } from '../testing/reference-edf.ts';
import { SimulatedWrist, type SimulatedWristOptions } from '../testing/simulated-wrist.ts';
import { ASKEW, syntheticMotion } from '../testing/synthetic-motion.ts';
import { openTestEngine, type TestEngine } from '../testing/test-engine.ts';
import { OUTPOST_COMMAND } from '../testing/test-site.ts';
import {
  type AnalysisParameters,
  completeParameters,
  DEFAULT_ANALYSIS_PARAMETERS,
} from '../vocabulary/analysis-parameters.ts';
import { Analysis } from './analysis.ts';

const ZONE = 'US/Eastern';
const MINUTE = 60_000;

interface Sensor {
  path: string;
  location?: string;
}

interface Analysed {
  metrics: {
    date: string;
    metrics: Record<string, number>;
    dataStartTs: number;
    dataStopTs: number;
    epochMethod?: unknown;
  }[];
  sleep: { onsetTs: number; wakeTs: number }[];
  channels: { type: string; times: number[]; values: unknown[] }[];
}

interface CommandAnswer extends Analysed {
  algorithmVersion: string;
  beatTs: number[];
  recordings: { location: string; notes: string[]; channels: { type: string; calibration?: CalibrationDetails }[] }[];
}

let engine: TestEngine;
let folder: string;
beforeAll(async () => {
  engine = await openTestEngine();
  folder = await mkdtemp(join(tmpdir(), 'outpost-as-site-'));
});
afterAll(async () => {
  await engine?.close();
  await rm(folder, { recursive: true, force: true });
  expect(engine.problems).toEqual([]);
});

async function byCommand(
  sensors: readonly Sensor[],
  interval: number,
  further: readonly string[],
): Promise<CommandAnswer> {
  const named = sensors.flatMap(({ path, location }) => ['--sensor', location ? `${location}=${path}` : path]);
  const parameters = ['analyze', ...named, '--time-zone', ZONE, '--interval', `${interval}`, '--json', ...further];
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [OUTPOST_COMMAND, ...parameters], { maxBuffer: 1 << 29 }, (error, answer, stderr) =>
      error ? reject(new Error(`${stderr} ${answer}`)) : resolve(answer),
    );
  });
  return JSON.parse(stdout) as CommandAnswer;
}

/** The beats of a stored recording as its exports hold them, without those that are doubtful. */
function beatsOfSite(recordingId: string): number[] {
  const file = openSignalFileSync(join(engine.signalsDir, `${recordingId}.sig`));
  try {
    const channel = beatChannelOf(file);
    if (!channel) return [];
    const beats = [...beatsOfFile(file, channel, { corrections: [] })];
    return beats.flatMap(({ timeUs, use }) => (use === 'DOUBTFUL' ? [] : [Math.round(timeUs / 1000)]));
  } finally {
    file.closeSync();
  }
}

/** Imports the files for a new subject of a site and reads its results. */
async function bySite(sensors: readonly Sensor[], interval: number): Promise<Analysed & { recordingIds: string[] }> {
  const { store, queue, study } = engine;
  const { studyId, userId } = study;
  const { id: subjectId } = await store.subjects.create(
    studyId,
    { displayName: crypto.randomUUID(), timezone: ZONE },
    { actor: { type: 'USER', id: userId } },
  );
  for (const { path, location } of sensors) {
    const options = { timeZone: ZONE, defaultStartUs: 0, ...(location && { location }) };
    const of = { studyId, subjectId, paths: [path], options, ownsFiles: false };
    // Two files may be of one device.
    const job = await queue.enqueue('import', { ...of, acceptsOverlap: true });
    const ended = await queue.whenEnded(job.id);
    expect(ended.error?.message).toBeUndefined();
    expect((ended.result as unknown as ImportResult).recordings.every(({ isNew }) => isNew)).toBe(true);
  }
  await queue.whenIdle();
  const windows = await store.analytics.windows(subjectId);
  const recordings = await store.recordings.listForSubject(subjectId);
  const extent = {
    startMs: Math.floor(Math.min(...recordings.map(({ startUs }) => startUs)) / 1000),
    stopMs: Math.floor(Math.max(...recordings.map(({ stopUs }) => stopUs)) / 1000),
  };
  const runs = binRuns(windows, extent, { fromMs: extent.startMs, toMs: extent.stopMs, intervalMs: interval });
  const channels = new Map<string, { type: string; times: number[]; values: unknown[] }>();
  const reader = new BinReader(store, subjectId, windows);
  const bins = reader.binned(runs, interval, (...request) => {
    const nine = binChannels(...request);
    return { times: nine.times, values: { ...nine.values, ...binFurtherChannels(...request).values } };
  });
  for await (const { times, values } of bins) {
    for (const [type, of] of Object.entries(values)) {
      const channel = channels.get(type) ?? { type, times: [], values: [] };
      channels.set(type, channel);
      channel.times.push(...times);
      channel.values.push(...(of as unknown[]));
    }
  }
  const days = await store.analytics.days(subjectId);
  return {
    recordingIds: recordings.map(({ id }) => id),
    metrics: days.map(({ date, metrics, dataStartTs, dataStopTs, epochMethod }) => ({
      ...{ date, metrics, dataStartTs, dataStopTs },
      ...(epochMethod && { epochMethod }),
    })),
    sleep: windows.flatMap((window) =>
      window.sleep
        .filter(({ onsetMs }) => onsetMs >= window.startTs)
        .sort((a, b) => a.onsetMs - b.onsetMs)
        .map(({ onsetMs, wakeMs }) => ({ onsetTs: onsetMs, wakeTs: wakeMs })),
    ),
    channels: [...channels.values()],
  };
}

/** What both give, in one form. A bin without any value, at the edge of a recording or in a gap of days, may be there or not. */
const comparable = ({ metrics, sleep, channels }: Analysed) => ({
  sleep,
  days: Object.fromEntries(
    metrics.map(({ date, metrics: values, dataStartTs, dataStopTs, epochMethod }) => [
      date,
      { values, dataStartTs, dataStopTs, ...(epochMethod !== undefined && { epochMethod }) },
    ]),
  ),
  channels: Object.fromEntries(
    channels.flatMap(({ type, times, values }) => {
      const known = values.flatMap((value, i) => (value === null ? [] : [`${times[i]} ${JSON.stringify(value)}`]));
      return known.length === 0 ? [] : [[type, known.join('\n')]];
    }),
  ),
});

/** @param further options of the command */
async function bothWays(
  sensors: readonly Sensor[],
  interval: number,
  ...further: string[]
): Promise<CommandAnswer & { recordingIds: string[] }> {
  const command = await byCommand(sensors, interval, further);
  const site = await bySite(sensors, interval);
  expect(comparable(command)).toEqual(comparable(site));
  return { ...command, recordingIds: site.recordingIds };
}

/** A wrist from noon to the end of the next day as a file of an Axivity recorder. */
async function wristFile(name: string, options: Partial<SimulatedWristOptions>): Promise<string> {
  const startMs = Date.UTC(2024, 4, 14, 16);
  const { input } = new SimulatedWrist({ startMs, hours: 36, rateHz: 25, bedHour: 3, riseHour: 11, ...options });
  const values: [number[], number[], number[]] = [[], [], []];
  for (const { columns } of input.chunks)
    for (const [axis, column] of columns.entries()) for (const count of column) values[axis]!.push(count / 2048);
  const axes = values.map((of) => Float64Array.from(of)) as [Float64Array, Float64Array, Float64Array];
  const localUs = (startMs - 4 * 3_600_000) * 1000;
  const path = join(folder, name);
  await writeFile(
    path,
    cwaOfMotion({ startUs: localUs, periodUs: 40_000, axes }, { deviceId: 1234, annotation: '_p=left+wrist' }),
  );
  return path;
}

/** The days of a file whose first pass is left out, so that its sensor is not calibrated. */
async function uncalibrated(path: string): Promise<Analysis['days']> {
  const analysis = new Analysis(undefined, ZONE, MINUTE, DEFAULT_ANALYSIS_PARAMETERS);
  const source = await openImport([path], { timeZone: ZONE });
  try {
    const [recording] = source.recordings;
    const { channels, physicalConfig } = recording!.header;
    const reading = new RecordingPasses(path, physicalConfig.location, channels, analysis.arrays);
    let [startUs, stopUs] = [Infinity, -Infinity];
    for (const pass of reading.over()) {
      if (pass.kind === 'SURVEY') continue;
      for await (const page of recording!.pages()) {
        pass.take(page);
        startUs = Math.min(startUs, page.startUs);
        stopUs = Math.max(stopUs, page.startUs + page.count * page.periodUs);
      }
    }
    reading.features.finish(startUs, stopUs);
    analysis.stored.push(reading.features);
    await analysis.compute([{ startMs: startUs / 1000, stopMs: stopUs / 1000 }], () => undefined);
    return analysis.days;
  } finally {
    await source.close();
    analysis.close();
  }
}

describe('a wrist sensor with an error of offset and gain', { timeout: 180_000 }, () => {
  const error = { offsetG: [0.03, -0.02, 0.04], gain: [1.01, 0.99, 1.02] } as const;

  it('is calibrated as in a site, and the answer says how', async () => {
    const path = await wristFile('wrist.cwa', error);
    const answer = await bothWays([{ path }], MINUTE);
    const { calibration } = answer.recordings[0]!.channels[0]!;
    expect(calibration).toMatchObject({ fault: null });
    expect(calibration!.errorBeforeG).toBeGreaterThan(0.02);
    expect(calibration!.errorAfterG).toBeLessThan(0.002);
    for (const axis of [0, 1, 2]) {
      expect(calibration!.offsetG[axis]).toBeCloseTo(error.offsetG[axis]!, 2);
      expect(calibration!.gain[axis]).toBeCloseTo(error.gain[axis]!, 2);
    }
    const [, day] = answer.metrics;
    expect(day!.epochMethod).toMatchObject({ site: 'wrist', calibration });
    expect(day!.metrics.CALIBRATION_ERROR_BEFORE).toBe(1000 * calibration!.errorBeforeG!);
    const [, plain] = await uncalibrated(path);
    expect(plain!.epochMethod!.calibration).toMatchObject({ fault: 'TOO_FEW_WINDOWS', windows: 0 });
    expect(plain!.metrics.ACCELERATION_AVG_ENMO! - day!.metrics.ACCELERATION_AVG_ENMO!).toBeGreaterThan(2);
    expect(plain!.metrics.INTENSITY_LIGHT_DURATION).not.toBe(day!.metrics.INTENSITY_LIGHT_DURATION);
  });

  it('is at no known place under a name of another program, and the answer says so', async () => {
    const path = await wristFile('left.cwa', { hours: 0.5 });
    const { recordings } = await bothWays([{ path, location: 'LEFT_WRIST' }], 1000);
    expect(recordings[0]!.channels[0]).not.toHaveProperty('calibration');
    expect(recordings[0]!.notes.join()).toMatch(/LEFT_WRIST is none of the known places.* WRIST,/);
    expect((await bothWays([{ path, location: 'WRIST' }], 1000)).recordings[0]!.notes.join()).not.toMatch(/places/);
  });

  it('says why it was not calibrated', async () => {
    const path = await wristFile('short.cwa', { ...error, hours: 2 });
    const answer = await bothWays([{ path }], 1000);
    expect(answer.recordings[0]!.channels[0]!.calibration).toMatchObject({ fault: 'TOO_FEW_WINDOWS', gain: [1, 1, 1] });
  });
});

type Posture = readonly [displayName: string, fromMinute: number, toMinute: number];

const POSTURES_START_MS = Date.UTC(2024, 4, 14, 20);
const POSTURES_HZ = 16;

/** 45 minutes of a sensor that is worn askew: counts of three axes, 8192 of them per g. */
function askewMotion(): number[][] {
  const { chunks } = syntheticMotion({
    ...{ site: 'chest', startUs: POSTURES_START_MS * 1000, rateHz: POSTURES_HZ, mounting: ASKEW },
    episodes: [
      { doing: 'stand', seconds: 900 },
      { doing: 'lieBack', seconds: 900 },
      { doing: 'stand', seconds: 900 },
    ],
  });
  const all = [...chunks];
  return [0, 1, 2].map((axis) => all.flatMap(({ columns }) => [...columns[axis]!]));
}

/** The sensor as a folder of MC10, whose labels are a file of their own. */
async function askewFolder(name: string, postures: readonly Posture[]): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  const axes = askewMotion();
  const rows = axes[0]!.map((_, i) =>
    [POSTURES_START_MS * 1000 + (i * 1e6) / POSTURES_HZ, ...axes.map((axis) => (axis[i]! / 8192).toFixed(5))].join(),
  );
  const heading = 'Timestamp (microseconds),Accel X (g),Accel Y (g),Accel Z (g)';
  await writeFile(join(path, 'accel.csv'), `${[heading, ...rows].join('\n')}\n`);
  const time = (minute: number): number => POSTURES_START_MS + minute * MINUTE;
  const marks = postures.map(([what, from, to], i) => [time(from), i, what, '', time(from), time(to), ''].join());
  const titles = 'Timestamp (ms),AnnotationId,EventType,AuthorId,Start Timestamp (ms),Stop Timestamp (ms),Value';
  await writeFile(join(path, 'annotations.csv'), `${[titles, ...marks].join('\n')}\n`);
  return path;
}

/** The sensor as EDF+, whose annotations lie among its samples. */
async function askewEdf(name: string, postures: readonly Posture[]): Promise<string> {
  const path = join(folder, name);
  const axes = askewMotion();
  const seconds = axes[0]!.length / POSTURES_HZ;
  const writer = await EdfFileWriter.create(path, {
    ...{ bytesPerSample: 2, isDiscontinuous: false, patient: 'X X X X', recording: 'X X X' },
    startSecondMs: POSTURES_START_MS - 4 * 3_600_000,
    recordCount: seconds,
    recordDurationUs: 1e6,
    signals: axes.map((_, axis) => ({
      ...{ label: `Accel ${'XYZ'[axis]}`, unit: 'g', transducer: '', prefilter: '', samplesPerRecord: POSTURES_HZ },
      ...{ physicalMinimum: -4, physicalMaximum: 4, digitalMinimum: -32_768, digitalMaximum: 32_768 - 1 },
    })),
    annotationBytes: 64,
  });
  for (let second = 0; second < seconds; second++) {
    const samples = axes.map((axis) => Int32Array.from(axis.slice(second * POSTURES_HZ, (second + 1) * POSTURES_HZ)));
    const begins = postures.find(([, fromMinute]) => fromMinute * 60 === second);
    const label = begins && { durationUs: (begins[2] - begins[1]) * 60e6, text: begins[0] };
    const lists = [{ durationUs: 0, text: '' }, ...(label ? [label] : [])];
    const annotations = lists.map((one) => annotationList({ onsetUs: second * 1e6, ...one }));
    await writer.record(samples, Buffer.concat(annotations));
  }
  await writer.finish();
  return path;
}

describe('posture calibrations in a file orient its sensor as in a site', { timeout: 60_000 }, () => {
  it.each([
    ['a folder of MC10', askewFolder, 'CHEST'],
    ['EDF+', askewEdf, 'CHEST'],
    ['EDF+ that is read twice', askewEdf, 'LOWER_BACK'],
  ] as const)('%s', async (name, write, location) => {
    const activitiesOf = ({ channels }: Analysed) => channels.find(({ type }) => type === 'activity')!.values;
    const plain = await bothWays([{ path: await write(`${name} plain`, [['Coffee', 1, 2]]), location }], MINUTE);
    const postures: Posture[] = [
      ['Calibration: standing', 5, 6],
      ['calibration: lying ', 20, 22],
    ];
    const labelled = await bothWays([{ path: await write(`${name} labelled`, postures), location }], MINUTE);
    expect(activitiesOf(plain)).not.toContain('RESTING:LYING');
    expect(activitiesOf(labelled).slice(16, 29)).toEqual(new Array(13).fill('RESTING:LYING'));
  });
});

it('gives the days, nights and heart of two sensors over several files, with a gap of days', {
  timeout: 180_000,
}, async () => {
  const sensors: Sensor[] = [];
  for (const [seed, startMs, hours] of [
    [1, Date.UTC(2024, 4, 14, 15), 22],
    [2, Date.UTC(2024, 4, 18, 1), 5],
  ] as const) {
    const { recordings } = simulateSubject({
      ...{ seed, timeZone: ZONE, startMs, stopMs: startMs + hours * 3_600_000, dailyCharging: false },
    });
    for (const recording of recordings) {
      const { path } = await writeSimulatedRecording(folder, recording);
      sensors.push({ path });
    }
  }
  const { metrics, sleep } = await bothWays(sensors, MINUTE);
  expect(metrics.length).toBeGreaterThan(2);
  expect(sleep.length).toBeGreaterThan(0);
  for (const name of ['HEART_SDNN', 'MOVING_STEPS', 'SLEEPING_EFFICIENCY', 'SENSOR_WEAR_DURATION'])
    expect(
      metrics.some((day) => name in day.metrics),
      name,
    ).toBe(true);
});

it('gives the days of a hip by the parameters that a study chose', { timeout: 180_000 }, async () => {
  const { store, study } = engine;
  const chosen = {
    cutPoints: { waist: 'freedson-adults-hip' },
    nonWear: 'choi-2011',
    rhythm: { pauseSeconds: 2 },
  } as const;
  const file = join(folder, 'parameters.json');
  await writeFile(file, JSON.stringify(chosen));
  const path = await wristFile('hip.cwa', { off: [3, 5], gain: [1.02, 1, 1] });
  const choose = (analysisParameters: AnalysisParameters) =>
    store.studies.putDefinition(study.studyId, { analysisParameters }, { actor: { type: 'USER', id: study.userId } });
  await choose(completeParameters(chosen));
  try {
    const { metrics } = await bothWays([{ path, location: 'HIP' }], MINUTE, '--parameters', file);
    expect(metrics[1]!.epochMethod).toMatchObject({ cutPoints: 'freedson-adults-hip', nonWear: 'choi-2011' });
  } finally {
    await choose(DEFAULT_ANALYSIS_PARAMETERS);
  }
});

const devices = realData('devices');
const formats = realData('formats');
const motion = realData('motion');
const ecg = realData('ecg');
if (!devices) console.warn('Skipped: no recordings under ../shared/data/devices.');
if (!ecg) console.warn('Skipped: no recordings under ../shared/data/ecg.');

/** Per file of a device, the places where it could have been worn. */
const DEVICE_FILES: [file: string, ...locations: string[]][] = [
  ['axivity/ax3_testfile.cwa', 'WRIST', 'HIP'],
  ['axivity/ax6_testfile.cwa', 'WRIST', 'SACRUM'],
  ['actigraph/TAS1H30182785_2019-09-17.gt3x', 'WRIST', 'HIP'],
  ['actigraph/nhanes_sample.gt3x', 'WAIST'],
  ['actigraph/cpiw_032hz.agdc', 'WRIST'],
  ['geneactiv/GENEActiv_testfile.bin', 'WRIST'],
  ['geneactiv/left_ankle_example.bin', 'WRIST', 'ANKLE'],
  ['matrix/mtx_12.5Hz_acc_gyro.BIN', 'WRIST'],
  ['matrix/mtx_25Hz_acc_HR.BIN', 'WRIST'],
  ['empatica-e4/e4_short.zip', 'WRIST'],
  ['embraceplus/embraceplus_120s.avro', 'WRIST'],
  ['polar-sensor-logger', 'LOWER_BACK'],
  ['shimmer/gsr_imu_calibrated.csv', 'WRIST'],
  ['shimmer/ecg_calibrated.csv', 'MEDIAL_CHEST'],
  ['movesense/ECG-540.csv', 'MEDIAL_CHEST'],
  ['movesense/imu9_log.json', 'ANTERIOR_THIGH'],
  ['faros/testfile_read.EDF', 'MEDIAL_CHEST'],
  ['ishne/lifecard_first300s.ecg', 'ECG_LEAD_II'],
  ['unisens', 'MEDIAL_CHEST'],
  ['resting-ecg/Example.dcm', 'ECG_LEAD_II'],
];

describe.skipIf(!devices)(
  'a file of a device gives the same seconds, channels and metrics',
  { timeout: 60_000 },
  () => {
    it.each(DEVICE_FILES.flatMap(([file, ...locations]) => locations.map((location) => [file, location] as const)))(
      '%s at %s',
      async (file, location) => {
        const answer = await bothWays([{ path: join(devices!, file), location }], 1000);
        expect(answer.recordings.length).toBeGreaterThan(0);
      },
    );
  },
);

describe.skipIf(!ecg)('an ECG gives the same beats, rhythm and metrics', { timeout: 120_000 }, () => {
  it.each(['mitdb-208', 'mitdb-222', 'marsh-0017', 'polar-h10'])('%s', async (name) => {
    const path = join(folder, `${name}.edf`);
    // Over a local midnight, and a noon away from it.
    await writeReferenceEdf(join(ecg!, `${name}.json`), path, { startMs: Date.UTC(2024, 0, 8, 23, 50) });
    const { beatTs, recordingIds } = await bothWays([{ path, location: 'ECG_LEAD_II' }], 1000);
    expect(beatTs.length).toBeGreaterThan(100);
    expect(beatTs).toEqual(recordingIds.flatMap(beatsOfSite));
  });
});

describe.skipIf(!motion)('a lower back and a thigh give the same activities and metrics', { timeout: 120_000 }, () => {
  it.each(['harth-S026', 'harth-S030'])('%s', async (name) => {
    const sensors = [];
    for (const [site, location] of Object.entries({ back: 'LOWER_BACK', thigh: 'THIGH' })) {
      const path = join(folder, `${name}.${site}.edf`);
      await writeReferenceEdf(join(motion!, 'harth', `${name}.json`), path, { site });
      sensors.push({ path, location });
    }
    const { metrics, recordings } = await bothWays(sensors, 5000);
    expect(metrics.length).toBeGreaterThan(0);
    expect(recordings.map(({ location }) => location)).toEqual(['SACRUM', 'ANTERIOR_THIGH']);
    expect(recordings.map(({ channels }) => channels[0]!.calibration !== undefined)).toEqual([true, false]);
  });
});

describe.skipIf(!formats)('a file of another program gives the same channels', { timeout: 60_000 }, () => {
  it.each([
    ['mc10/reflex-elec.zip', 'MEDIAL_CHEST'],
    ['mc10/reflex-hammer.zip', 'WRIST'],
    ['wfdb/100.hea', 'ECG_LEAD_II'],
    ['wfdb/a103l.hea', 'ECG_LEAD_II'],
    ['edf/test_generator.edf', 'MEDIAL_CHEST'],
  ])('%s', async (file, location) => {
    await bothWays([{ path: join(formats!, file), location }], 1000);
  });
});
