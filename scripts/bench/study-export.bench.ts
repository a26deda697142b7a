/**
 * Samples of a study export, processor time on one core: Parquet beside DuckDB, which writes the same rows from its own table,
 * and the text files of BIDS beside gzip of the same text. A sample is one row: one ECG value, or one acceleration vector.
 */
import { createWriteStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzip, inflateRawSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { recordingParquet } from '../../src-server/exporters/parquet/recording.ts';
import { writeRecordingFile } from '../../src-server/exporters/recording-file.ts';
import { makePart } from '../../src-server/exporters/study-export/make-part.ts';
import { Part } from '../../src-server/exporters/study-export/part-file.ts';
import type { PartFormat } from '../../src-server/exporters/study-export/part-task.ts';
import { ZipWriter } from '../../src-server/exporters/zip-writer.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../src-server/simulator/physiology/write.ts';
import type { RecordingFormatName } from '../../src-server/study/recording-formats.ts';
import { temporaryFolder } from '../../src-server/testing/signal-fixtures.ts';
import type { BenchRow } from './types.ts';

const HOURS = 4;
const TURNS = 3;
const PARQUET_BAR = 15;
const BIDS_BAR = 5;
const UNIT = 'M samples/s';

/** Processor seconds of the quickest of several turns. */
async function cpuSeconds(run: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS; turn++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
}

/** A chest sensor: ECG at 250 Hz and acceleration at 31.25 Hz. */
async function simulated(dir: string): Promise<{ path: string; samples: number }> {
  const startMs = Date.UTC(2026, 0, 14, 12);
  const { recordings } = simulateSubject({
    seed: 7,
    timeZone: 'UTC',
    startMs,
    stopMs: startMs + HOURS * 3_600_000,
    sensors: [{ part: 'chest', location: 'MEDIAL_CHEST', side: 'NONE', ecg: true }],
  });
  const { path, sampleCounts } = await writeSimulatedRecording(dir, recordings[0]!);
  return { path, samples: sampleCounts.reduce((sum, count) => sum + count, 0) };
}

export async function run(): Promise<BenchRow[]> {
  const folder = temporaryFolder();
  try {
    const { path, samples } = await simulated(folder.path);
    const rate = (seconds: number) => samples / seconds / 1e6;
    const outputPath = join(folder.path, 'out');
    const signal = new AbortController().signal;
    const part = (format: PartFormat) => () =>
      makePart({ format, key: 'bench', signalPath: path, outputPath }, { signal, onSamples: () => undefined });
    const rows = [
      ...(await parquetRows(folder.path, path, rate, part('PARQUET'))),
      ...(await bidsRows(outputPath, rate, async () => {
        await part('BIDS')();
        return await zipped(outputPath);
      })),
    ];
    for (const format of ['mc10-zip', 'edf', 'edf-d', 'bdf'] as const satisfies RecordingFormatName[]) {
      const seconds = await cpuSeconds(async () => {
        await rm(outputPath, { force: true });
        await writeRecordingFile(format, path, outputPath);
      });
      rows.push({ name: `recording as ${format}`, value: rate(seconds), unit: UNIT, pass: true });
    }
    return rows;
  } finally {
    folder.remove();
  }
}

async function parquetRows(
  dir: string,
  signalPath: string,
  rate: (seconds: number) => number,
  make: () => Promise<void>,
): Promise<BenchRow[]> {
  const file = join(dir, 'ours.parquet');
  const chunks: Uint8Array[] = [];
  for await (const chunk of recordingParquet(signalPath)) chunks.push(chunk);
  await writeFile(file, Buffer.concat(chunks));
  const ours = await cpuSeconds(make);
  const peerFile = join(dir, 'duckdb.parquet');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE samples AS SELECT * FROM '${file}'`);
  const peer = await cpuSeconds(() =>
    connection.run(`COPY samples TO '${peerFile}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 131072)`),
  );
  const reader = await connection.runAndReadAll(
    `SELECT count(*) FROM (SELECT * FROM '${file}' EXCEPT ALL SELECT * FROM '${peerFile}')`,
  );
  const differing = Number(reader.getRows()[0]![0]);
  connection.closeSync();
  instance.closeSync();
  const [size, peerSize] = [(await stat(file)).size / 1e6, (await stat(peerFile)).size / 1e6];
  return [
    {
      name: 'samples as Parquet',
      value: rate(ours),
      unit: UNIT,
      peer: 'DuckDB from its own table',
      peerValue: rate(peer),
      ratio: peer / ours,
      bar: `>= ${PARQUET_BAR} ${UNIT}, the same rows`,
      pass: rate(ours) >= PARQUET_BAR && differing === 0,
    },
    {
      name: 'size as Parquet',
      value: size,
      unit: 'MB',
      peer: 'DuckDB',
      peerValue: peerSize,
      ratio: size / peerSize,
      pass: true,
    },
  ];
}

/** Writes the members of a part into an archive, as a study export does; returns the size of the archive. */
async function zipped(partPath: string): Promise<number> {
  const part = await Part.open(partPath);
  try {
    const zip = new ZipWriter(createWriteStream('/dev/null'), 'many');
    for (const name of part.names) await zip.addPacked(name, part.read(name));
    return (await zip.finish()).sizeBytes;
  } finally {
    await part.close();
  }
}

/** All text of a part, unpacked. */
async function textOf(partPath: string): Promise<Buffer> {
  const part = await Part.open(partPath);
  try {
    const texts: Buffer[] = [];
    for (const name of part.names) {
      const { content, isDeflated } = part.read(name);
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      texts.push(isDeflated ? inflateRawSync(bytes) : gunzipSync(bytes));
    }
    return Buffer.concat(texts);
  } finally {
    await part.close();
  }
}

async function bidsRows(
  partPath: string,
  rate: (seconds: number) => number,
  make: () => Promise<number>,
): Promise<BenchRow[]> {
  let sizeBytes = 0;
  const ours = await cpuSeconds(async () => {
    sizeBytes = await make();
  });
  const text = await textOf(partPath);
  let peerSize = 0;
  const peer = await cpuSeconds(async () => {
    peerSize = (await promisify(gzip)(text)).length;
  });
  return [
    {
      name: 'samples as BIDS',
      value: rate(ours),
      unit: UNIT,
      peer: 'gzip of the same text',
      peerValue: rate(peer),
      ratio: peer / ours,
      bar: `>= ${BIDS_BAR} ${UNIT}`,
      pass: rate(ours) >= BIDS_BAR,
    },
    {
      name: 'size as BIDS',
      value: sizeBytes / 1e6,
      unit: 'MB',
      peer: 'gzip of the same text',
      peerValue: peerSize / 1e6,
      ratio: sizeBytes / peerSize,
      pass: true,
    },
  ];
}
