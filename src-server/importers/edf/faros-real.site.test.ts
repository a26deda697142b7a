import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImport } from '../../testing/import-fixtures.ts';
import { realData } from '../../testing/real-data.ts';
import { openImport } from '../index.ts';
import { farosFacts } from './faros.ts';

const folder = realData('devices/faros');

interface ChannelTruth {
  label: string;
  rateHz: number;
  count: number;
  first: number[][];
  last: number[][];
  at: Record<string, number[]>;
  min: number[];
  max: number[];
  sum: number[];
  sumAbs: number[];
  nonZero?: [number, number][];
  nonZeroCount?: number;
}

describe('facts of a Faros in the recording field', () => {
  it('are read in any order, and with any offset', () => {
    const field = 'Startdate 12-OCT-2018 X X TZ=-0330_DEVTYPE=Faros360_SER=99_HW=1_SW=3.5.1';
    expect(farosFacts(field)).toEqual({
      device: { maker: 'Bittium', model: 'Faros360', serial: '99', firmware: '3.5.1' },
      utcOffsetMinutes: -210,
    });
    expect(farosFacts('X X DEVTYPE=Faros90_TZ=oops')?.utcOffsetMinutes).toBeUndefined();
    expect(farosFacts('Startdate 12-OCT-2018 X X X')).toBeNull();
  });
});

describe.runIf(folder)('a Bittium Faros recording', () => {
  const truth = folder ? JSON.parse(readFileSync(`${folder}/truth.json`, 'utf8')).files[0] : undefined;
  const path = `${folder}/testfile_read.EDF`;

  it('reads as its truth says, in the offset of the file', async () => {
    const read = await readImport([path], { timeZone: 'Asia/Tokyo' });
    expect(read.header).toMatchObject({
      udid: truth.device.serial,
      hardwareId: truth.device.type,
      firmwareId: truth.device.firmware,
      device: { maker: 'Bittium' },
    });
    expect(read.channels.map(({ channel }) => [channel.type, channel.dimensions, channel.unit])).toEqual([
      ['ECG', ['v'], 'V'],
      ['ACCEL', ['x', 'y', 'z'], 'g'],
      ['RR', ['rr'], 's'],
    ]);
    const [ecg, accel] = truth.channels as ChannelTruth[];
    for (const [channel, expected, perUnit] of [
      [read.channels[0]!, ecg!, 1e6],
      [read.channels[1]!, accel!, 1e3],
    ] as const) {
      const columns = channel.values.map((column) => column.map((value) => value * perUnit));
      const rowAt = (i: number): number[] => columns.map((column) => column[i]!);
      const isRow = (row: number[], wanted: number[]): void =>
        row.forEach((value, d) => {
          expect(value).toBeCloseTo(wanted[d]!, 6);
        });
      expect(columns[0]!.length).toBe(expected.count);
      expected.first.forEach((row, i) => {
        isRow(rowAt(i), row);
      });
      expected.last.forEach((row, i) => {
        isRow(rowAt(expected.count - expected.last.length + i), row);
      });
      for (const [i, row] of Object.entries(expected.at)) isRow(rowAt(Number(i)), row);
      const over = (reduce: (column: number[]) => number): number[] => columns.map(reduce);
      isRow(
        over((column) => column.reduce((a, b) => Math.min(a, b))),
        expected.min,
      );
      isRow(
        over((column) => column.reduce((a, b) => Math.max(a, b))),
        expected.max,
      );
      over((column) => column.reduce((a, b) => a + b, 0)).forEach((sum, d) => {
        expect(Math.abs(sum - expected.sum[d]!)).toBeLessThan(1e-3);
      });
      over((column) => column.reduce((a, b) => a + Math.abs(b), 0)).forEach((sum, d) => {
        expect(Math.abs(sum - expected.sumAbs[d]!)).toBeLessThan(1e-3);
      });
      expect(channel.timesUs[0]).toBe(truth.startUtcUs);
      expect(channel.timesUs.at(-1)).toBe(truth.startUtcUs + ((expected.count - 1) * 1e6) / expected.rateHz);
    }
  });

  it('keeps the intervals where its beats fell, and a press of the button as a label', async () => {
    const read = await readImport([path]);
    const hrv = (truth.channels as ChannelTruth[]).find(({ label }) => label === 'HRV')!;
    const beats = read.channels[2]!;
    // Half of them are of a recorder that lay on a table: no heart has them.
    const isPlausible = (ms: number): boolean => ms >= 200 && ms <= 3000;
    const leftOut = hrv.nonZeroCount! - beats.timesUs.length;
    expect(read.notes.join()).toContain(`${leftOut} intervals between beats outside 0.2 to 3 s left out`);
    expect(beats.values[0]!.every((seconds) => isPlausible(1000 * seconds))).toBe(true);
    hrv.nonZero!.forEach(([index, ms]) => {
      const i = beats.timesUs.indexOf(truth.startUtcUs + index * 200_000);
      if (isPlausible(ms)) expect(beats.values[0]![i]).toBeCloseTo(ms / 1000, 9);
      else expect(i).toBe(-1);
    });
    expect(read.labels.length).toBe(1);
    expect(read.labels[0]).toMatchObject({ displayName: 'Marker' });
    expect(read.labels[0]!.stopUs - read.labels[0]!.startUs).toBe(1e6);
    const source = await openImport([path]);
    expect(source.clock).toEqual({
      kind: 'OFFSET_IN_FILE',
      wallStart: '2018-10-12T16:54:12.000',
      utcOffsetMinutes: 120,
    });
    await source.close();
  });

  it('is a plain EDF with its signals where the recorder is another', async () => {
    const place = await mkdtemp(join(tmpdir(), 'outpost-faros-'));
    try {
      const bytes = readFileSync(path);
      bytes.write('DEVTYPE=Other____', bytes.indexOf('DEVTYPE='), 'latin1');
      await writeFile(join(place, 'other.edf'), bytes);
      const read = await readImport([join(place, 'other.edf')], { timeZone: 'UTC' });
      expect(read.channels.map(({ channel }) => channel.type)).toEqual(['ECG', 'ACCEL', 'MARKER', 'HRV']);
      expect(read.channels[0]!.timesUs[0]).toBe(truth.startLocalUs);
    } finally {
      await rm(place, { recursive: true });
    }
  });
});
