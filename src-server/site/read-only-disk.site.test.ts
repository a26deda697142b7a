/** A site whose disk becomes read-only after an error, while it serves. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../api/contract/client.ts';
import { type ReadOnlyDisk, readOnlyDisk } from '../testing/read-only-disk.ts';
import { makeTestSite, signIn, type TestSite } from '../testing/test-site.ts';
import { type RunningSite, startSite } from './server.ts';

const probe = await readOnlyDisk();
await probe?.remove();

const TIMEOUT = { timeout: 30_000 };

describe.runIf(probe !== undefined)('a site on a disk that fails', () => {
  let disk: ReadOnlyDisk;
  let place: TestSite;
  let site: RunningSite;
  const start = () => startSite({ dir: place.dir, port: 0, log: pino({ level: 'silent' }), folderCheckMs: 50 });
  beforeEach(async () => {
    disk = (await readOnlyDisk()) as ReadOnlyDisk;
    place = await makeTestSite({ folder: disk.path });
    site = await start();
  });
  afterEach(async () => {
    await site.close();
    await disk.remove();
  });

  const add = (client: Client, displayName: string) =>
    client.call('createSubject', { params: { studyId: place.studyId }, body: { displayName, timezone: 'UTC' } });
  const problem = async () =>
    (await createClient({ baseUrl: site.url, validateResponses: true }).call('getStatus')).problem;
  const reasons = async (client: Client) =>
    (await client.call('listAttention', { params: { accountId: place.accountId } })).items.map(({ reason }) => reason);

  it('refuses writes with words, shows it on Today, and continues once the disk is repaired', async () => {
    let client = await signIn(site.url);
    await add(client, 'Before');
    await disk.fail();
    await expect
      .poll(problem, TIMEOUT)
      .toMatchObject({ code: 'SITE_READ_ONLY', message: expect.stringMatching(/Check/) });
    await expect(add(client, 'Meanwhile')).rejects.toMatchObject({ status: 503 });
    expect(await reasons(client)).toContain('SITE_READ_ONLY');
    expect(await client.call('getSite')).toMatchObject({ problem: { code: 'SITE_READ_ONLY' } });
    await disk.repair();
    // As the programs do: the open files are those of the disk before its repair.
    await site.mustReopen;
    await site.close();
    site = await start();
    client = await signIn(site.url);
    await add(client, 'After');
    const { items } = await client.call('listSubjects', { params: { studyId: place.studyId } });
    const names = items.map(({ displayName }) => displayName);
    expect(names).toEqual(expect.arrayContaining(['Before', 'After']));
    expect(names).not.toContain('Meanwhile');
    expect(await reasons(client)).not.toContain('SITE_READ_ONLY');
  });
});
