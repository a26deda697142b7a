/**
 * Damaged variants of the recordings of real devices, ten times as many as the tests read and from other seeds: none may crash, hang,
 * or, where the format has checksums, make a value that the whole file does not have. Of a set, one file at a time is damaged.
 */
import { readdirSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { judgeVariants, WITH_CHECKSUMS } from '../../src-server/testing/damaged-files.ts';
import { realData } from '../../src-server/testing/real-data.ts';
import type { BenchRow } from './types.ts';

const VARIANTS = 360;
/** Live captures of Bluetooth sensors are no recordings. */
const NO_RECORDINGS = ['polar-ble'];
/** The table of another program beside a recording, and files of no recording. */
const NO_FILE = /truth\.json$|\.csv\.gz$/;
/** By which file a set is read. */
const SETS: Readonly<Record<string, string>> = { unisens: 'unisens.xml' };

export async function run(): Promise<BenchRow[]> {
  const root = realData('devices');
  if (root === null) return [];
  const folder = await mkdtemp(join(tmpdir(), 'outpost-damaged-bench-'));
  const seed = Date.now() >>> 0;
  process.stderr.write(`seed ${seed}\n`);
  const rows: BenchRow[] = [];
  try {
    const formats = readdirSync(root, { withFileTypes: true }).filter((one) => one.isDirectory());
    for (const { name: format } of formats) {
      if (NO_RECORDINGS.includes(format)) continue;
      let problems = 0;
      let variants = 0;
      let silent = 0;
      const names = readdirSync(join(root, format)).filter((file) => !NO_FILE.test(file));
      for (const name of names) {
        const hasChecksums = WITH_CHECKSUMS.includes(format);
        const path = join(folder, basename(name, '.gz'));
        const set = SETS[format];
        if (set) for (const beside of names) await copyFile(join(root, format, beside), join(folder, beside));
        const count = await judgeVariants(join(root, format, name), path, {
          ...{ variants: VARIANTS, seed, hasChecksums },
          ...(set && { opened: join(folder, set) }),
        });
        if (count === null) continue;
        variants += VARIANTS;
        problems += count.problems.length;
        silent += count.silent;
        for (const problem of count.problems) process.stderr.write(`${format}/${name}: ${problem}\n`);
      }
      rows.push({
        name: `${format}: faults in ${variants} damaged variants`,
        value: problems,
        unit: '',
        bar: format === 'actigraph' ? '<= 1 in 256' : '0',
        // The records of ActiGraph have 8 bits of checksum, which one damaged record in 256 passes.
        pass: problems <= (format === 'actigraph' ? variants / 256 : 0),
      });
      if (!WITH_CHECKSUMS.includes(format)) continue;
      rows.push({
        name: `${format}: values of another time or file that no note tells of`,
        value: silent,
        unit: '',
        bar: '0',
        pass: silent === 0,
      });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}
