import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignalFile, openSignalFileSync, sampleTimesUs, valueOfCount } from '../../signals/index.ts';
import type { SignalHeader } from '../../signals/types.ts';
import { importToSignalFile } from '../../testing/import-fixtures.ts';
import { queryDuckDb, readHyparquet } from '../../testing/read-parquet.ts';
import { realData } from '../../testing/real-data.ts';
import { channelOf, headerOf, randomPages, seededRandom, temporaryFolder } from '../../testing/signal-fixtures.ts';
import { recordingParquet } from './recording.ts';

let folder: ReturnType<typeof temporaryFolder>;
let signalPath: string;
beforeAll(async () => {
  folder = temporaryFolder();
  signalPath = await randomRecording();
});
afterAll(() => folder.remove());

async function randomRecording(): Promise<string> {
  const channels = [channelOf('ACCEL', ['x', 'y', 'z'], 31.25), channelOf('ECG', ['v'], 250, 32)];
  const header: SignalHeader = headerOf(channels);
  const path = join(folder.path, 'random.sig');
  // More rows than one row group has.
  const writer = await createSignalFile(path, header);
  for (const page of randomPages(channels, 800, seededRandom(5))) await writer.append(page);
  await writer.finish();
  return path;
}

async function toParquet(signalPath: string, options: Parameters<typeof recordingParquet>[1] = {}): Promise<string> {
  const path = join(folder.path, `${crypto.randomUUID()}.parquet`);
  await pipeline(recordingParquet(signalPath, options), createWriteStream(path));
  return path;
}

/** Rows as they should be, straight from the pages. */
function expectedRows(signalPath: string): { type: string; timeUs: number; values: Record<string, number> }[] {
  const file = openSignalFileSync(signalPath);
  const rows = file.header.channels.flatMap((channel, c) => {
    const toValue = channel.dimensions.map((_, d) => valueOfCount(channel, d));
    return [...file.pages(c)].flatMap((page) =>
      Array.from(sampleTimesUs(page), (timeUs, i) => ({
        type: channel.type,
        timeUs,
        values: Object.fromEntries(channel.dimensions.map((name, d) => [name, toValue[d]!(page.columns[d]![i]!)])),
      })),
    );
  });
  file.closeSync();
  return rows;
}

describe('a recording as Parquet', () => {
  it('gives hyparquet every time and value, gaps as gaps, over several row groups', async () => {
    const { rows, metadata, facts } = await readHyparquet(await toParquet(signalPath));
    const expected = expectedRows(signalPath);
    expect(metadata.row_groups.length).toBeGreaterThan(2);
    expect(rows.length).toBe(expected.length);
    const asRead = rows.map((row) => JSON.stringify([row.type, Number(row.time), row.v, row.x, row.y, row.z]));
    // hyparquet gives instants as Date, to the millisecond.
    const asWritten = expected.map(({ type, timeUs, values: { v, x, y, z } }) =>
      JSON.stringify([type, Math.floor(timeUs / 1000), v ?? null, x ?? null, y ?? null, z ?? null]),
    );
    expect(asRead).toEqual(asWritten);
    expect(facts.units).toEqual({ time: 'UTC microseconds', x: 'g', y: 'g', z: 'g', v: 'V' });
    expect(facts.recording).toMatchObject({
      udid: 'd5la7xna',
      physicalConfig: { location: 'MEDIAL_CHEST' },
      channels: [
        { type: 'ACCEL', dimensions: ['x', 'y', 'z'], unit: 'g', nominalRateHz: 31.25 },
        { type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: 250 },
      ],
    });
  });

  it('gives DuckDB the same sums, types and microseconds', async () => {
    const path = await toParquet(signalPath);
    const expected = expectedRows(signalPath);
    const types = await queryDuckDb(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${path}')`);
    expect(Object.fromEntries(types.map((row) => [row.column_name, row.column_type]))).toEqual({
      type: 'VARCHAR',
      time: 'TIMESTAMP WITH TIME ZONE',
      x: 'DOUBLE',
      y: 'DOUBLE',
      z: 'DOUBLE',
      v: 'DOUBLE',
    });
    const sums = await queryDuckDb(
      `SELECT type, count(*)::INTEGER AS n, count(v)::INTEGER AS nv, sum(epoch_us(time))::VARCHAR AS times, max(v) AS v, min(y) AS y
       FROM '${path}' GROUP BY type ORDER BY type`,
    );
    const of = (type: string) => expected.filter((row) => row.type === type);
    const numbers = (type: string, name: string) => of(type).map(({ values }) => values[name]!);
    const sumOf = (type: string) => `${of(type).reduce((sum, { timeUs }) => sum + BigInt(timeUs), 0n)}`;
    expect(sums).toEqual([
      {
        type: 'ACCEL',
        n: of('ACCEL').length,
        nv: 0,
        times: sumOf('ACCEL'),
        v: null,
        y: numbers('ACCEL', 'y').reduce((a, b) => Math.min(a, b)),
      },
      {
        type: 'ECG',
        n: of('ECG').length,
        nv: of('ECG').length,
        times: sumOf('ECG'),
        v: numbers('ECG', 'v').reduce((a, b) => Math.max(a, b)),
        y: null,
      },
    ]);
  });

  it('shows the header and the times of the view that it was given', async () => {
    const shiftMs = -1043 * 7 * 86_400_000;
    const view = {
      header: (header: SignalHeader) => ({ ...header, recordingId: 'R-CODE', udid: 'E-CODE', deviceRecordingId: 0 }),
      reason: () => 'FAULT',
      shiftUs: shiftMs * 1000,
    };
    const path = await toParquet(signalPath, { view });
    const { facts, rows } = await readHyparquet(path);
    expect(facts.recording).toMatchObject({ recordingId: 'R-CODE', udid: 'E-CODE' });
    expect(JSON.stringify(facts)).not.toMatch(/d5la7xna|0190a5c2/);
    expect(Number(rows[0]!.time)).toBe(Math.floor(expectedRows(signalPath)[0]!.timeUs / 1000) + shiftMs);
  });

  it('ends early when cancelled', async () => {
    const abort = new AbortController();
    const options = { signal: abort.signal, onProgress: () => abort.abort() };
    await expect(toParquet(signalPath, options)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  const formats = realData('formats');
  it.runIf(formats)('keeps the very doubles of a real recording', async () => {
    const realPath = await importToSignalFile([`${formats}/mc10/reflex-hammer.zip`], folder.path);
    const path = await toParquet(realPath);
    const expected = expectedRows(realPath);
    const { rows } = await readHyparquet(path);
    expect(rows.map((row) => row.x)).toEqual(expected.map(({ values }) => values.x));
  });
});
