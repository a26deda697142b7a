import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CsvMapping } from '../../vocabulary/csv-mapping.ts';
import { openImport } from '../index.ts';
import type { ImportOptions } from '../types.ts';
import { recogniseText } from './recognise-text.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-generic-csv-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const BASE: CsvMapping = {
  delimiter: ',',
  decimal: '.',
  skipLines: 0,
  hasHeader: true,
  time: { kind: 'UNIX', column: 0, unit: 's' },
  channels: [{ type: 'ECG', unit: 'mV', columns: [1] }],
  missing: ['NaN'],
};

interface Sample {
  timeUs: number;
  values: number[];
}

let files = 0;
async function read(text: string | Uint8Array, mapping: Partial<CsvMapping>, options: ImportOptions = {}) {
  const isPacked = typeof text !== 'string' && text[0] === 0x1f;
  const path = join(folder, `file-${files++}.csv${isPacked ? '.gz' : ''}`);
  await writeFile(path, text);
  const source = await openImport([path], { ...options, csvMapping: { ...BASE, ...mapping } });
  const recording = source.recordings[0]!;
  const samples: Sample[][] = recording.header.channels.map(() => []);
  let pages = 0;
  for await (const page of recording.pages()) {
    pages++;
    const { scale, offset } = recording.header.channels[page.channel]!;
    for (let i = 0; i < page.count; i++) {
      samples[page.channel]!.push({
        timeUs: Math.round(page.startUs + i * page.periodUs) + (page.timeResidualsUs?.[i] ?? 0),
        values: page.columns.map((column, d) => Number((column[i]! * scale[d]! + offset[d]!).toPrecision(12))),
      });
    }
  }
  return { source, channels: recording.header.channels, samples, pages, notes: recording.notes };
}

const START_S = 1_772_000_000;
const rows = (count: number, row: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => row(i)).join('\n');

describe('times', () => {
  it('reads Unix seconds, milliseconds, microseconds and nanoseconds exactly to the microsecond', async () => {
    const units = { s: 1e9, ms: 1e6, us: 1e3, ns: 1 };
    for (const [unit, ns] of Object.entries(units) as ['s' | 'ms' | 'us' | 'ns', number][]) {
      const cell = (i: number) => {
        const digits = String(BigInt(START_S) * 1_000_000_000n + BigInt(i) * 8_000_000n + 123_000n);
        const decimals = String(ns).length - 1;
        return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
      };
      const { samples, channels } = await read(`t,ecg\n${rows(300, (i) => `${cell(i)},0.5`)}\n`, {
        time: { kind: 'UNIX', column: 0, unit },
      });
      expect(samples[0]![0]!.timeUs).toBe(START_S * 1e6 + 123);
      expect(samples[0]!.at(-1)!.timeUs).toBe(START_S * 1e6 + 299 * 8000 + 123);
      expect(channels[0]!.nominalRateHz).toBe(125);
    }
  });

  it('reads a wall clock in the zone given, which applies to the start only', async () => {
    const wall = (i: number) => new Date(Date.UTC(2026, 2, 29, 1, 59, 50) + i * 1000).toISOString().slice(0, -5);
    const { samples, source } = await read(
      `time,ecg\n${rows(30, (i) => `${wall(i)},1`)}\n`,
      {
        time: { kind: 'DATE_TIME', column: 0, order: 'YMD' },
      },
      { timeZone: 'Europe/Berlin' },
    );
    expect(source.clock).toMatchObject({ kind: 'WALL_CLOCK', wallStart: '2026-03-29T01:59:50.000' });
    expect(samples[0]!.map(({ timeUs }) => timeUs)).toEqual(
      Array.from({ length: 30 }, (_, i) => (Date.UTC(2026, 2, 29, 0, 59, 50) + i * 1000) * 1000),
    );
  });

  describe('of a clock that follows daylight saving', () => {
    const BACK_MS = Date.UTC(2023, 9, 29, 1);
    const FORWARD_MS = Date.UTC(2023, 2, 26, 1);
    const HOUR_MS = 3_600_000;
    const table = (wallMs: (i: number) => number): string =>
      `t,ecg\n${rows(2000, (i) => `${new Date(wallMs(i)).toISOString().slice(0, -1)},${i / 1000}`)}\n`;
    const time = { kind: 'DATE_TIME', column: 0, order: 'YMD' } as const;
    const berlin = { timeZone: 'Europe/Berlin' };

    it.each([
      ['back', BACK_MS, 2, 1],
      ['forward', FORWARD_MS, 1, 2],
    ])('counts on where the clocks of the zone went %s', async (direction, changeMs, before, after) => {
      const instant = (i: number): number => changeMs - 10_000 + 10 * i;
      const wall = (i: number): number => instant(i) + (instant(i) < changeMs ? before : after) * HOUR_MS;
      const { samples, pages, notes } = await read(table(wall), { time }, berlin);
      expect(samples[0]!.map(({ timeUs }) => timeUs)).toEqual(
        Array.from({ length: 2000 }, (_, i) => instant(i) * 1000),
      );
      expect(pages).toBe(1);
      expect(notes.join()).toContain(`follow the clocks in Europe/Berlin, which went ${direction} by 1 h`);
      expect(notes.join()).not.toContain('did not follow');
    });

    it('is none where the times run through the change, or jump at another time', async () => {
      const through = (i: number): number => BACK_MS - 10_000 + 10 * i + 2 * HOUR_MS;
      const even = await read(table(through), { time }, berlin);
      expect(even.samples[0]!.at(-1)!.timeUs - even.samples[0]![0]!.timeUs).toBe(1999 * 10_000);
      expect(even.notes.join()).toContain("The device's clock did not follow");
      const jumped = (i: number): number => FORWARD_MS + 30 * 60_000 + 10 * i + (i < 1000 ? 1 : 2) * HOUR_MS;
      const gap = await read(
        table((i) => jumped(i) + 24 * HOUR_MS),
        { time },
        berlin,
      );
      expect(gap.samples[0]![1000]!.timeUs - gap.samples[0]![999]!.timeUs).toBe(HOUR_MS * 1000 + 10_000);
    });
  });

  it('takes the offset of each row where the file has one', async () => {
    const { samples, source } = await read(
      'time;ecg\n2026-03-01 08:00:00,5+09:00;1\n2026-03-01 08:00:01,5+0900;2\n',
      {
        delimiter: ';',
        decimal: ',',
        time: { kind: 'DATE_TIME', column: 0, order: 'YMD' },
      },
      { timeZone: 'Europe/Berlin' },
    );
    expect(source.clock).toMatchObject({ kind: 'OFFSET_IN_FILE', utcOffsetMinutes: 540 });
    expect(samples[0]![0]!.timeUs).toBe(Date.UTC(2026, 1, 28, 23, 0, 0, 500) * 1000);
  });

  it.each([
    ['DMY', '29.02.2024 23:59:59.25', Date.UTC(2024, 1, 29, 23, 59, 59, 250)],
    ['MDY', '12/31/2024 11:30:00 PM', Date.UTC(2024, 11, 31, 23, 30)],
    ['YMD', '2024/1/5 7:05', Date.UTC(2024, 0, 5, 7, 5)],
    ['YMD', '"2024-01-05T07:05:01Z"', Date.UTC(2024, 0, 5, 7, 5, 1)],
  ] as const)('reads a date in the order %s: %s', async (order, cell, expected) => {
    const { samples } = await read(`time,ecg\n${cell},1\n`, { time: { kind: 'DATE_TIME', column: 0, order } });
    expect(samples[0]![0]!.timeUs).toBe(expected * 1000);
  });

  it('reads a date and a time of day in two columns', async () => {
    const { samples } = await read('date,time,ecg\n2024-01-05,07:05:01.5,1\n', {
      time: { kind: 'DATE_TIME', column: 0, timeColumn: 1, order: 'YMD' },
      channels: [{ type: 'ECG', unit: 'mV', columns: [2] }],
    });
    expect(samples[0]![0]!.timeUs).toBe(Date.UTC(2024, 0, 5, 7, 5, 1, 500) * 1000);
  });

  it('counts seconds and sample numbers from the start given, and refuses them without one', async () => {
    const text = `n,ecg\n${rows(20, (i) => `${i * 2},${i}`)}\n`;
    const options = { defaultStartUs: START_S * 1e6 };
    const elapsed = await read(text, { time: { kind: 'ELAPSED', column: 0, unit: 'ms' } }, options);
    expect(elapsed.samples[0]![19]!.timeUs).toBe(START_S * 1e6 + 38_000);
    const numbered = await read(text, { time: { kind: 'SAMPLE_NUMBER', column: 0, rateHz: 200 } }, options);
    expect(numbered.samples[0]![19]!.timeUs).toBe(START_S * 1e6 + 190_000);
    const counted = await read(text, { time: { kind: 'SAMPLE_NUMBER', rateHz: 100 } }, options);
    expect(counted.samples[0]![19]!.timeUs).toBe(START_S * 1e6 + 190_000);
    await expect(read(text, { time: { kind: 'ELAPSED', column: 0, unit: 's' } })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('spreads rows that share a stamp up to the next stamp, and never over a gap', async () => {
    // 50 Hz in whole seconds, begun within a second, with a stop of a minute.
    const second = (s: number, count: number) => rows(count, () => `${START_S + s},1`);
    const { samples, notes } = await read(
      `t,ecg\n${second(0, 20)}\n${second(1, 50)}\n${second(2, 50)}\n${second(62, 50)}\n${second(63, 50)}\n`,
      {},
    );
    const seconds = samples[0]!.map(({ timeUs }) => timeUs / 1e6 - START_S);
    expect(seconds[0]).toBeCloseTo(0.6, 6);
    expect(seconds[20]).toBe(1);
    expect(seconds[21]).toBeCloseTo(1.02, 6);
    expect(seconds[119]).toBeCloseTo(2.98, 6);
    expect(seconds[120]).toBe(62);
    expect(seconds.at(-1)).toBeCloseTo(63.98, 6);
    expect(notes.join()).toContain('share a time');
  });
});

describe('values', () => {
  it('reads a German export: semicolons, decimal comma, lines above the header, CRLF, a byte order mark', async () => {
    const text = `\ufeffExport von Gerät 7\r\n\r\nZeit (ms);Acc X;Acc Y;Acc Z;Temp\r\n${rows(50, (i) => `${START_S * 1000 + i * 20};0,${10 + i};-0,5;0,25;36,${i % 10}`).replaceAll('\n', '\r\n')}\r\n`;
    const { samples, channels } = await read(text, {
      delimiter: ';',
      decimal: ',',
      skipLines: 2,
      time: { kind: 'UNIX', column: 0, unit: 'ms' },
      channels: [
        { type: 'ACCEL', unit: 'm/s^2', columns: [1, 2, 3] },
        { type: 'TEMPERATURE', unit: 'degC', columns: [4] },
      ],
    });
    expect(channels.map(({ type, unit, dimensions }) => [type, unit, dimensions.join()])).toEqual([
      ['ACCEL', 'g', 'x,y,z'],
      ['TEMPERATURE', 'degC', 'v'],
    ]);
    expect(samples[0]![3]!.values[0]).toBeCloseTo(0.13 / 9.80665, 10);
    expect(samples[1]![9]!.values[0]).toBe(36.9);
  });

  it('leaves missing values as gaps of their channel alone', async () => {
    const { samples, notes, pages } = await read(
      `t,ecg,temp\n${rows(100, (i) => `${START_S + i / 10},${i === 40 ? 'nan' : i},${i % 10 === 0 ? 30 : ''}`)}\n`,
      {
        channels: [
          { type: 'ECG', unit: 'uV', columns: [1] },
          { type: 'TEMPERATURE', unit: 'degF', columns: [2] },
        ],
      },
    );
    expect(samples[0]).toHaveLength(99);
    expect(samples[0]!.some(({ timeUs }) => timeUs === (START_S + 4) * 1e6)).toBe(false);
    expect(samples[1]).toHaveLength(10);
    expect(samples[1]![0]!.values[0]).toBeCloseTo(-10 / 9, 6);
    // The ECG breaks at the missing value.
    expect(pages).toBe(3);
    expect(notes.join()).toContain('91 cells have no value');
  });

  it('counts rows that do not parse, names the first, and refuses more than 5 %', async () => {
    const text = (bad: number) =>
      `t,ecg\n${rows(200, (i) => (i >= 50 && i < 50 + bad ? `${START_S + i},oops` : `${START_S + i},${i}`))}\n`;
    const few = await read(text(10), {});
    expect(few.samples[0]).toHaveLength(190);
    expect(few.notes.join()).toContain(
      '10 of 200 rows could not be read and are left as gaps. Line 52, column 2: "oops" is not a number.',
    );
    await expect(read(text(11), {})).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });

  it.each([
    ['"1,100.5"', ',', '.'],
    ['1.100,5', ';', ','],
    ['1 100,5', ';', ','],
  ] as const)('refuses the thousands separators of %s, and says what to do', async (cell, delimiter, decimal) => {
    const text = `t${delimiter}ecg\n${rows(100, (i) => `${START_S + i}${delimiter}${cell}`)}\n`;
    await expect(read(text, { delimiter, decimal })).rejects.toThrow(
      /has thousands separators\. Save the file without/,
    );
  });

  it('leaves out rows that go back in time and a last line that was cut', async () => {
    const text = `t,ecg\n${rows(100, (i) => `${START_S + (i === 60 ? 10 : i)},${i}`)}\n${START_S + 100}`;
    const { samples, notes } = await read(text, {});
    expect(samples[0]).toHaveLength(99);
    expect(notes.join(' ')).toMatch(/before the time of the row above.*not a whole row/);
  });

  it('places RR intervals by their sum while stamps are late, and by the stamp after a gap', async () => {
    const beats = [800, 810, 790, 805];
    let sum = 0;
    const lines = beats.map((rr) => {
      sum += rr;
      // Stamped when they arrived, in whole seconds.
      return `${START_S + Math.ceil(sum / 1000)},${rr}`;
    });
    const { samples, channels } = await read(`t,rr\n${lines.join('\n')}\n${START_S + 60},900\n`, {
      channels: [{ type: 'RR', unit: 'ms', columns: [1] }],
    });
    expect(channels[0]).toMatchObject({ type: 'RR', unit: 's', dimensions: ['rr'] });
    const ms = samples[0]!.map(({ timeUs }) => timeUs / 1000 - START_S * 1000);
    expect(ms.slice(0, 4).map((at) => at - ms[0]!)).toEqual([0, 810, 1600, 2405]);
    expect(ms[4]).toBe(60_000);
    expect(samples[0]!.map(({ values }) => values[0])).toEqual([0.8, 0.81, 0.79, 0.805, 0.9]);
  });

  it('reads gzip and UTF-16', async () => {
    const text = `t,ecg\n${rows(20, (i) => `${START_S + i},${i}`)}\n`;
    const packed = await read(gzipSync(text), {});
    expect(packed.samples[0]).toHaveLength(20);
    const wide = await read(Buffer.from(`\ufeff${text}`, 'utf16le'), {});
    expect(wide.samples[0]!.at(-1)!.values[0]).toBeCloseTo(0.019, 9);
  });
});

describe('refusals', () => {
  it('refuses an unknown unit, a mapping without channels, an empty table, an impossible year and another unit of time', async () => {
    const text = `t,ecg\n${rows(20, (i) => `${START_S + i},${i}`)}\n`;
    await expect(read(text, { channels: [{ type: 'ECG', unit: 'parsec', columns: [1] }] })).rejects.toMatchObject({
      code: 'UNIT_UNKNOWN',
    });
    await expect(read(text, { channels: [] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(read('t,ecg\n', {})).rejects.toMatchObject({ code: 'FILE_EMPTY' });
    await expect(read(text, { time: { kind: 'UNIX', column: 0, unit: 'ms' } })).rejects.toMatchObject({
      code: 'TIME_IMPLAUSIBLE',
    });
    await expect(read(text.replaceAll(/^\d+/gm, String(START_S)), {})).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });

  it('recognises a text by the header of a template, whatever its name', async () => {
    const path = join(folder, 'unknown.dat.txt');
    await writeFile(path, `T, ECG \n${rows(20, (i) => `${START_S + i},${i}`)}\n`);
    const template = { id: 'a', displayName: 'Lab recorder', header: ['t', 'ecg'], mapping: BASE };
    const source = await openImport([path], { csvTemplates: [template] });
    expect(source.recordings[0]!.header.channels[0]!.type).toBe('ECG');
    await expect(openImport([path], { csvTemplates: [{ ...template, header: ['t', 'emg'] }] })).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
    });
  });
});

describe('amount', () => {
  it('reads a million rows with flat memory', async () => {
    const path = join(folder, 'large.csv');
    const block = 100_000;
    const parts = ['t,x,y,z\n'];
    for (let start = 0; start < 1_000_000; start += block) {
      parts.push(`${rows(block, (i) => `${START_S * 1000 + (start + i) * 10},0.01,-0.5,0.${(start + i) % 1000}`)}\n`);
    }
    await writeFile(path, parts.join(''));
    parts.length = 0;
    const mapping: CsvMapping = {
      ...BASE,
      time: { kind: 'UNIX', column: 0, unit: 'ms' },
      channels: [{ type: 'ACCEL', unit: 'g', columns: [1, 2, 3] }],
    };
    const before = process.memoryUsage().arrayBuffers;
    const source = await openImport([path], { csvMapping: mapping, withoutHash: true });
    let count = 0;
    let most = 0;
    for await (const page of source.recordings[0]!.pages()) {
      count += page.count;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(count).toBe(1_000_000);
    expect(most).toBeLessThan(100 * 2 ** 20);
  });
});

describe('the preview', () => {
  const text = 'time;value\n1772000000;1,5\n1772000001;2,25';
  const mapping: CsvMapping = { ...BASE, delimiter: ';', decimal: ',' };
  const preview = (isWholeFile: boolean) =>
    recogniseText(Buffer.from(text), isWholeFile, { mapping, templates: [] })?.preview;

  it('shows numbers as they are read, and a last line without an end only of a whole file', () => {
    expect(preview(true)?.rows.map(({ values }) => values)).toEqual([['1.5'], ['2.25']]);
    expect(preview(false)?.counts.rows).toBe(1);
  });
});
