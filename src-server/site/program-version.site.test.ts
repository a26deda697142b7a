import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTestSite, type TestSite } from '../testing/test-site.ts';
import { VERSION } from '../version.ts';
import { openSite } from './folder.ts';
import { startSite } from './server.ts';

let site: TestSite;
beforeAll(async () => {
  site = await makeTestSite();
});
afterAll(() => site.remove());

/** Serves the site once, and returns the versions that the audit trail tells, oldest first. */
async function versionsAfterStart(): Promise<unknown[]> {
  const running = await startSite({ dir: site.dir, port: 0 });
  try {
    const entries = await running.folder.store.audit.list({ entityType: 'site' });
    const ofVersion = entries.filter(({ action }) => action === 'site.version');
    return ofVersion.map(({ actor, changes }) => [actor.type, changes.programVersion]).reverse();
  } finally {
    await running.close();
  }
}

it('tells in the audit trail that another version serves the site, once for each change', async () => {
  expect(await versionsAfterStart()).toEqual([]);
  const folder = await openSite(site.dir);
  const { settings } = folder.store;
  expect(await settings.get('program.version')).toBe(VERSION);
  await settings.noteProgramVersion('0.0.9', folder.site.id);
  await folder.close();
  const told = [
    ['SYSTEM', { old: VERSION, new: '0.0.9' }],
    ['SYSTEM', { old: '0.0.9', new: VERSION }],
  ];
  expect(await versionsAfterStart()).toEqual(told);
  expect(await versionsAfterStart()).toEqual(told);
});
