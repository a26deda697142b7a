import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contentOf } from '../files/content-hash.ts';
import { ifReadable, readOneFile, readSmallFile } from './content.ts';

it('tells a file that cannot be read from other failures', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-content-'));
  try {
    for (const path of [folder, join(folder, 'missing')]) {
      expect(await ifReadable(async () => readSmallFile(path))).toBeUndefined();
      expect(await ifReadable(() => contentOf(readOneFile(path)))).toBeUndefined();
    }
    const full = Object.assign(new Error('no more open files'), { code: 'EMFILE' });
    await expect(ifReadable(() => Promise.reject(full))).rejects.toBe(full);
  } finally {
    await rm(folder, { recursive: true });
  }
});
