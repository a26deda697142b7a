import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings, writeSettings } from './settings.ts';

test('remembers the last folder, and treats a damaged file as empty', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'outpost-settings-'));
  try {
    const path = join(dir, 'desktop.json');
    expect(readSettings(path)).toEqual({});
    await writeSettings(path, { siteDir: '/srv/site' });
    expect(readSettings(path)).toEqual({ siteDir: '/srv/site' });
    for (const damaged of ['{"siteDir":', 'null', '{"siteDir":5}']) {
      await writeFile(path, damaged);
      expect(readSettings(path)).toEqual({});
    }
  } finally {
    await rm(dir, { recursive: true });
  }
});
