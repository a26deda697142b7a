import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImport, readImports } from '../../testing/import-fixtures.ts';
import { realData } from '../../testing/real-data.ts';
import { expectTruth, type TruthValues } from '../../testing/truth-values.ts';
import { openImport } from '../index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-polar-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const UTC = (text: string): number => Date.parse(`${text}Z`) * 1000;
const NS_2022 = 704_201_974_831_254_116n;

let made = 0;
async function write(name: string, lines: string[], end = '\n'): Promise<string> {
  const path = join(await mkdtemp(join(folder, `${made++}-`)), name);
  await writeFile(path, lines.join('\n') + end);
  return path;
}

const stamp = (ms: number): string => new Date(ms).toISOString().slice(0, -1);

/** Rows as the app writes them: the phone's time computed from the sensor's. */
function rows(
  startMs: number,
  startNs: bigint,
  stepNs: bigint,
  count: number,
  values: (i: number) => string,
): string[] {
  return Array.from({ length: count }, (_, i) => {
    const ns = startNs + BigInt(i) * stepNs;
    return `${stamp(startMs + Number((BigInt(i) * stepNs) / 1_000_000n))};${ns};${values(i)}`;
  });
}

const data = realData('devices/polar-sensor-logger');

describe.runIf(data)('Polar Sensor Logger, real files', () => {
  const at = (name: string): string => `${data}/${name}`;
  const truth = JSON.parse(data ? readFileSync(at('truth.json'), 'utf8') : '{"files":[]}') as {
    files: {
      file: string;
      values: TruthValues;
      phoneFirst: string;
      sensorFirstNs: string;
      sensorLastNs: string;
      marks: string[][];
    }[];
  };
  const of = (file: string) => truth.files.find((entry) => entry.file === file)!;

  it('reads acceleration to every value, with the distances of the sensor clock', async () => {
    const { values, phoneFirst, sensorFirstNs, sensorLastNs } = of('Polar_Sense_ACC.txt');
    const { channels, header, notes, marks } = await readImport([at('Polar_Sense_ACC.txt')], { timeZone: 'UTC' });
    const accel = channels[0]!;
    expect(accel.channel).toMatchObject({ type: 'ACCEL', unit: 'g', nominalRateHz: 52, sampleBits: 16 });
    expectTruth(
      accel.values.map((column) => column.map((g) => g * 1000)),
      values,
      1e-9,
    );
    expect(accel.values[0]![0]).toBe(-0.777);
    expect(accel.timesUs[0]).toBe(UTC(phoneFirst));
    const spanNs = BigInt(sensorLastNs) - BigInt(sensorFirstNs);
    expect(accel.timesUs.at(-1)! - accel.timesUs[0]!).toBe(Math.round(Number(spanNs) / 1000));
    expect(header.device).toEqual({ maker: 'Polar' });
    expect(header.hardwareId).toBe('Sense');
    expect([notes, marks]).toEqual([[], []]);
  });

  it('joins the streams of a folder: signals, pulse intervals and marks', async () => {
    const read = await readImports(
      [at('Polar_Sense_ACC.txt'), at('Polar_Sense_HR.txt'), at('Polar_Sense_PPI.txt'), at('MARKER.txt')],
      {
        timeZone: 'Europe/Istanbul',
      },
    );
    expect(read.map(({ channels }) => channels.map(({ channel }) => channel.type))).toEqual([['ACCEL', 'HR'], ['PPI']]);
    const [signals, pulse] = read;
    // Turkey is three hours ahead all year.
    const local = (text: string): number => UTC(text) - 3 * 3600e6;
    expect(signals!.channels[0]!.timesUs[0]).toBe(local('2022-04-25T11:39:36.978'));
    const rate = signals!.channels[1]!;
    const rates = of('Polar_Sense_HR.txt').values;
    // Zeros mean that there is no rate.
    const text = readFileSync(at('Polar_Sense_HR.txt'), 'utf8').trim().split('\n').slice(1);
    const zeros = text.filter((line) => line.endsWith(';0')).length;
    expect(zeros).toBeGreaterThan(0);
    expect(rate.values[0]!.length).toBe(rates.count - zeros);
    expect(rate.values[0]!.reduce((a, b) => a + b, 0)).toBe(rates.sum[0]);
    expect(Math.max(...rate.values[0]!)).toBe(rates.max[0]);
    expect(rate.values[0]!.slice(-3)).toEqual(rates.last.flat());
    expect(signals!.marks.filter(({ channel }) => channel === 1)[0]).toMatchObject({ reason: 'NO_CONTACT' });
    expect(signals!.labels).toEqual([
      { startUs: local('2022-04-25T11:40:02.383'), stopUs: local('2022-04-25T11:48:03.398'), displayName: 'Marker' },
    ]);
    const ppi = pulse!.channels[0]!;
    const pulses = of('Polar_Sense_PPI.txt').values;
    const lines = readFileSync(at('Polar_Sense_PPI.txt'), 'utf8').trim().split('\n').slice(1);
    const used = lines.map((line) => line.split(';')).filter((cells) => cells[3] === '0');
    expect(lines.length).toBe(pulses.count);
    expect(ppi.counts[0]).toEqual(used.map((cells) => Number(cells[1])));
    expect(ppi.counts[1]).toEqual(used.map((cells) => Number(cells[2])));
    expect(pulse!.notes.join()).toContain(`${pulses.sum[2]} intervals that the sensor marks as invalid`);
    // Each beat follows the one before by its interval; the sum stays within two seconds of the phone's times.
    for (let i = 1; i < ppi.timesUs.length; i++) {
      const step = ppi.timesUs[i]! - ppi.timesUs[i - 1]!;
      expect(step === ppi.counts[0]![i]! * 1000 || step >= 250_000).toBe(true);
    }
    const lastEnd = local('2022-04-25T11:48:09.446') + 1_202_000;
    expect(Math.abs(ppi.timesUs.at(-1)! - lastEnd)).toBeLessThan(2e6);
  });

  it('reads the same from the folder, and notes what it left out', async () => {
    const source = await openImport([data!], { timeZone: 'UTC' });
    expect(source.recordings.length).toBe(2);
    expect(source.clock).toEqual({ kind: 'WALL_CLOCK', wallStart: '2022-04-25T11:39:02.323' });
    expect(source.recordings[0]!.notes.join()).toContain('truth.json');
    await source.close();
  });
});

describe('Polar Sensor Logger', () => {
  const start = Date.UTC(2024, 5, 1, 8, 0, 0);
  const ECG = 'Phone timestamp;sensor timestamp [ns];timestamp [ms];ecg [uV]';
  const ACC = 'Phone timestamp;sensor timestamp [ns];X [mg];Y [mg];Z [mg]';

  it('takes one offset for all streams, the smallest', async () => {
    const ecg = await write('Polar_H10_02849638_20240601080000_ECG.txt', [
      ECG,
      ...rows(start + 2500, NS_2022 + 1_000_000n, 7_692_307n, 300, (i) => `${i * 7.692307};${(i * 37) % 900}`),
    ]);
    const acc = await write('Polar_H10_02849638_20240601080000_ACC.txt', [
      ACC,
      ...rows(start + 900, NS_2022, 19_600_000n, 100, (i) => `${i};-${i};1000`),
    ]);
    const [read] = await readImports([ecg, acc], { timeZone: 'UTC' });
    expect(read!.channels.map(({ channel }) => [channel.type, channel.nominalRateHz])).toEqual([
      ['ECG', 130],
      ['ACCEL', 50],
    ]);
    const ecgTimes = read!.channels.find(({ channel }) => channel.type === 'ECG')!.timesUs;
    const accTimes = read!.channels.find(({ channel }) => channel.type === 'ACCEL')!.timesUs;
    expect(accTimes[0]).toBe((start + 900) * 1000);
    // One millisecond later by the sensor, although the phone's column says 1.6 s.
    expect(ecgTimes[0]! - accTimes[0]!).toBe(1000);
    const microvolts = read!.channels.find(({ channel }) => channel.type === 'ECG')!;
    expect(microvolts.values[0]!.slice(0, 3)).toEqual([0, 0.000037, 0.000074]);
    expect(read!.header).toMatchObject({ udid: '02849638', hardwareId: 'H10', device: { maker: 'Polar' } });
  });

  it('keeps nanoseconds beyond 2^53 apart', async () => {
    const step = 7_692_307n;
    const path = await write('ECG.txt', [ECG, ...rows(start, NS_2022 + 789n, step, 200, (i) => `0;${i}`)]);
    const { channels } = await readImport([path], { timeZone: 'UTC' });
    channels[0]!.timesUs.forEach((time, i) => {
      const exact = Number((NS_2022 + 789n + BigInt(i) * step) / 1000n - (NS_2022 + 789n) / 1000n);
      expect(Math.abs(time - start * 1000 - exact)).toBeLessThanOrEqual(1);
    });
  });

  it('starts where the phone says when the sensor clock was never set, and after a restart', async () => {
    const unset = 599_616_050_941_733_632n;
    const path = await write('ACC.txt', [
      ACC,
      ...rows(start, unset, 20_000_000n, 100, () => '0;0;1000'),
      ...rows(start + 60_000, unset, 20_000_000n, 50, () => '0;0;900'),
      ...rows(start + 62_000, NS_2022, 20_000_000n, 50, () => '0;0;800'),
    ]);
    const { channels, marks, notes } = await readImport([path], { timeZone: 'UTC' });
    const { timesUs, values } = channels[0]!;
    expect(timesUs[0]).toBe(start * 1000);
    expect(timesUs.length).toBe(200);
    expect(timesUs[100]).toBe((start + 60_000) * 1000);
    expect(timesUs[150]).toBe((start + 62_000) * 1000);
    expect(values[2]![199]).toBe(0.8);
    expect(marks).toEqual([
      { channel: 0, timeUs: timesUs[99], reason: 'SENSOR_RESTART' },
      { channel: 0, timeUs: timesUs[149], reason: 'SENSOR_RESTART' },
    ]);
    expect(notes.join()).toContain('clock was not set');
  });

  it('follows the sensor when the clock of the phone is changed, and marks lost frames', async () => {
    const before = rows(start, NS_2022, 20_000_000n, 100, () => '1;2;3');
    const after = rows(start + 3_600_000 + 2000, NS_2022 + 2_000_000_000n, 20_000_000n, 100, () => '4;5;6');
    const later = rows(start + 3_600_000 + 14_000, NS_2022 + 14_000_000_000n, 20_000_000n, 10, () => '7;8;9');
    const { channels, marks } = await readImport([await write('ACC.txt', [ACC, ...before, ...after, ...later])], {
      timeZone: 'UTC',
    });
    const { timesUs } = channels[0]!;
    expect(timesUs[100]! - timesUs[99]!).toBe(20_000);
    expect(timesUs[200]! - timesUs[199]!).toBe(10_020_000);
    expect(marks).toEqual([{ channel: 0, timeUs: timesUs[199], reason: 'LINK_LOST' }]);
  });

  it('reads gyroscope, magnetometer, light and unknown columns as channels of their own', async () => {
    const head = 'Phone timestamp;sensor timestamp [ns];';
    const files = [
      await write('Polar_Sense_GYRO.txt', [
        `${head}X [dps];Y [dps];Z [dps]`,
        ...rows(start, NS_2022, 19_230_769n, 60, (i) => `${i / 16384};0.5;-0.25`),
      ]),
      await write('Polar_Sense_MAGN.txt', [
        `${head}X [G];Y [G];Z [G];`,
        ...rows(start, NS_2022, 50_000_000n, 60, (i) => `0.${i + 10};0.2;-0.3;`),
      ]),
      await write('Polar_Sense_PPG.txt', [
        `${head}channel 0;channel 1;channel 2;ambient`,
        ...rows(start, NS_2022, 18_181_818n, 60, (i) => `${400_000 + i};-5;7;99`),
      ]),
      await write('Polar_Sense_TEMP.txt', [
        `${head}temperature [C]`,
        ...rows(start, NS_2022, 1_000_000_000n, 60, (i) => `3${i % 9}.5`),
      ]),
    ];
    const { channels } = await readImport(files, { timeZone: 'UTC' });
    expect(channels.map(({ channel }) => [channel.type, channel.unit, channel.dimensions.join()])).toEqual([
      ['GYRO', 'dps', 'x,y,z'],
      ['MAGNETOMETER', 'uT', 'x,y,z'],
      ['PPG', 'adu', 'channel_0,channel_1,channel_2,ambient'],
      ['TEMPERATURE', 'degC', 'v'],
    ]);
    expect(channels[0]!.values[0]![3]).toBe(3 / 16384);
    expect(channels[1]!.values[0]![0]).toBeCloseTo(10, 10);
    expect(channels[2]!.values[0]![59]).toBe(400_059);
    expect(channels[3]!.values[0]![1]).toBe(31.5);
  });

  it('reads both column orders of pulse intervals alike', async () => {
    const intervals = [900, 910, 905, 0, 880, 890];
    let ms = start;
    const old = intervals.map((pp, i) => {
      const line = `${stamp(ms)};${pp};12;${i === 3 ? 1 : 0};1;1;65`;
      ms += pp;
      return line;
    });
    const first = await write('PPI.txt', [
      'Phone timestamp;PP-interval [ms];error estimate [ms];blocker;contact;contact;hr [bpm]',
      ...old,
    ]);
    const second = await write('PPI.txt', [
      'Phone timestamp;sensor timestamp [ns];HR [bpm];PP-interval [ms];error estimate [ms];blocker;skin contact;skin contact supported',
      ...old.map((line) => {
        const [time, pp, error, blocker] = line.split(';');
        return `${time};0;65;${pp};${error};${blocker};1;1`;
      }),
    ]);
    const [a] = await readImports([first], { timeZone: 'UTC' });
    const [b] = await readImports([second], { timeZone: 'UTC' });
    expect(a!.channels[0]!.counts).toEqual([
      [900, 910, 905, 880, 890],
      [12, 12, 12, 12, 12],
    ]);
    expect(b!.channels).toEqual(a!.channels);
    expect(a!.channels[0]!.timesUs[0]).toBe((start + 900) * 1000);
    expect(a!.marks).toEqual([{ channel: 0, timeUs: (start + 2715) * 1000, reason: 'NO_CONTACT' }]);
  });

  it('places RR intervals by their sum, and begins again after a silence', async () => {
    const lines = ['Phone timestamp;RR-interval [ms]'];
    for (let i = 0; i < 50; i++) lines.push(`${stamp(start + 1000 * i + (i % 3) * 120)};1000`);
    for (let i = 0; i < 20; i++) lines.push(`${stamp(start + 90_000 + 800 * i)};800`);
    const [read] = await readImports([await write('Polar_H10_AB12CD34_20240601080000_RR.txt', lines)], {
      timeZone: 'UTC',
    });
    const { channel, timesUs, counts } = read!.channels[0]!;
    expect(channel).toMatchObject({ type: 'RR', dimensions: ['rr'], unit: 's', scale: [0.001] });
    expect(counts[0]!.length).toBe(70);
    expect(timesUs.slice(0, 3)).toEqual([start, start + 1000, start + 2000].map((ms) => ms * 1000));
    expect(timesUs[50]).toBe((start + 90_000) * 1000);
    expect(read!.marks).toEqual([{ channel: 0, timeUs: timesUs[49], reason: 'LOST_BLOCK' }]);
  });

  it('reads rates whose rows leave out empty columns', async () => {
    const path = await write('HR.txt', [
      'Phone timestamp;HR [bpm];HRV [ms];Breathing interval [rpm];',
      ...Array.from(
        { length: 30 },
        (_, i) => `${stamp(start + i * 1000)};${60 + (i % 5)}${i % 10 === 9 ? ';42.5;14.0;' : ''}`,
      ),
    ]);
    const { channels } = await readImport([path], { timeZone: 'UTC' });
    expect(channels.map(({ channel, timesUs }) => [channel.type, timesUs.length])).toEqual([
      ['HR', 30],
      ['HRV', 3],
      ['BREATHING_INTERVAL', 3],
    ]);
    expect(channels[1]!.values[0]).toEqual([42.5, 42.5, 42.5]);
  });

  it('reads around damaged lines, and leaves out a last line that may be cut', async () => {
    const good = rows(start, NS_2022, 20_000_000n, 300, (i) => `${i};${i};1000`);
    const broken = [...good];
    broken[50] = `${broken[50]!.slice(0, 30)}\u0000\u0000`;
    broken[60] = broken[60]!.replace(';7042', ';9042');
    broken[70] = broken[70]!.replace('2024-06', '2024-16');
    broken[80] = `${broken[80]};5`;
    const path = await write('ACC.txt', [ACC, ...broken], '');
    const { channels, notes } = await readImport([path], { timeZone: 'UTC' });
    const { values, timesUs } = channels[0]!;
    expect(values[0]).toEqual(
      Array.from({ length: 299 }, (_, i) => i / 1000).filter((_, i) => ![50, 60, 70, 80].includes(i)),
    );
    expect(timesUs[100]! - timesUs[96]!).toBe(80_000);
    expect(notes.join()).toContain('3 lines are damaged');
    expect(notes.join()).toContain('1 row has a time out of order');
    expect(notes.join()).toContain('may be cut');
  });

  it.each([
    ['commas', (line: string) => line.replaceAll(';', ',')],
    ['tabs', (line: string) => line.replaceAll(';', '\t')],
    ['tabs and decimal commas', (line: string) => line.replaceAll('.', ',').replaceAll(';', '\t')],
    ['quoted texts', (line: string) => line.replace(/^([^;]+);/, '"$1";')],
  ])('reads tables that another program saved with %s', async (_, saved) => {
    const lines = [
      'Phone timestamp;sensor timestamp [ns];X [g];Y [g];Z [g]',
      ...rows(start, NS_2022, 19_230_769n, 500, (i) => `${i / 1000};-0.5;1.25`),
    ];
    const name = 'Polar_Sense_A40F6F28_20240601_080000_ACC.txt';
    const plain = await readImport([await write(name, lines)], { timeZone: 'UTC' });
    const again = await readImport([await write(name, lines.map(saved))], { timeZone: 'UTC' });
    const [accel] = again.channels;
    expect(accel!.values).toEqual(plain.channels[0]!.values);
    expect(accel!.values[0]![499]).toBeCloseTo(0.499, 9);
    expect(accel!.timesUs).toEqual(plain.channels[0]!.timesUs);
    expect(again.notes).toEqual(plain.notes);
  });

  it('takes the times of the phone where another program rounded the nanoseconds', async () => {
    const lines = rows(start, NS_2022, 20_000_000n, 300, (i) => `${i};0;1000`);
    const rounded = lines.map((line) => line.replace(/;\d{18};/, ';7.04202E+17;'));
    const { channels, notes } = await readImport([await write('Polar_Sense_ACC.txt', [ACC, ...rounded])], {
      timeZone: 'UTC',
    });
    expect(channels[0]!.timesUs.length).toBe(300);
    expect(channels[0]!.timesUs[299]).toBe((start + 299 * 20) * 1000);
    expect(notes.join()).toContain("rounded the sensor's nanoseconds");
  });

  it('reads intervals and marks of tables with commas', async () => {
    const interval = await write('Polar_H10_02849638_20240601080000_RR.txt', [
      'Phone timestamp,RR-interval [ms]',
      ...Array.from({ length: 20 }, (_, i) => `${stamp(start + (i + 1) * 800)},800`),
    ]);
    const markers = await write('MARKER_20240601_080000.txt', [
      'Phone timestamp,Marker start/stop',
      `${stamp(start + 2000)},MARKER_START`,
      `${stamp(start + 4000)},MARKER_STOP`,
    ]);
    const read = await readImport([interval, markers], { timeZone: 'UTC' });
    expect(read.channels[0]!.values[0]!.length).toBe(20);
    expect(read.labels).toMatchObject([{ startUs: (start + 2000) * 1000, stopUs: (start + 4000) * 1000 }]);
  });

  it('asks for the zone: the wall clock is read in it', async () => {
    const path = await write('ACC.txt', [ACC, ...rows(start, NS_2022, 20_000_000n, 60, () => '0;0;1000')]);
    const source = await openImport([path], {});
    expect(source.clock).toEqual({ kind: 'WALL_CLOCK', wallStart: '2024-06-01T08:00:00.000' });
    expect(source.recordings[0]!.notes.join()).toContain('without a time zone');
    await source.close();
    const { channels } = await readImport([path], { timeZone: 'Asia/Tokyo' });
    expect(channels[0]!.timesUs[0]).toBe((start - 9 * 3600e3) * 1000);
  });

  it('refuses a file without rows', async () => {
    await expect(openImport([await write('ACC.txt', [ACC])])).rejects.toMatchObject({ code: 'FILE_EMPTY' });
  });
});
