import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTestSite } from '../testing/test-site.ts';
import { lockSite } from './lock.ts';
import { startSite } from './server.ts';
import { siteStateOf } from './site-state.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-state-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('tells apart a folder that is gone, that holds no site, and whose site is newer or damaged', async () => {
  expect(await siteStateOf(join(folder, 'gone'))).toEqual({ state: 'no-folder' });
  await writeFile(join(folder, 'file'), '');
  expect(await siteStateOf(join(folder, 'file'))).toEqual({ state: 'no-site' });
  expect(await siteStateOf(join(folder, 'file', 'below'))).toEqual({ state: 'no-folder' });
  await mkdir(join(folder, 'other'));
  expect(await siteStateOf(join(folder, 'other'))).toEqual({ state: 'no-site' });
  await writeFile(join(folder, 'other', 'site.json'), '{"format":');
  expect(await siteStateOf(join(folder, 'other'))).toEqual({ state: 'damaged' });
  await writeFile(join(folder, 'other', 'site.json'), '{"format":99}');
  expect(await siteStateOf(join(folder, 'other'))).toEqual({ state: 'newer' });
});

it('names the process that has the site open, leaves a closed site as it is, and lets others open it', async () => {
  const { dir } = await makeTestSite({ folder });
  const before = await readdir(dir);
  expect(await siteStateOf(dir)).toEqual({ state: 'ready' });
  expect(await readdir(dir)).toEqual(before);

  const site = await startSite({ dir, port: 0 });
  expect(await siteStateOf(dir)).toMatchObject({ state: 'in-use', owner: { pid: process.pid }, isHere: true });
  await site.close();
  expect(await siteStateOf(dir)).toEqual({ state: 'ready' });
  const lock = lockSite(dir);
  lock.release();
});
