import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zipOf } from '../../testing/actigraph-files.ts';
import { readImport } from '../../testing/import-fixtures.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-csv-salvage-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const HEADER = 'Timestamp (microseconds),Accel X (g),Accel Y (g),Accel Z (g)';
const FIRST_US = 1_579_647_012_385_000;
const timeOf = (row: number): number => FIRST_US + row * 4000;
const rowText = (row: number): string => `${timeOf(row)},${((row % 90) + 1) / 100},-0.2,0.9`;
const rows = (count: number): string[] => Array.from({ length: count }, (_, row) => rowText(row));

async function read(lines: readonly string[]) {
  const path = join(folder, `${crypto.randomUUID()}.csv`);
  await writeFile(path, `${HEADER}\n${lines.join('\n')}\n`);
  const result = await readImport([path]);
  const { timesUs, values } = result.channels[0]!;
  return { notes: result.notes.join(' '), timesUs, x: values[0]! };
}

/** The rows that were kept hold their own time and value. */
function expectRows({ timesUs, x }: { timesUs: number[]; x: number[] }, kept: readonly number[]): void {
  expect(timesUs).toEqual(kept.map(timeOf));
  kept.forEach((row, i) => {
    expect(x[i]).toBeCloseTo(((row % 90) + 1) / 100, 9);
  });
}

const without = (count: number, ...left: number[]): number[] =>
  rows(count).flatMap((_, row) => (left.includes(row) ? [] : [row]));

describe('a CSV with damaged rows', () => {
  const damagedRows: [name: string, text: string][] = [
    ['a missing column', `${timeOf(7)},0.1,0.2`],
    ['a column too many', `${timeOf(7)},0.1,0.2,0.3,0.4`],
    ['half a row', `${timeOf(7)},0.`],
    ['another character', '\u0000\u0001garbage'],
    ...['NaN', 'Infinity', '-inf', '', '0x10', '1.2.3', '1e', '1e999'].map((value): [string, string] => [
      `the value "${value}"`,
      `${timeOf(7)},0.1,${value},0.3`,
    ]),
  ];

  it.each(damagedRows)('keeps all others beside %s', async (_, text) => {
    const result = await read(rows(50).with(7, text));
    expectRows(result, without(50, 7));
    expect(result.notes).toMatch(/1 rows that cannot be read .*the first: row 8 /);
  });

  it.each([
    ['before the row above', timeOf(2)],
    ['after the rows below', timeOf(40)],
    ['of another day', timeOf(7) + 86_400e6],
    ['equal to the row above', timeOf(6)],
  ])('leaves out a time %s', async (_, time) => {
    const result = await read(rows(50).with(7, `${time},0.5,-0.2,0.9`));
    expectRows(result, without(50, 7));
    expect(result.notes).toMatch(/whose time is out of order were left out; the first: row 8 /);
  });

  it('leaves out the same rows in every reading of a long file', async () => {
    const lines = rows(20_000);
    for (const row of [0, 8190, 8191, 8192, 16_000]) lines[row] = 'oops';
    const result = await read(lines);
    expectRows(result, without(20_000, 0, 8190, 8191, 8192, 16_000));
    expect(result.notes).toMatch(/5 rows/);
  });

  it('is refused when much of it is damaged, by its first fault', async () => {
    const lines = rows(1000).map((line, row) => (row % 10 === 4 ? `${line},1` : line));
    await expect(read(lines)).rejects.toMatchObject({
      code: 'FILE_DAMAGED',
      message: expect.stringMatching(/row 5 has something after its 4 columns/),
    });
    await expect(read([...rows(500), ...rows(400)])).rejects.toMatchObject({
      code: 'FILE_DAMAGED',
      message: expect.stringMatching(/row 501 is before the row above it/),
    });
    await expect(read(['a', rowText(0)])).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });
});

describe('an MC10 ZIP that was cut off', () => {
  it.each([true, false])('gives its whole rows (deflate: %s)', async (compress) => {
    const bytes = await zipOf({ 'accel.csv': Buffer.from(`${HEADER}\n${rows(5000).join('\n')}\n`) }, compress);
    const path = join(folder, `${crypto.randomUUID()}.zip`);
    await writeFile(path, bytes.subarray(0, Math.floor(bytes.length * 0.6)));
    const { channels, notes } = await readImport([path]);
    const { timesUs, values } = channels[0]!;
    expect(timesUs.length).toBeGreaterThan(1000);
    expect(timesUs.length).toBeLessThan(5000);
    expectRows({ timesUs, x: values[0]! }, [...timesUs.keys()]);
    expect(notes.join()).toMatch(/The ZIP was cut off/);
  });
});
