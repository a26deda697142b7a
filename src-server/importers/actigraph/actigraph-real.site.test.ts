import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readImport } from '../../testing/import-fixtures.ts';
import { realData } from '../../testing/real-data.ts';

const folder = realData('devices/actigraph');

interface Numbers {
  count: number;
  first: number[][];
  last: number[][];
  at: Record<string, number[]>;
  min: number[];
  max: number[];
  sum: number[];
  sumAbs: number[];
}

interface Truth {
  file: string;
  device: { serial: string; firmware: string };
  nominalRateHz: number;
  startLocalUs: number;
  startUtcUs?: number;
  segments?: { startLocalUs: number; seconds: number; samples: number }[];
  lastSampleLocalUs?: number;
  accelCounts: Numbers;
  accelG: Numbers;
}

const truths: Truth[] = folder ? JSON.parse(readFileSync(`${folder}/truth.json`, 'utf8')).files : [];
const at = (name: string): string => `${folder}/${name}`;

/** Stretches without a gap, by the times of the samples. */
function stretches(timesUs: number[], periodUs: number): { startUs: number; samples: number }[] {
  const found: { startUs: number; samples: number }[] = [];
  timesUs.forEach((time, i) => {
    if (i === 0 || time - timesUs[i - 1]! > 1.5 * periodUs) found.push({ startUs: time, samples: 0 });
    found.at(-1)!.samples++;
  });
  return found;
}

function expectNumbers(columns: number[][], truth: Numbers, tolerance: number): void {
  const close = (value: number, expected: number, width = tolerance): void =>
    expect(Math.abs(value - expected)).toBeLessThanOrEqual(width);
  const rowAt = (index: number): number[] => columns.map((column) => column[index]!);
  expect(columns[0]!.length).toBe(truth.count);
  truth.first.forEach((row, i) => {
    for (const [d, value] of row.entries()) close(rowAt(i)[d]!, value);
  });
  truth.last.forEach((row, i) => {
    for (const [d, value] of row.entries()) close(rowAt(truth.count - truth.last.length + i)[d]!, value);
  });
  for (const [index, row] of Object.entries(truth.at)) {
    for (const [d, value] of row.entries()) close(rowAt(Number(index))[d]!, value);
  }
  columns.forEach((column, d) => {
    close(
      column.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
      truth.min[d]!,
    );
    close(
      column.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
      truth.max[d]!,
    );
    const sums = tolerance === 0 ? 0 : 1e-3;
    close(
      column.reduce((sum, value) => sum + value, 0),
      truth.sum[d]!,
      sums,
    );
    close(
      column.reduce((sum, value) => sum + Math.abs(value), 0),
      truth.sumAbs[d]!,
      sums,
    );
  });
}

describe.runIf(folder)('ActiGraph files of real devices', () => {
  it.each(truths.map((truth) => [truth.file, truth] as const))('reads %s as its truth says', async (file, truth) => {
    const read = await readImport([at(file)], { timeZone: 'UTC' });
    const { channel, timesUs, counts, values } = read.channels[0]!;
    expect(channel).toMatchObject({ type: 'ACCEL', unit: 'g', nominalRateHz: truth.nominalRateHz });
    expect(read.header).toMatchObject({ udid: truth.device.serial, firmwareId: truth.device.firmware });
    expect(read.header.device).toEqual({ maker: 'ActiGraph' });
    expect(JSON.stringify(read.header)).not.toMatch(/suffix|subject/i);
    // The counts of the watch are stored calibrated.
    if (file.endsWith('.gt3x')) expectNumbers(counts, truth.accelCounts, 0);
    expectNumbers(values, truth.accelG, 1.01e-6);
    const startUs = truth.startUtcUs ?? truth.startLocalUs;
    expect(timesUs[0]).toBe(startUs);
    const shiftUs = startUs - truth.startLocalUs;
    if (truth.segments) {
      expect(stretches(timesUs, 1e6 / truth.nominalRateHz)).toEqual(
        truth.segments.map(({ startLocalUs, samples }) => ({ startUs: startLocalUs + shiftUs, samples })),
      );
    }
    if (truth.lastSampleLocalUs) expect(timesUs.at(-1)).toBe(truth.lastSampleLocalUs + shiftUs);
  });

  it("equals every measured sample of ActiLife's own CSV, and leaves out what ActiLife filled in", async () => {
    const { channels, marks } = await readImport([at('TAS1H30182785_2019-09-17.gt3x')]);
    const text = gunzipSync(readFileSync(at('TAS1H30182785_2019-09-17.csv.gz'))).toString('utf8');
    const rows = text.trim().split(/\r?\n/).slice(11);
    const { timesUs, values } = channels[0]!;
    expect(timesUs.length).toBe(33_000);
    let worst = 0;
    timesUs.forEach((time, i) => {
      const row = rows[Math.round((time - timesUs[0]!) / 10_000)]!.split(',').map(Number);
      for (let d = 0; d < 3; d++) worst = Math.max(worst, Math.abs(values[d]![i]! - row[d]!));
    });
    expect(worst).toBeLessThanOrEqual(0.000501);
    expect(marks.map(({ reason, timeUs }) => [reason, (timeUs - timesUs[0]!) / 1e6])).toEqual([
      ['IDLE_SLEEP', 9.99],
      ['IDLE_SLEEP', 260.99],
      ['IDLE_SLEEP', 376.99],
      ['IDLE_SLEEP', 944.99],
      ['IDLE_SLEEP', 2096.99],
      ['DOCKED', 2139.99],
      ['DOCKED', 2158.99],
    ]);
  });

  it('keeps battery, wear sensor and light as channels of their own', async () => {
    const link = await readImport([at('TAS1H30182785_2019-09-17.gt3x')]);
    expect(link.channels.map(({ channel }) => [channel.type, channel.unit])).toEqual([
      ['ACCEL', 'g'],
      ['BATTERY', 'V'],
      ['WEAR', 'NU'],
    ]);
    expect(link.channels[1]!.counts[0]!.slice(0, 2)).toEqual([4153, 4154]);
    expect(new Set(link.channels[2]!.values[0])).toEqual(new Set([0]));
    const old = await readImport([at('nhanes_sample.gt3x')]);
    expect(old.channels[1]!.channel).toMatchObject({ type: 'LIGHT', unit: 'lux', nominalRateHz: 1 });
    expect(old.channels[1]!.timesUs.length).toBe(85);
  });
});
