/**
 * Signal files: size of real recordings compared to the entropy of their differences, decoding compared to a plain pass over
 * the same samples, and reading 60 s from a day compared to DuckDB over Parquet with the same samples.
 */
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import {
  createSignalFile,
  openSignalFile,
  openSignalFileSync,
  type SignalFileSummary,
  sampleTimesUs,
} from '../../src-server/signals/index.ts';
import { type RealSignal, realEcg, realMotion, realWrist } from '../../src-server/testing/real-signals.ts';
import { channelOf, headerOf, seededRandom, temporaryFolder } from '../../src-server/testing/signal-fixtures.ts';
import type { BenchRow } from './types.ts';

const RATE_HZ = 250;
const PERIOD_US = 1e6 / RATE_HZ;
const DAY_SAMPLES = 24 * 3600 * RATE_HZ;
const PAGE_SAMPLES = 60 * RATE_HZ;
const START_US = 1_700_000_000_000_000;
const READS = 200;

export async function run(): Promise<BenchRow[]> {
  const folder = temporaryFolder();
  try {
    const rows = await sizeRows(folder.path);
    const samples = dayOfEcg();
    const path = join(folder.path, 'day.sig');
    const started = performance.now();
    const summary = await writeDay(path, samples);
    const writeRate = samples.length / (performance.now() - started) / 1000;
    rows.push({ name: 'write a day of 250 Hz ECG', value: writeRate, unit: 'M samples/s', pass: true });
    rows.push(decodeRow(path, samples), await readRow(folder.path, path, samples, summary));
    return rows;
  } finally {
    folder.remove();
  }
}

/** Returns a day of real ECG (records end to end), or of a synthetic rhythm without the developer set. */
function dayOfEcg(): Int16Array {
  const records = realEcg('mitdb').flatMap((signal) => signal.columns.slice(0, 1));
  const day = new Int16Array(DAY_SAMPLES);
  if (records.length === 0) {
    const random = seededRandom(1);
    for (let i = 0; i < day.length; i++) day[i] = 800 * Math.exp(-(((i % 220) - 50) ** 2) / 30) + 20 * random();
    return day;
  }
  for (let at = 0, k = 0; at < day.length; k++) {
    const record = records[k % records.length]!.subarray(0, day.length - at);
    day.set(record, at);
    at += record.length;
  }
  return day;
}

async function writeDay(path: string, samples: Int16Array): Promise<SignalFileSummary> {
  return writeSignal(path, { name: 'day', rateHz: RATE_HZ, columns: [samples] });
}

async function writeSignal(path: string, { rateHz, columns }: RealSignal): Promise<SignalFileSummary> {
  const dimensions = columns.length === 1 ? ['v'] : ['x', 'y', 'z'];
  const writer = await createSignalFile(path, headerOf([channelOf('ANY', dimensions, rateHz)]));
  const pageSamples = Math.round(60 * rateHz);
  for (let first = 0; first < columns[0]!.length; first += pageSamples) {
    const cut = columns.map((column) => column.subarray(first, first + pageSamples));
    const startUs = START_US + (first * 1e6) / rateHz;
    await writer.append({ channel: 0, startUs, periodUs: 1e6 / rateHz, count: cut[0]!.length, columns: cut });
  }
  return writer.finish();
}

/** Shannon entropy of the first differences, in bits per sample: the lower bound of any coder of single differences. */
function differenceEntropyBits(column: Int16Array): number {
  const counts = new Map<number, number>();
  for (let i = 1; i < column.length; i++) {
    const difference = column[i]! - column[i - 1]!;
    counts.set(difference, (counts.get(difference) ?? 0) + 1);
  }
  const total = column.length - 1;
  let bits = 0;
  for (const count of counts.values()) bits -= (count / total) * Math.log2(count / total);
  return bits;
}

async function sizeRows(folder: string): Promise<BenchRow[]> {
  const sets: [string, RealSignal[]][] = [
    ['ECG mitdb', realEcg('mitdb')],
    ['ECG marsh', realEcg('marsh')],
    ['accelerometer harth', realMotion('harth')],
    ['accelerometer har70', realMotion('har70')],
    ['accelerometer sens', realMotion('sens')],
    ['accelerometer biostamp', realMotion('biostamp')],
    ['accelerometer mc10 wrists', realWrist()],
  ];
  const rows: BenchRow[] = [];
  for (const [label, signals] of sets) {
    if (signals.length === 0) continue;
    let rawBits = 0;
    let fileBits = 0;
    let entropyBits = 0;
    for (const [i, signal] of signals.entries()) {
      fileBits += 8 * (await writeSignal(join(folder, `${label}-${i}.sig`), signal)).sizeBytes;
      for (const column of signal.columns) {
        rawBits += 16 * column.length;
        entropyBits += differenceEntropyBits(column) * column.length;
      }
    }
    const value = (100 * fileBits) / rawBits;
    const peerValue = (100 * entropyBits) / rawBits;
    rows.push({
      name: `size, ${label}`,
      value,
      unit: '% of raw int16',
      peer: 'entropy of differences',
      peerValue,
      ratio: value / peerValue,
      bar: '<= 55 %',
      pass: value <= 55,
    });
  }
  return rows;
}

function bestOf(times: number, work: () => void): number {
  let best = Infinity;
  for (let i = 0; i < times; i++) {
    const started = performance.now();
    work();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

function decodeRow(path: string, samples: Int16Array): BenchRow {
  const expected = samples.reduce((sum, value) => (sum + value) | 0, 0);
  const decodeMs = bestOf(5, () => {
    const file = openSignalFileSync(path);
    let count = 0;
    for (const page of file.pages(0)) count += page.count;
    file.closeSync();
    if (count !== samples.length) throw new Error('The day was not read completely.');
  });
  const copy = new Int16Array(samples.length);
  const plainMs = bestOf(5, () => {
    copy.set(samples);
    let sum = 0;
    for (let i = 0; i < copy.length; i++) sum = (sum + copy[i]!) | 0;
    if (sum !== expected) throw new Error('The plain pass computed a different sum.');
  });
  const value = samples.length / decodeMs / 1000;
  const peerValue = samples.length / plainMs / 1000;
  return {
    name: 'decode, from file, one core',
    value,
    unit: 'M samples/s',
    peer: 'copy and sum of the plain array',
    peerValue,
    ratio: value / peerValue,
    bar: '>= 100',
    pass: value >= 100,
  };
}

function percentile95(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)]!;
}

async function readRow(
  folder: string,
  path: string,
  samples: Int16Array,
  summary: SignalFileSummary,
): Promise<BenchRow> {
  const random = seededRandom(2);
  const starts = Array.from({ length: READS }, () =>
    Math.floor(summary.startUs + random() * (summary.stopUs - summary.startUs - 60e6)),
  );
  const own: number[] = [];
  const sums: number[] = [];
  for (const from of starts) {
    const started = performance.now();
    const file = await openSignalFile(path);
    const pages = await file.read(0, from, from + 60e6 - 1);
    let sum = 0;
    for (const page of pages) {
      const times = sampleTimesUs(page);
      for (let i = 0; i < times.length; i++) sum += page.columns[0]![i]!;
    }
    await file.close();
    own.push(performance.now() - started);
    sums.push(sum);
  }
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const parquet = join(folder, 'day.parquet');
  await writeParquet(connection, parquet, samples);
  const query = await connection.prepare(`SELECT t, v FROM read_parquet('${parquet}') WHERE t BETWEEN $1 AND $2`);
  const theirs: number[] = [];
  for (const [i, from] of starts.entries()) {
    const started = performance.now();
    query.bindBigInt(1, BigInt(from));
    query.bindBigInt(2, BigInt(from + 60e6 - 1));
    const [, values = []] = (await query.runAndReadAll()).getColumns();
    let sum = 0;
    for (const value of values) sum += Number(value);
    theirs.push(performance.now() - started);
    if (sum !== sums[i]) throw new Error('DuckDB and the signal file returned different samples.');
  }
  connection.closeSync();
  instance.closeSync();
  const value = percentile95(own);
  const peerValue = percentile95(theirs);
  return {
    name: '60 s at a random place of a day, open to close, p95',
    value,
    unit: 'ms',
    peer: 'DuckDB over Parquet',
    peerValue,
    ratio: value / peerValue,
    bar: '<= 10 ms',
    pass: value <= 10,
  };
}

async function writeParquet(connection: DuckDBConnection, parquet: string, samples: Int16Array): Promise<void> {
  await connection.run('CREATE TABLE day (t BIGINT, v SMALLINT)');
  const appender = await connection.createAppender('day');
  for (let i = 0; i < samples.length; i++) {
    appender.appendBigInt(BigInt(START_US + i * PERIOD_US));
    appender.appendSmallInt(samples[i]!);
    appender.endRow();
    if (i % PAGE_SAMPLES === 0) appender.flushSync();
  }
  appender.closeSync();
  await connection.run(`COPY day TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`);
  await connection.run('DROP TABLE day');
}
