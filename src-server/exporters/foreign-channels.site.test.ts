import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importToSignalFile, readImport } from '../testing/import-fixtures.ts';
import { readHyparquet } from '../testing/read-parquet.ts';
import { realData } from '../testing/real-data.ts';
import { temporaryFolder } from '../testing/signal-fixtures.ts';
import { exportEdf } from './edf/export.ts';
import { recordingParquet } from './parquet/recording.ts';
import { writeRecordingFile } from './recording-file.ts';

const devices = realData('devices');
const FILES: [string, [type: string, unit: string][]][] = [
  [
    'empatica-e4/e4_short.zip',
    [
      ['ACCEL', 'g'],
      ['PPG', 'adu'],
      ['EDA', 'uS'],
      ['TEMPERATURE', 'degC'],
    ],
  ],
  [
    'embraceplus/embraceplus_120s.avro',
    [
      ['ACCEL', 'g'],
      ['PPG', 'adu'],
      ['EDA', 'uS'],
      ['TEMPERATURE', 'degC'],
    ],
  ],
  [
    'axivity/ax6_testfile.cwa',
    [
      ['ACCEL', 'g'],
      ['GYRO', 'dps'],
      ['TEMPERATURE', 'degC'],
      ['LIGHT', 'adu'],
    ],
  ],
  [
    'geneactiv/GENEActiv_testfile.bin',
    [
      ['ACCEL', 'g'],
      ['LIGHT', 'lux'],
      ['TEMPERATURE', 'degC'],
    ],
  ],
];

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => folder.remove());

/** A member of a ZIP as text. */
const textIn = (path: string, name: string): string =>
  execFileSync(
    '/usr/bin/python3',
    ['-c', 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))', path, name],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    },
  );

describe.runIf(devices).each(FILES)('channels of %s', (name, channels) => {
  const source = [join(devices ?? '', name)];
  const original = () => readImport(source, { timeZone: 'UTC' });
  const stored = () => importToSignalFile(source, folder.path, { timeZone: 'UTC' });

  it('keep their units and values through BDF+', async () => {
    const path = join(folder.path, `${crypto.randomUUID()}.bdf`);
    const exporting = exportEdf(await stored(), path, { format: 'BDF', layout: 'exact' });
    if (name.startsWith('embraceplus')) {
      // Its floating-point values need 32 bits to be exact.
      await expect(exporting).rejects.toThrow(/more than 24 bits/);
      return;
    }
    await exporting;
    const [before, after] = [await original(), await readImport([path], { timeZone: 'UTC' })];
    for (const [type, unit] of channels) {
      const was = before.channels.find(({ channel }) => channel.type === type)!;
      const is = after.channels.find(({ channel }) => channel.type === type)!;
      expect([is.channel.unit, is.channel.dimensions]).toEqual([unit, was.channel.dimensions]);
      expect(is.values.map((values) => values.length)).toEqual(was.values.map((values) => values.length));
      const isSame = was.values.every((values, d) =>
        values.every((value, i) => Math.abs(is.values[d]![i]! - value) < 1e-6),
      );
      expect(isSame, type).toBe(true);
    }
  });

  it('keep their values through Parquet', async () => {
    const path = join(folder.path, `${crypto.randomUUID()}.parquet`);
    await pipeline(recordingParquet(await stored()), createWriteStream(path));
    const { rows } = await readHyparquet(path);
    const { channels: read } = await original();
    expect(rows.length).toBe(read.reduce((sum, { timesUs }) => sum + timesUs.length, 0));
    const texts = rows.map((row) =>
      JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    );
    for (const [type] of channels) {
      const of = read.find(({ channel }) => channel.type === type)!;
      expect(texts.filter((text) => text.includes(`"${type}"`)).length, type).toBe(of.timesUs.length);
    }
  });

  it('keep their units and values through CSV', async () => {
    const path = join(folder.path, `${crypto.randomUUID()}.zip`);
    await writeRecordingFile('mc10-zip', await stored(), path);
    const { channels: read } = await original();
    for (const [type, unit] of channels) {
      const { timesUs, values } = read.find(({ channel }) => channel.type === type)!;
      const rows = textIn(path, `${type.toLowerCase()}.csv`).trim().split('\n');
      expect(rows[0], type).toContain(`(${unit === 'dps' ? '°/s' : unit})`);
      const found = rows.slice(1).map((row) => row.split(',').map(Number));
      expect(found.length, type).toBe(timesUs.length);
      const isSame = found.every(([us, ...row], i) => {
        const isNear = row.every((value, d) => Math.abs(value - values[d]![i]!) < 1e-6);
        return Math.abs(us! - timesUs[i]!) <= 1 && isNear;
      });
      expect(isSame, type).toBe(true);
    }
  });
});
