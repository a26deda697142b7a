import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImport } from '../../testing/import-fixtures.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-utf16-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const START_MS = Date.UTC(2024, 5, 1, 8);
const stamp = (ms: number): string => new Date(ms).toISOString().slice(0, -1);
const each = (line: (i: number) => string): string[] => Array.from({ length: 300 }, (_, i) => line(i));

const TEXTS: [string, string, string[]][] = [
  [
    'Polar Sensor Logger',
    'Polar_Sense_A40F6F28_20240601_080000_ACC.txt',
    [
      'Phone timestamp;sensor timestamp [ns];X [mg];Y [mg];Z [mg]',
      ...each((i) => `${stamp(START_MS + 20 * i)};${704_201_974_000_000_000n + 20_000_000n * BigInt(i)};${i};0;1000`),
    ],
  ],
  [
    'Shimmer CSV',
    'shimmer.csv',
    [
      '"sep=\t"',
      'Shimmer_40AC_Timestamp_Unix_CAL\tShimmer_40AC_Temperature_BMP280_CAL\t',
      'ms\tDegrees Celsius\t',
      ...each((i) => `${START_MS + 20 * i}\t${30 + i / 100}\t`),
    ],
  ],
  [
    'Apple Watch ECG',
    'ecg_2024-06-01.csv',
    [
      'Gerät,"Watch6,7"',
      'Aufzeichnungsdatum,2024-06-01 08:00:00 +0200',
      'Messrate,512 Hertz',
      'Einheit,µV',
      '',
      ...each((i) => `${i / 10}`),
    ],
  ],
  ['RR intervals (text)', 'rr.txt', ['RR (ms)', ...each((i) => `${800 + (i % 50)}`)]],
];

describe('texts that a Windows program saved as Unicode', () => {
  it.each(TEXTS)('read as the same %s', async (format, name, lines) => {
    const text = `${lines.join('\r\n')}\r\n`;
    const little = Buffer.from(`\ufeff${text}`, 'utf16le');
    const big = Buffer.from(little).swap16();
    const [plain, ...wide] = await Promise.all(
      [Buffer.from(text), little, big].map(async (bytes) => {
        const path = join(await mkdtemp(join(folder, 'text-')), name);
        await writeFile(path, bytes);
        return readImport([path], { timeZone: 'UTC' });
      }),
    );
    expect(plain!.format).toBe(format);
    expect(plain!.channels[0]!.timesUs.length).toBeGreaterThan(290);
    for (const { channels, notes, labels } of wide) {
      expect({ channels, notes, labels }).toEqual({
        channels: plain!.channels,
        notes: plain!.notes,
        labels: plain!.labels,
      });
    }
  });
});
