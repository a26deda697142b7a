/**
 * Damaged variants of the recordings of real devices, ten times as many as the tests read and from other seeds: none may crash, hang,
 * or, where the format has checksums, make a value that the whole file does not have.
 */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { judgeVariants, WITH_CHECKSUMS } from '../../src-server/testing/damaged-files.ts';
import { realData } from '../../src-server/testing/real-data.ts';
import type { BenchRow } from './types.ts';

const VARIANTS = 360;
const FORMATS = 'actigraph axivity embraceplus empatica-e4 faros geneactiv ishne matrix polar-sensor-logger'.split(' ');

export async function run(): Promise<BenchRow[]> {
  const root = realData('devices');
  if (root === null) return [];
  const folder = await mkdtemp(join(tmpdir(), 'outpost-damaged-bench-'));
  const seed = Date.now() >>> 0;
  process.stderr.write(`seed ${seed}\n`);
  const rows: BenchRow[] = [];
  try {
    for (const format of FORMATS) {
      let problems = 0;
      let variants = 0;
      let silent = 0;
      for (const name of readdirSync(join(root, format)).filter((file) => !/truth\.json$|\.gz$/.test(file))) {
        const hasChecksums = WITH_CHECKSUMS.includes(format);
        const path = join(folder, basename(name));
        const count = await judgeVariants(join(root, format, name), path, { variants: VARIANTS, seed, hasChecksums });
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
