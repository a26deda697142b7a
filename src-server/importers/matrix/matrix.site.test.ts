import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceTruth, expectTruth, type TruthNumbers } from '../../testing/device-truth.ts';
import { readImport } from '../../testing/import-fixtures.ts';
import { openImport } from '../index.ts';

const truth = deviceTruth('matrix');
const utc = { timeZone: 'UTC' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-matrix-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function saved(bytes: Uint8Array): Promise<string> {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, bytes);
  return path;
}

/** One linear scale lies between the two of the truth, within 0.0016 % of either. */
function expectScaled(values: number[][], expected: TruthNumbers): void {
  const largest = Math.max(...expected.min!.map(Math.abs), ...expected.max!.map(Math.abs));
  const { sum: _, sumAbs: __, ...single } = expected;
  expectTruth(values, single, largest * 1.6e-5 + 5e-6);
}

describe.runIf(truth)('recordings of real devices', () => {
  it.each(truth?.files ?? [])('reads $file to its truth', async (file) => {
    const { format, channels, header, notes } = await readImport([file.path], utc);
    expect(format).toBe('Parmay Matrix');
    expect(header).toMatchObject({ hardwareId: 'Matrix', device: { maker: 'Parmay' } });
    const of = (type: string) => channels.find(({ channel }) => channel.type === type);
    const accel = of('ACCEL')!;
    expectTruth(accel.counts, file.accelCounts, 0);
    expectScaled(accel.values, file.accelG);
    if (file.gyroDps) expectScaled(of('GYRO')!.values, file.gyroDps);
    else expect(of('GYRO')).toBeUndefined();
    if (file.temperatureC) {
      const rows = file.temperatureC.values as number[][];
      expect(of('TEMPERATURE')!.values).toEqual([rows.map(([body]) => body), rows.map(([, ambient]) => ambient)]);
    }
    expect(of('HR')!.counts[0]!.length).toBe(file.heart.count);
    const first = file.heart.first as number[][];
    expect(of('PPG')!.counts[0]!.slice(0, first.length)).toEqual(first.map(([raw]) => raw));
    expect(of('HR')!.counts[0]!.slice(0, first.length)).toEqual(first.map(([, bpm]) => bpm));
    let sample = 0;
    for (const { startUs, endUs, accel: count } of file.packets as {
      startUs: number;
      endUs: number;
      accel: number;
    }[]) {
      expect(accel.timesUs[sample]).toBe(startUs);
      expect(accel.timesUs[sample + 1]! - startUs).toBe(Math.round((endUs - startUs) / count));
      sample += count;
    }
    expect(notes).toEqual(['Heart rates of 0 are those that the device stored where it found none.']);
  });

  it('leaves out a packet with one flipped bit, and finds the next', async () => {
    const file = truth!.files.find(({ packets }) => packets.length === 4)!;
    const bytes = readFileSync(file.path);
    const second = 524 + file.packets[0].declaredBytes;
    bytes[second + 5000]! ^= 4;
    const { channels, marks, notes } = await readImport([await saved(bytes)], utc);
    const [accel] = channels;
    const counts = file.packets.map((packet: { accel: number }) => packet.accel);
    expect(accel!.counts[0]!.length).toBe(counts[0] + counts[2] + counts[3]);
    expect(accel!.timesUs[counts[0]]).toBe(file.packets[2].startUs);
    expect(marks).toContainEqual({ channel: 0, timeUs: accel!.timesUs[counts[0] - 1], reason: 'BAD_CHECKSUM' });
    expect(notes.join()).toMatch(/1 packets are not whole or do not match/);
  });
});

interface Made {
  start: number;
  end: number;
  accel?: number[][];
  gyro?: number[][];
  temperature?: number[][];
  heart?: number[][];
}

function packet({ start, end, accel = [], gyro = [], temperature = [], heart = [] }: Made): Buffer {
  const numbers = [accel, gyro, temperature, heart].flat(2);
  const checked = Buffer.alloc(24 + 2 * numbers.length);
  [start, end, accel.length, gyro.length, temperature.length, heart.length].forEach((value, i) => {
    checked.writeUInt32LE(value, 4 * i);
  });
  numbers.forEach((value, i) => {
    checked.writeInt16LE(value, 24 + 2 * i);
  });
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(checked));
  return Buffer.concat([Buffer.from('MDTCPACK'), sum, checked]);
}

function file(packets: Buffer[], { range = 8, gyroRange = 2000, announced = packets.length } = {}): Buffer {
  const head = Buffer.alloc(524);
  head.write('MDTC', 512);
  head.writeUInt32LE(announced, 516);
  head.writeUInt16LE(range, 520);
  head.writeUInt16LE(gyroRange, 522);
  return Buffer.concat([head, ...packets]);
}

const START = Date.UTC(2025, 0, 15, 8) / 1000;
const rows = (count: number, first = 0): number[][] => Array.from({ length: count }, (_, i) => [first + i, -i, 4096]);

describe('files made by the layout', () => {
  it('have the rate of each packet, a gap between two, and the wall clock of the given zone', async () => {
    const made = file([
      packet({ start: START, end: START + 10, accel: rows(128) }),
      packet({ start: START + 10, end: START + 20, accel: rows(120, 500), gyro: [[32_767, -32_768, 0]] }),
      packet({ start: START + 100, end: START + 110, accel: rows(100, 900) }),
    ]);
    const { channels, marks, notes } = await readImport([await saved(made)], { timeZone: 'Europe/Berlin' });
    const at = (sample: number): number => channels[0]!.timesUs[sample]! / 1e6 - (START - 3600);
    expect([at(0), at(64), at(128), at(188), at(248), at(258)]).toEqual([0, 5, 10, 15, 100, 101]);
    expect(marks).toEqual([{ channel: 0, timeUs: channels[0]!.timesUs[247], reason: 'LOST_BLOCK' }]);
    expect(channels[1]!.values.map(([value]) => Math.round(value!))).toEqual([2000, -2000, 0]);
    expect(channels[0]!.channel.nominalRateHz).toBe(12);
    expect(notes).toEqual([]);
  });

  it('that were cut keep their whole packets', async () => {
    const made = file([
      packet({ start: START, end: START + 10, accel: rows(100) }),
      packet({ start: START + 10, end: START + 20, accel: rows(100) }),
    ]);
    const { channels, marks, notes } = await readImport([await saved(made.subarray(0, -7))], utc);
    expect(channels[0]!.counts[0]!.length).toBe(100);
    expect(notes).toEqual([
      '1 packets are not whole or do not match their checksum and are gaps. The last one was cut off.',
    ]);
    expect(marks).toEqual([{ channel: 0, timeUs: channels[0]!.timesUs[99], reason: 'BAD_CHECKSUM' }]);
  });

  it('hold no time twice', async () => {
    const one = packet({ start: START, end: START + 10, accel: rows(100) });
    const { channels, notes } = await readImport([await saved(file([one, one]))], utc);
    expect(channels[0]!.counts[0]!.length).toBe(100);
    expect(notes).toEqual(['1 packets begin before the end of the one before and were left out.']);
  });

  it('are refused without a whole packet, with an impossible range, or with nothing in them', async () => {
    const one = packet({ start: START, end: START + 10, accel: rows(10) });
    const broken = Buffer.from(one);
    broken[50]! ^= 1;
    const code = async (bytes: Buffer) =>
      openImport([await saved(bytes)], utc).then(
        () => 'opened',
        (thrown) => thrown.code,
      );
    expect(await code(file([broken]))).toBe('FILE_DAMAGED');
    expect(await code(file([one], { range: 9 }))).toBe('FILE_DAMAGED');
    expect(await code(file([]))).toBe('FILE_EMPTY');
    expect(await code(file([packet({ start: 5, end: 15, accel: rows(10) })]))).toBe('TIME_IMPLAUSIBLE');
    expect(await code(file([packet({ start: START, end: START, accel: rows(10) })]))).toBe('FILE_DAMAGED');
  });
});
