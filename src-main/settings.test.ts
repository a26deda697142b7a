import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings, SettingsFile } from './settings.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outpost-settings-'));
  path = join(dir, 'desktop.json');
});
afterEach(async () => await rm(dir, { recursive: true }));

test('remembers what was changed, and treats a damaged file as empty', async () => {
  expect(readSettings(path)).toEqual({});
  await new SettingsFile(path).change({ siteDir: '/srv/site' });
  expect(new SettingsFile(path).current).toEqual({ siteDir: '/srv/site' });
  for (const damaged of ['{"siteDir":', 'null', '5', '']) {
    await writeFile(path, damaged);
    expect(readSettings(path)).toEqual({});
  }
});

test('drops only the member that is damaged', async () => {
  await writeFile(path, JSON.stringify({ siteDir: 5, whenClosed: 'quit' }));
  expect(readSettings(path)).toMatchObject({ whenClosed: 'quit' });
  expect(readSettings(path).siteDir).toBeUndefined();
});

test('keeps members of a newer version', async () => {
  await writeFile(path, JSON.stringify({ siteDir: '/srv/site', fromTheFuture: { on: true } }));
  await new SettingsFile(path).change({ whenClosed: 'keep-receiving' });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    siteDir: '/srv/site',
    fromTheFuture: { on: true },
    whenClosed: 'keep-receiving',
  });
});

test('stores the last of many changes at once, and leaves no other file', async () => {
  const settings = new SettingsFile(path);
  await Promise.all(Array.from({ length: 20 }, (_, i) => settings.change({ siteDir: `/srv/${i}` })));
  expect(readSettings(path)).toEqual({ siteDir: '/srv/19' });
  expect(await readdir(dir)).toEqual(['desktop.json']);
});

test('works on where the settings cannot be stored', async () => {
  const settings = new SettingsFile(join(dir, 'missing', 'desktop.json'));
  await settings.change({ siteDir: '/srv/site' });
  expect(settings.current.siteDir).toBe('/srv/site');
});
