/** A computer that sleeps for eight hours: the process of the site is stopped, and its clock is ahead when it continues. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HOUR_MS } from '../durations.ts';
import {
  jobEnd,
  makeTestSite,
  type ServerProcess,
  signIn,
  startServerProcess,
  type TestSite,
} from '../testing/test-site.ts';

const HOOK = new URL('../testing/clock-hook.ts', import.meta.url).href;

let place: TestSite;
let server: ServerProcess;
let clockFile: string;
beforeEach(async () => {
  place = await makeTestSite();
  clockFile = join(place.dir, '..', 'ahead');
  writeFileSync(clockFile, '0');
  server = await startServerProcess(place.dir, {
    nodeArguments: ['--import', HOOK],
    environment: { CLOCK_FILE: clockFile },
  });
});
afterEach(async () => {
  await server.kill();
  await place.remove();
});

it.runIf(process.platform !== 'win32')(
  'keeps people signed in, finishes what was running, and takes it for no fault',
  async () => {
    const client = await signIn(server.url);
    const { createdTs } = await client.call('getDiagnostics');
    const running = await client.call('verifySite');
    server.child.kill('SIGSTOP');
    writeFileSync(clockFile, String(8 * HOUR_MS));
    // Both wait until it continues.
    server.child.kill('SIGUSR2');
    server.child.kill('SIGCONT');
    expect(await jobEnd(client, running.id)).toMatchObject({ state: 'done' });
    await expect
      .poll(async () => (await client.call('getDiagnostics')).createdTs - createdTs)
      .toBeGreaterThan(7 * HOUR_MS);
    expect(await client.call('getDiagnostics')).toMatchObject({ clockSteps: [], crashes: [] });
    const body = { displayName: 'After the night', timezone: 'UTC' };
    await client.call('createSubject', { params: { studyId: place.studyId }, body });
    const jobs = await client.call('listJobs', { query: {} });
    expect(jobs.items.filter(({ kind }) => kind === 'verify')).toHaveLength(1);
    expect(jobs.items.filter(({ kind }) => kind === 'backup').length).toBeLessThanOrEqual(1);
  },
);
