/** Import of 1 GB of Axivity CWA: a week and more of an AX6 at 100 Hz, or four weeks of an AX3 in packed form. From the file to a durable signal file. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureWholeImport } from '../../src-server/testing/import-cost.ts';
import { writeLargeCwa } from '../../src-server/testing/made-cwa.ts';
import type { BenchRow } from './types.ts';

const GIGABYTE = 1 << 30;
const MEGABYTE = 1e6;
const SECONDS_BAR = 30;
const MEMORY_BAR_MEGABYTES = 200;

export async function run(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-cwa-bench-'));
  const rows: BenchRow[] = [];
  try {
    for (const [name, axes] of [
      ['AX6 with rotation', 6],
      ['AX3, packed', 3],
    ] as const) {
      const path = join(folder, 'large.cwa');
      await writeLargeCwa(path, GIGABYTE, axes);
      const cost = await measureWholeImport(path, join(folder, 'out'));
      await rm(path);
      const growth = cost.growthBytes / MEGABYTE;
      const days = (cost.samples * 10_101.3) / 86_400e6;
      const what = `import of 1 GB of CWA (${name}, ${days.toFixed(0)} days)`;
      rows.push(
        {
          name: `${what}, time of processors`,
          value: cost.cpuSeconds,
          unit: 's',
          bar: `<= ${SECONDS_BAR} s`,
          pass: cost.cpuSeconds <= SECONDS_BAR,
        },
        {
          // On a machine of one's own: other programs hold the processors for as long as a thread waits for one.
          name: `${what}, time by the clock less waiting for a processor`,
          value: cost.seconds - cost.waitSeconds,
          unit: 's',
          bar: `<= ${SECONDS_BAR} s`,
          pass: cost.seconds - cost.waitSeconds <= SECONDS_BAR,
        },
        { name: `${what}, time by the clock`, value: cost.seconds, unit: 's', pass: true },
        {
          name: `${what}, memory`,
          value: growth,
          unit: 'MB',
          peer: 'limit',
          peerValue: MEMORY_BAR_MEGABYTES,
          ratio: growth / MEMORY_BAR_MEGABYTES,
          bar: `<= ${MEMORY_BAR_MEGABYTES} MB`,
          pass: growth <= MEMORY_BAR_MEGABYTES,
        },
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}
