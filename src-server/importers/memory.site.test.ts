import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureImport, writeLargeCsv, writeLargeEdf } from '../testing/import-memory.ts';

const MEGABYTE = 1 << 20;
const LARGE = 64 * MEGABYTE;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-memory-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('memory of an import', () => {
  it.each([
    ['CSV', 'accel.csv', writeLargeCsv],
    ['EDF', 'large.edf', writeLargeEdf],
  ])('does not grow with a large %s', async (_, name, write) => {
    const path = join(folder, name);
    await write(path, LARGE);
    const { growthBytes, samples } = await measureImport(path);
    expect(samples).toBeGreaterThan(2_000_000);
    expect(growthBytes).toBeLessThan(200 * MEGABYTE);
  });
});
