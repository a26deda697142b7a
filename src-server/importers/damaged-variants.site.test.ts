import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeVariants, WITH_CHECKSUMS } from '../testing/damaged-files.ts';
import { realData } from '../testing/real-data.ts';

const SEED = Number(env.DAMAGE_SEED ?? 20_261_126);
const VARIANTS = 36;
/** Live captures, and formats that are not read. */
const NO_RECORDINGS = ['polar-ble', 'resting-ecg'];

const root = realData('devices');
const files = (root === null ? [] : readdirSync(root, { withFileTypes: true }))
  .filter((folder) => folder.isDirectory() && !NO_RECORDINGS.includes(folder.name))
  .flatMap(({ name }) =>
    readdirSync(join(root!, name)).map((file) => ({ format: name, file: join(root!, name, file) })),
  )
  .filter(({ file }) => !/truth\.json$|\.gz$/.test(file));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-damaged-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** DAMAGE_SEED=<number> repeats a run. */
describe.runIf(root)(`damaged variants of device files, seed ${SEED}`, () => {
  let judged = 0;

  it.each(files.map(({ format, file }) => ({ format, file, title: `${format}/${basename(file)}` })))(
    '$title',
    async ({ format, file }) => {
      const hasChecksums = WITH_CHECKSUMS.includes(format);
      const count = await judgeVariants(file, join(folder, basename(file)), {
        variants: VARIANTS,
        seed: SEED,
        hasChecksums,
      });
      // A file that needs others beside it, or of a format that is not read.
      if (count === null) return;
      judged += VARIANTS;
      expect(count.problems).toEqual([]);
    },
  );

  it('are at least 500', () => {
    expect(judged).toBeGreaterThanOrEqual(500);
  });
});
