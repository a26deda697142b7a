import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImport } from '../../testing/import-fixtures.ts';
import { madeZip } from '../../testing/made-zip.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-e4-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const START = 1_551_453_301;
const rows = (count: number, cell: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `${cell(i)}\n`).join('');
const ACC = `${START}.0,${START}.0,${START}.0\n32.0,32.0,32.0\n${rows(4000, (i) => `${(i * 7) % 64},${(i * 13) % 128},${-(i % 64)}`)}`;
const EDA = `${START}.0\n4.0\n${rows(500, (i) => `0.${100_000 + ((i * 7919) % 899_999)}`)}`;
const IBI = `${START}.0, IBI\n${rows(40, (i) => `${i}.25,0.${7000 + i}`)}`;

async function read(bytes: Uint8Array) {
  const path = join(folder, `${crypto.randomUUID()}.zip`);
  await writeFile(path, bytes);
  return readImport([path]);
}

describe('a session of the E4 in a ZIP that was cut off', () => {
  const bytes = madeZip({ 'ACC.csv': ACC, 'EDA.csv': EDA, 'IBI.csv': IBI });

  it('gives the whole rows before the cut, at any length, and no other value', async () => {
    const whole = await read(bytes);
    const lengths = new Set<number>();
    for (let size = bytes.length - 1; size > 200; size -= 97) {
      const { format, channels, notes } = await read(bytes.subarray(0, size));
      expect(format).toBe('Empatica E4');
      expect(notes[0]).toMatch(/^The ZIP was cut off/);
      for (const { channel, values, timesUs } of channels) {
        const same = whole.channels.find((candidate) => candidate.channel.type === channel.type)!;
        lengths.add(timesUs.length);
        expect(timesUs).toEqual(same.timesUs.slice(0, timesUs.length));
        expect(values).toEqual(same.values.map((column) => column.slice(0, timesUs.length)));
      }
    }
    expect(lengths.size).toBeGreaterThan(20);
  });

  it('is not taken with bytes that were changed', async () => {
    const changed = Buffer.from(bytes.subarray(0, bytes.length - 30));
    changed[200]! ^= 0x10;
    const { channels, notes } = await read(changed);
    expect(channels.map(({ channel }) => channel.type)).toEqual(['EDA', 'PPI']);
    expect(notes).toContain('acc.csv was left out: it is damaged.');
  });
});
