import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceTruth, expectTruth } from '../../testing/device-truth.ts';
import { DEFAULT_START_US, readImport, readImports } from '../../testing/import-fixtures.ts';
import { openImport } from '../index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-movesense-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let made = 0;
async function write(name: string, text: string): Promise<string> {
  const path = join(await mkdtemp(join(folder, `${made++}-`)), name);
  await writeFile(path, text);
  return path;
}

const title = (name: string, tail: string): string => `${' '.repeat(80)}${name.padEnd(80)}${tail}`;
const truth = deviceTruth('movesense');
const fileOf = (name: string) => truth!.files.find(({ file }) => file.startsWith(name))!;
const COUNT_VOLTS = 0.000381469726563e-3;

describe.runIf(truth)('Movesense files of real devices', () => {
  it('reads an ECG with the stamps of its file, and its pause as a gap', async () => {
    const file = fileOf('ECG-540');
    const { channels, marks, notes } = await readImport([file.path]);
    const [ecg] = channels;
    expect(ecg!.channel).toMatchObject({ type: 'ECG', unit: 'V', nominalRateHz: 200, sampleBits: 16 });
    expectTruth(ecg!.counts, file.counts, 0);
    expect(ecg!.values[0]![0]).toBeCloseTo(-115 * COUNT_VOLTS, 15);
    expect(ecg!.timesUs[0]).toBe(file.startUs);
    expect(ecg!.timesUs.at(-1)).toBe(file.lastUs);
    const [gap] = file.gaps as { afterRow: number; fromUs: number; toUs: number }[];
    const last = ecg!.timesUs.indexOf(gap!.fromUs);
    expect(ecg!.timesUs[last + 1]).toBe(gap!.toUs);
    expect(marks).toEqual([{ channel: 0, timeUs: gap!.fromUs, reason: 'LINK_LOST' }]);
    expect(notes.join(' ')).toContain('names no unit');
  });

  it('reads the files of one session together: beats, labels, and the pause that explains the gap', async () => {
    const paths = ['ECG-540', 'HR-540', 'Annotations'].map((name) => fileOf(name).path);
    const [ecg, beats] = await readImports(paths, { timeZone: 'Asia/Tokyo' });
    const { values, rows } = fileOf('HR-540');
    expect(ecg!.marks).toMatchObject([{ reason: 'SENSOR_RESTART' }]);
    expect(ecg!.labels.map(({ displayName, startUs }) => [displayName, startUs])).toEqual([
      ['Recording start', 1737823379225836],
      ['Recording pause', 1737823397640802],
      ['Recording resume', 1737823563436213],
      ['Video annotation start', 1737823570853431],
      ['Video annotation stop', 1737824114844262],
      ['Recording stop', 1737824117312384],
    ]);
    const [rr, rate] = beats!.channels;
    expect(rr!.channel).toMatchObject({ type: 'RR', unit: 's' });
    expect(rr!.counts[0]!.length).toBe(rows);
    expectTruth([rate!.values[0]!, rr!.counts[0]!], values, 1e-4);
    // The start of the recording by the annotations, not the title in the zone that was given.
    expect(rr!.timesUs[0]).toBe(1737823379225836 + 392_000);
    const resumed = rr!.timesUs.findIndex((us) => us > 1737823563436213);
    expect(rr!.timesUs[resumed]! - rr!.counts[0]![resumed]! * 1000).toBe(1737823563436213);
  });

  it('takes the zone of beats from the ECG of their session', async () => {
    const [, beats] = await readImports([fileOf('ECG-540').path, fileOf('HR-540').path], { timeZone: 'Asia/Tokyo' });
    expect(beats!.channels[0]!.timesUs[0]).toBe(Date.UTC(2025, 0, 25, 16, 42, 59) * 1000 + 392_000);
  });

  it('reads beats alone from the wall clock of their title', async () => {
    const source = await openImport([fileOf('HR-540').path], { timeZone: 'Europe/Paris' });
    expect(source.clock).toEqual({ kind: 'WALL_CLOCK', wallStart: '2025-01-25T16:42:59.000' });
    const { channels } = await readImport([fileOf('HR-540').path], { timeZone: 'Europe/Paris' });
    expect(channels[0]!.timesUs[0]).toBe(Date.UTC(2025, 0, 25, 15, 42, 59) * 1000 + 392_000);
  });

  it('reads annotations alone as labels', async () => {
    const source = await openImport([fileOf('Annotations').path]);
    expect(source.recordings).toEqual([]);
    expect(source.labels.length).toBe(6);
  });

  it('reads a log to its truth, with the period that its stamps give', async () => {
    const file = fileOf('imu9_log');
    const { channels, header } = await readImport([file.path]);
    const [accel, gyro, field] = channels;
    expect(channels.map(({ channel }) => channel.type)).toEqual(['ACCEL', 'GYRO', 'MAGNETOMETER']);
    const metric = accel!.values.map((axis) => axis.map((g) => g * 9.80665));
    expectTruth(metric, file.accelMs2, 1e-6);
    expectTruth(gyro!.values, file.gyroDps, 1e-6);
    expect(field!.values[0]![0]).toBeCloseTo(28.6119, 3);
    expect(accel!.channel.nominalRateHz).toBe(104);
    expect(accel!.timesUs[0]).toBe(DEFAULT_START_US);
    expect(accel!.timesUs[8]! - accel!.timesUs[0]!).toBe(75_000);
    expect(accel!.pageCount).toBe(1);
    expect(accel!.timesUs.at(-1)).toBe(DEFAULT_START_US + (162744 - 158319) * 1000 + 7 * 9375);
    expect(header.device).toEqual({ maker: 'Movesense' });
  });

  it('asks when a log was recorded that does not say it', async () => {
    await expect(openImport([fileOf('imu9_log').path])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('Movesense texts', () => {
  const ecg = (rows: string[], tail = '25.01.2516.42.59200 '): Promise<string> =>
    write('ECG.csv', `${[title('ECG', tail), 'Timestamp,Sample', ...rows].join('\r\n')}\r\n`);
  const at = (ms: number): string => `1737823392.${String(ms * 10).padStart(4, '0')}`;

  it('ends a page where the step changes permanently, so that both periods are true', async () => {
    const rows = Array.from({ length: 400 }, (_, i) => {
      const us = i < 200 ? i * 5000 : 199 * 5000 + (i - 199) * 5420;
      return `${(1737823392 + us / 1e6).toFixed(6)},${i % 7}`;
    });
    const source = await openImport([await ecg(rows)]);
    const periods: number[] = [];
    for await (const page of source.recordings[0]!.pages()) periods.push(page.periodUs);
    expect(periods).toEqual([5000, 5420]);
  });

  it('takes values with decimals as millivolts', async () => {
    const { channels } = await readImport([await ecg([`${at(0)},0.125`, `${at(5)},-0.25`, `${at(10)},0.5`])]);
    expect(channels[0]!.values[0]).toEqual([0.000125, -0.00025, 0.0005]);
  });

  it('is not recognised without the title or without its columns', async () => {
    const bare = await write('a.csv', `Timestamp,Sample\n${at(0)},1\n`);
    await expect(openImport([bare])).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
    const other = await write('b.csv', `${title('ECG', '25.01.2516.42.59200')}\nTime,Value\n${at(0)},1\n`);
    await expect(openImport([other])).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
    const noDate = await write('c.csv', `${title('ECG', '45.13.2516.42.59200')}\nTimestamp,Sample\n${at(0)},1\n`);
    await expect(openImport([noDate])).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });

  it('leaves out intervals that cannot be true, and damaged lines, with a gap and a note', async () => {
    const lines = ['60,1000', '60,1000', '60,0', 'x,y', '60,900', '60,1100'];
    const path = await write(
      'HR.csv',
      `${[title('HeartRate', '25.01.2516.42.591   '), 'Average,RRData', ...lines].join('\n')}\n`,
    );
    const { channels, marks, notes } = await readImport([path], { timeZone: 'UTC' });
    expect(channels[0]!.counts[0]).toEqual([1000, 1000, 900, 1100]);
    expect(marks).toMatchObject([{ reason: 'NO_CONTACT' }]);
    expect(notes.join(' ')).toMatch(/1 intervals cannot be true.*1 line is damaged/);
  });
});

describe('Movesense logs', () => {
  const RELATIVE = 122_000;
  const UTC_US = 1_712_240_400_000_000;
  const reading = (relativeTime: number, utcTime: number) => ({ TimeDetailed: { relativeTime, utcTime } });
  const ecg = (Timestamp: number, count = 16) => ({
    MeasEcgmV: { Timestamp, Samples: Array.from({ length: count }, (_, i) => (i - 8) / 1000) },
  });
  const log = (samples: unknown[], indent?: number): Promise<string> =>
    write('log.json', JSON.stringify({ Samples: samples }, null, indent));

  it.each([0, 2])('reads the newer layout in UTC, printed with an indent of %i', async (indent) => {
    const samples = [reading(RELATIVE, UTC_US), ...Array.from({ length: 20 }, (_, i) => ecg(RELATIVE + 500 + i * 80))];
    const path = await log(samples, indent);
    const source = await openImport([path]);
    expect(source.clock).toEqual({ kind: 'UTC' });
    const { channels, header } = await readImport([path], { defaultStartUs: undefined });
    expect(channels[0]!.timesUs[0]).toBe(UTC_US + 500_000);
    expect(channels[0]!.timesUs.length).toBe(320);
    expect(channels[0]!.timesUs[1]! - channels[0]!.timesUs[0]!).toBe(5000);
    expect(channels[0]!.values[0]!.slice(0, 2)).toEqual([-8e-6, -7e-6]);
    expect(channels[0]!.channel).toMatchObject({ nominalRateHz: 200, unit: 'V', sampleBits: 16 });
    expect(header.syncPoints).toEqual([{ sensorUs: UTC_US, hostUs: UTC_US }]);
  });

  it('takes whole numbers of a plain ECG as counts', async () => {
    const path = await write(
      'log.json',
      `{"Meas":{"ECG":[{"Samples":[100,-200],"Timestamp":1000},{"Samples":[300,400],"Timestamp":1010}]}}`,
    );
    const { channels, notes } = await readImport([path]);
    expect(channels[0]!.counts[0]).toEqual([100, -200, 300, 400]);
    expect(channels[0]!.values[0]![0]).toBeCloseTo(100 * COUNT_VOLTS, 15);
    expect(notes.join(' ')).toContain('taken as counts');
  });

  it('ends a page at lost notifications and behind them uses the last good period', async () => {
    const stamps = [0, 80, 160, 240, 480, 560].map((ms) => 5000 + ms);
    const { channels, marks } = await readImport([await log(stamps.map((ms) => ecg(ms)))]);
    const ecgTimes = channels[0]!.timesUs.map((us) => us - DEFAULT_START_US);
    expect(ecgTimes[63]).toBe(240_000 + 75_000);
    expect(ecgTimes[64]).toBe(480_000);
    expect(channels[0]!.pageCount).toBe(2);
    expect(marks).toEqual([{ channel: 0, timeUs: DEFAULT_START_US + 315_000, reason: 'LOST_BLOCK' }]);
  });

  it('marks a restart of the counter, and places what follows by the reading after it', async () => {
    const before = Array.from({ length: 5 }, (_, i) => ecg(900_000 + i * 80));
    const after = Array.from({ length: 5 }, (_, i) => ecg(3000 + i * 80));
    const samples = [reading(899_000, UTC_US), ...before, reading(2000, UTC_US + 60e6), ...after];
    const { channels, marks } = await readImport([await log(samples)]);
    const { timesUs } = channels[0]!;
    expect(timesUs[0]).toBe(UTC_US + 1e6);
    expect(timesUs[80]).toBe(UTC_US + 61e6);
    expect(marks).toEqual([{ channel: 0, timeUs: timesUs[79], reason: 'SENSOR_RESTART' }]);
  });

  it('places samples after a restart without a reading as early as the counter allows', async () => {
    const samples = [ecg(900_000), ecg(900_080), ecg(3000), ecg(3080)];
    const { channels, notes } = await readImport([await log(samples)]);
    expect(channels[0]!.timesUs[32]! - DEFAULT_START_US).toBe(80_000 + 3_000_000);
    expect(notes.join(' ')).toContain('may be later');
  });

  it('follows the counter over its wrap', async () => {
    const last = 2 ** 32 - 80;
    const { channels, marks } = await readImport([await log([ecg(last - 80), ecg(last), ecg(1), ecg(81)])]);
    expect(channels[0]!.timesUs[32]! - channels[0]!.timesUs[16]!).toBe(81_000);
    expect(marks).toEqual([]);
  });

  it('places beats and temperatures without a stamp by the notifications around them', async () => {
    const samples = [
      reading(RELATIVE, UTC_US),
      ...Array.from({ length: 100 }, (_, i) => [
        ecg(RELATIVE + i * 80),
        ...(i % 10 === 9
          ? [
              { MeasHR: { Timestamp: 0, average: 75, rrData: [800] } },
              { MeasTemp: { Timestamp: 0, Measurement: 306.85 } },
            ]
          : []),
      ]).flat(),
    ];
    const [signals, beats] = await readImports([await log(samples)]);
    expect(beats!.channels[0]!.counts[0]).toEqual(Array(10).fill(800));
    expect(beats!.channels[0]!.timesUs[0]).toBe(UTC_US + 9 * 80_000);
    const temperature = signals!.channels.find(({ channel }) => channel.type === 'TEMPERATURE')!;
    expect(temperature.values[0]!.length).toBe(10);
    expect(temperature.values[0]![0]).toBeCloseTo(33.7, 9);
  });

  it.each([undefined, 0])('places beats alone from the reading of UTC, with the start %s', async (defaultStartUs) => {
    const beats = Array.from({ length: 4 }, () => ({ MeasHR: { average: 75, rrData: [800] } }));
    const path = await log([reading(300_000_000, UTC_US), ...beats]);
    const { channels } = await readImport([path], { defaultStartUs });
    expect(channels[0]!.timesUs).toEqual([1, 2, 3, 4].map((beat) => UTC_US + beat * 800_000));
  });

  it.each([false, true])('sums beats that a log lists apart (before the ECG: %s)', async (isFirst) => {
    const streams = {
      HR: Array.from({ length: 12 }, () => ({ average: 75, rrData: [800] })),
      ECG: Array.from({ length: 100 }, (_, i) => ({ Timestamp: 5000 + i * 80, Samples: Array(16).fill(i) })),
      Temp: [{ Timestamp: 0, Measurement: 306.85 }],
    };
    const { HR, ...others } = streams;
    const path = await write('grouped.json', JSON.stringify({ Meas: isFirst ? { HR, ...others } : { ...others, HR } }));
    const [signals, beats] = await readImports([path]);
    const [rr] = beats!.channels;
    expect(rr!.timesUs).toEqual(Array.from({ length: 12 }, (_, i) => DEFAULT_START_US + (i + 1) * 800_000));
    expect(rr!.pageCount).toBe(1);
    expect(beats!.marks).toEqual([]);
    expect(beats!.notes.join(' ')).toContain('by the sum of their intervals, from the start of the log');
    expect(signals!.channels.map(({ channel }) => channel.type)).toEqual(['ECG']);
  });

  it('ties a log that lists readings of UTC behind its signals', async () => {
    const ECG = Array.from({ length: 50 }, (_, i) => ({ Timestamp: RELATIVE + i * 80, Samples: Array(16).fill(i) }));
    const HR = Array.from({ length: 5 }, () => ({ average: 75, rrData: [800] }));
    const TimeDetailed = [{ relativeTime: RELATIVE, utcTime: UTC_US }];
    const path = await write('grouped.json', JSON.stringify({ Meas: { ECG, HR, TimeDetailed } }));
    const [signals, beats] = await readImports([path], { defaultStartUs: undefined });
    expect(signals!.channels[0]!.timesUs[0]).toBe(UTC_US);
    expect(beats!.channels[0]!.timesUs[0]).toBe(UTC_US + 800_000);
    expect(signals!.notes.join(' ')).not.toContain('restarted');
  });

  it('ignores a clock that was never set', async () => {
    const path = await log([reading(RELATIVE, 122_000_000), ecg(RELATIVE), ecg(RELATIVE + 80)]);
    await expect(openImport([path])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('reads what is whole of a log that was cut off or damaged inside', async () => {
    const text = JSON.stringify({ Samples: Array.from({ length: 10 }, (_, i) => ecg(1000 + i * 80)) });
    const cut = await readImport([await write('cut.json', text.slice(0, -40))]);
    expect(cut.channels[0]!.timesUs.length).toBe(9 * 16);
    expect(cut.notes.join(' ')).toContain('was cut off');
    const broken = await readImport([await write('broken.json', text.replace('"Timestamp":1240', '"Timestamp":12x0'))]);
    expect(broken.channels[0]!.timesUs.length).toBe(9 * 16);
    expect(broken.notes.join(' ')).toContain('1 notifications are damaged');
  });

  it('names the streams that it does not read', async () => {
    const { notes } = await readImport([await log([ecg(1000), ecg(1080), { MeasFoo: { Timestamp: 1000, Bar: [1] } }])]);
    expect(notes.join(' ')).toContain('Foo');
  });
});
