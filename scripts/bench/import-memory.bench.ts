/** Import of 2 GB files, and of a week of a wrist sensor: additional memory, and speed compared to reading and hashing the bytes. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLargeGt3x } from '../../src-server/testing/actigraph-files.ts';
import { measureImport, writeLargeCsv, writeLargeEdf } from '../../src-server/testing/import-memory.ts';
import type { BenchRow } from './types.ts';

const MEGABYTE = 1e6;
const LARGE_BYTES = 2e9;
const MEMORY_BAR_MEGABYTES = 200;
const SPEED_BAR_MEGABYTES_PER_SECOND = 60;
const WEEK_SECONDS = 7 * 86_400;
const WEEK_BAR_SECONDS = 30;

async function secondsToHash(path: string): Promise<number> {
  const started = performance.now();
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  hash.digest();
  return (performance.now() - started) / 1000;
}

export async function run(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-import-bench-'));
  const rows: BenchRow[] = [];
  try {
    const forms = [
      { format: 'CSV', name: 'accel.csv', write: writeLargeCsv },
      { format: 'EDF', name: 'large.edf', write: writeLargeEdf },
    ];
    for (const { format, name, write } of forms) {
      const path = join(folder, name);
      await write(path, LARGE_BYTES);
      const megabytes = (await stat(path)).size / MEGABYTE;
      const hashSpeed = megabytes / (await secondsToHash(path));
      const { growthBytes, seconds } = await measureImport(path);
      await rm(path);
      const growth = growthBytes / MEGABYTE;
      const speed = megabytes / seconds;
      rows.push(
        {
          name: `import of 2 GB of ${format}, memory`,
          value: growth,
          unit: 'MB',
          peer: 'limit',
          peerValue: MEMORY_BAR_MEGABYTES,
          ratio: growth / MEMORY_BAR_MEGABYTES,
          bar: `< ${MEMORY_BAR_MEGABYTES} MB`,
          pass: growth < MEMORY_BAR_MEGABYTES,
        },
        {
          name: `import of 2 GB of ${format}, speed`,
          value: speed,
          unit: 'MB/s',
          peer: 'SHA-256 alone',
          peerValue: hashSpeed,
          ratio: speed / hashSpeed,
          bar: `>= ${SPEED_BAR_MEGABYTES_PER_SECOND} MB/s`,
          pass: speed >= SPEED_BAR_MEGABYTES_PER_SECOND,
        },
      );
    }
    rows.push(...(await weekOfGt3x(folder)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}

/** 100 Hz for seven days, which is some 370 MB of records. */
async function weekOfGt3x(folder: string): Promise<BenchRow[]> {
  const path = join(folder, 'week.gt3x');
  await writeLargeGt3x(path, WEEK_SECONDS);
  const hashSeconds = await secondsToHash(path);
  const { growthBytes, seconds } = await measureImport(path);
  const growth = growthBytes / MEGABYTE;
  return [
    {
      name: 'import of a week of gt3x at 100 Hz, memory',
      value: growth,
      unit: 'MB',
      peer: 'limit',
      peerValue: MEMORY_BAR_MEGABYTES,
      ratio: growth / MEMORY_BAR_MEGABYTES,
      bar: `< ${MEMORY_BAR_MEGABYTES} MB`,
      pass: growth < MEMORY_BAR_MEGABYTES,
    },
    {
      name: 'import of a week of gt3x at 100 Hz',
      value: seconds,
      unit: 's',
      peer: 'SHA-256 alone',
      peerValue: hashSeconds,
      ratio: seconds / hashSeconds,
      bar: `<= ${WEEK_BAR_SECONDS} s`,
      pass: seconds <= WEEK_BAR_SECONDS,
    },
  ];
}
