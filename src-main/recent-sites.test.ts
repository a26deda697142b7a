import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SiteState } from '../src-server/site/site-state.ts';
import { RecentSites } from './recent-sites.ts';
import { SettingsFile } from './settings.ts';

let folder: string;
let settings: SettingsFile;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-recent-'));
  settings = new SettingsFile(join(folder, 'desktop.json'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const site = (dir: string) => ({ dir, name: `Site ${dir}`, openedMs: 0 });
const ready = async (): Promise<SiteState> => ({ state: 'ready' });

test('lists each site once, the last one first, and only a dozen', async () => {
  const recent = new RecentSites(settings, () => null, ready);
  for (let i = 0; i < 20; i++) await recent.add(site(`/srv/${i}`));
  await recent.add(site('/srv/15'));
  expect(recent.sites.map(({ dir }) => dir).slice(0, 3)).toEqual(['/srv/15', '/srv/19', '/srv/18']);
  expect(recent.sites).toHaveLength(12);
  await recent.forget('/srv/19');
  expect(recent.has('/srv/19')).toBe(false);
  const next = new RecentSites(new SettingsFile(settings.path), () => null, ready);
  expect(next.sites).toEqual(recent.sites);
});

test('does not ask about the site that this program has open itself', async () => {
  const asked: string[] = [];
  const recent = new RecentSites(
    settings,
    () => '/srv/open',
    async (dir) => {
      asked.push(dir);
      return { state: 'ready' };
    },
  );
  for (const dir of ['/srv/open', '/srv/other']) await recent.add(site(dir));
  expect(recent.unchecked().map(({ state }) => state.state)).toEqual(['checking', 'open']);
  expect((await recent.checked()).map(({ state }) => state.state)).toEqual(['ready', 'open']);
  expect(asked).toEqual(['/srv/other']);
});

test('waits for at most two folders that do not answer, and asks again once they do', async () => {
  const gone = new Map<string, (state: SiteState) => void>();
  let asked = 0;
  const recent = new RecentSites(
    settings,
    () => null,
    (dir) => {
      asked++;
      return new Promise((resolve) => gone.set(dir, resolve));
    },
    5,
  );
  for (const dir of ['/mnt/c', '/mnt/b', '/mnt/a']) await recent.add(site(dir));
  const states = async () => (await recent.checked()).map(({ state }) => state.state);
  expect(await states()).toEqual(['no-answer', 'no-answer', 'no-answer']);
  expect(await states()).toEqual(['no-answer', 'no-answer', 'no-answer']);
  expect(asked).toBe(2);
  gone.get('/mnt/a')?.({ state: 'ready' });
  await Promise.resolve();
  const next = recent.stateOf('/mnt/c');
  gone.get('/mnt/c')?.({ state: 'no-site' });
  expect(await next).toEqual({ state: 'no-site' });
});
