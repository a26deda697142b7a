/**
 * A person and a script at the site of the installed package, through its documented interface. Run as a script in the network of the
 * machine: `use-site.ts set-up <one-time address>`, `use-site.ts fill <address> <recording>...`, `use-site.ts read <address>`.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../../src-server/api/contract/client.ts';
import { jobEnd, TEST_EMAIL, TEST_PASSWORD, upload } from '../../../src-server/testing/test-site.ts';

async function setUp(url: string): Promise<void> {
  const fields = { firstName: 'Robin', lastName: 'Marsh', email: TEST_EMAIL, password: TEST_PASSWORD };
  const body = new URLSearchParams({ account: 'Clinic', timeZone: 'UTC', ...fields });
  const response = await fetch(url, { method: 'POST', body });
  if (response.status !== 201) throw new Error(`Creating the site answered ${response.status}.`);
}

/** A client with the administrator's credentials, and the account. */
async function signIn(baseUrl: string) {
  const client = createClient({ baseUrl, validateResponses: true });
  const session = await client.call('login', { body: { email: TEST_EMAIL, password: TEST_PASSWORD } });
  client.credentials = { userId: session.user.id, accessToken: session.accessToken };
  return { client, accountId: session.user.accountId };
}

/** What the site answers about all that it received; equal before and after an upgrade. */
async function read(url: string): Promise<unknown> {
  const { client, accountId } = await signIn(url);
  const studies = await client.call('listStudies', { params: { accountId } });
  const answers: unknown[] = [];
  for (const { id: studyId } of studies) {
    const subjects = await client.call('listSubjects', { params: { studyId } });
    for (const { id: subjectId } of subjects.items) {
      const params = { studyId, subjectId };
      const recordings = await client.call('listSubjectRecordings', { params });
      const metrics = await client.call('listMetrics', { params });
      answers.push({ params, recordings: recordings.items, metrics: metrics.items });
    }
  }
  return answers;
}

async function fill(url: string, recordings: string[]): Promise<void> {
  const { client, accountId } = await signIn(url);
  const { id: studyId } = await client.call('createStudy', { params: { accountId }, body: { displayName: 'Packed' } });
  for (const [index, path] of recordings.entries()) {
    const body = { displayName: `S-${index + 1}`, timezone: 'UTC' };
    const { id: subjectId } = await client.call('createSubject', { params: { studyId }, body });
    const { id } = await upload(client, { studyId, subjectId }, [path]);
    const job = await jobEnd(client, id);
    if (job.state !== 'done') throw new Error(`${path} was not imported: ${JSON.stringify(job)}`);
    while ((await client.call('listMetrics', { params: { studyId, subjectId } })).items.length === 0) await sleep(100);
  }
  // The queue is empty: what is read now is final.
  while ((await client.call('listJobs', { query: { state: ['queued', 'running'] } })).size > 0) await sleep(100);
}

const [step, url, ...recordings] = process.argv.slice(2);
if (!url) throw new Error('Name a step and an address.');
if (step === 'set-up') await setUp(url);
if (step === 'fill') await fill(url, recordings);
if (step === 'read') process.stdout.write(JSON.stringify(await read(url)));
