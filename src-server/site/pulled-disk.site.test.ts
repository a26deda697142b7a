/** A site whose disk is ejected, pulled or swapped while it serves. */
import { existsSync, readdirSync } from 'node:fs';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../api/contract/client.ts';
import { type PulledDisk, pulledDisk } from '../testing/pulled-disk.ts';
import { makeTestSite, type ServerProcess, signIn, startServerProcess, type TestSite } from '../testing/test-site.ts';
import { type RunningSite, startSite } from './server.ts';

const probe = await pulledDisk();
await probe?.remove();

const TIMEOUT = { timeout: 30_000 };

describe.runIf(probe !== undefined)('a site on a disk', () => {
  let disk: PulledDisk;
  let place: TestSite;
  let site: RunningSite | undefined;
  let server: ServerProcess | undefined;
  beforeEach(async () => {
    disk = (await pulledDisk()) as PulledDisk;
    place = await makeTestSite({ folder: disk.path });
  });
  afterEach(async () => {
    await site?.close();
    await server?.kill();
    site = undefined;
    server = undefined;
    await disk.remove();
  });

  const add = (client: Client, displayName: string) =>
    client.call('createSubject', { params: { studyId: place.studyId }, body: { displayName, timezone: 'UTC' } });
  const namesOf = async (client: Client) => {
    const subjects = await client.call('listSubjects', { params: { studyId: place.studyId } });
    return subjects.items.map(({ displayName }) => displayName);
  };
  const health = (url: string) => createClient({ baseUrl: url, validateResponses: true }).call('getStatus');

  it('that is ejected refuses writes and still shows its subjects; it continues once the disk is back', async () => {
    site = await startSite({ dir: place.dir, port: 0, log: pino({ level: 'silent' }), folderCheckMs: 50 });
    const client = await signIn(site.url);
    await add(client, 'Before');
    expect(await health(site.url)).not.toHaveProperty('problem');
    await disk.eject();
    await expect
      .poll(async () => (await health(site!.url)).problem, TIMEOUT)
      .toMatchObject({ code: 'SITE_DISCONNECTED', message: expect.stringMatching(/Connect it again/) });
    await expect(add(client, 'Meanwhile')).rejects.toMatchObject({ status: 503, code: 'SITE_DISCONNECTED' });
    expect(await namesOf(client)).toContain('Before');
    expect(await client.call('getSite')).toMatchObject({
      database: { state: 'read-only' },
      problem: { code: 'SITE_DISCONNECTED' },
    });
    // Nothing is left where the disk was.
    expect(readdirSync(disk.path)).toEqual([]);
    await disk.connect();
    await expect.poll(() => health(site!.url), TIMEOUT).not.toHaveProperty('problem');
    await add(client, 'After');
    expect(await namesOf(client)).toEqual(expect.arrayContaining(['Before', 'After']));
    expect(await namesOf(client)).not.toContain('Meanwhile');
  });

  it('that is pulled in the middle of writes acknowledges nothing that is not on it, and is opened again at its address', async () => {
    server = await startServerProcess(place.dir);
    let client = await signIn(server.url);
    const acknowledged: string[] = [];
    let isPulled = false;
    const writing = (async () => {
      for (let n = 0; ; n++) {
        try {
          await add(client, `Subject ${n + 10}`);
          acknowledged.push(`Subject ${n + 10}`);
        } catch (thrown) {
          return thrown;
        }
      }
    })();
    await expect.poll(() => acknowledged.length, TIMEOUT).toBeGreaterThan(5);
    await disk.pull(server.child.pid);
    isPulled = true;
    expect(await writing).toMatchObject({
      status: 503,
      code: expect.stringMatching(/^(DISK_FAILED|SITE_DISCONNECTED)$/),
    });
    await expect.poll(() => health(server!.url), TIMEOUT).toMatchObject({ problem: { code: 'SITE_DISCONNECTED' } });
    expect(existsSync(place.dir)).toBe(false);
    await disk.connect();
    await expect
      .poll(() => health(server!.url).catch(() => ({ problem: 'opening' })), TIMEOUT)
      .not.toHaveProperty('problem');
    client = await signIn(server.url);
    expect(await namesOf(client)).toEqual(expect.arrayContaining(acknowledged));
    await add(client, 'After');
    expect(isPulled).toBe(true);
    expect(await server.stop()).toBe(0);
    server = undefined;
  });
});
