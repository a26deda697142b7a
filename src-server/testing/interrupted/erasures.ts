/**
 * An administrator erases a person. Afterwards the person is there whole or gone from every file, and permanently gone once that was
 * acknowledged; another person is as before.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSite } from '../../site/folder.ts';
import { addPerson, findPerson, type Person } from '../person.ts';
import { makeTestSite, signIn, startServerProcess, TEST_PASSWORD, type TestSite } from '../test-site.ts';
import { type Activity, DONE, type Interruption, KILL_HOOK, siteProblems, type WorkEnd } from './activity.ts';

export interface ErasureTemplate {
  site: TestSite;
  person: Person;
  other: Person;
}

export async function makeErasureTemplate(): Promise<ErasureTemplate> {
  const site = await makeTestSite({ timeZones: [] });
  const folder = await openSite(site.dir);
  try {
    const about = { accountId: site.accountId, studyId: site.studyId, userId: site.userId };
    const person = await addPerson(folder, { ...about, tag: 'Quandary', seed: 1 });
    const other = await addPerson(folder, { ...about, tag: 'Remainer', seed: 2 });
    return { site, person, other };
  } finally {
    await folder.close();
  }
}

export function erasureActivity({ site, person, other }: ErasureTemplate, folder: string): Activity {
  const dir = join(folder, 'site');
  return {
    name: 'erasure',
    prepare: () => cp(site.dir, dir, { recursive: true }),
    work: (interruption) => serveAndErase(dir, person, interruption),
    problems: async (acknowledged) => {
      const problems = await siteProblems(dir);
      const isThere = await hasSubject(dir, person.subjectId);
      const left = await findPerson(person, dir);
      if (isThere && acknowledged.includes(DONE)) problems.push('The erased person is back.');
      if (isThere && left.length < Object.keys(person.words).length) problems.push('The person is erased in part.');
      if (!isThere && left.length > 0) problems.push(`Left of the erased person: ${left.join(', ')}.`);
      if (!(await hasSubject(dir, other.subjectId))) problems.push('Another person is gone.');
      return problems;
    },
  };
}

async function hasSubject(dir: string, subjectId: string): Promise<boolean> {
  const folder = await openSite(dir);
  try {
    return (await folder.store.subjects.get(subjectId)) !== undefined;
  } finally {
    await folder.close();
  }
}

async function serveAndErase(
  dir: string,
  { studyId, subjectId, words }: Person,
  { environment = {}, killAfterMs, acknowledge }: Interruption,
): Promise<WorkEnd> {
  const options = { nodeArguments: ['--import', KILL_HOOK], environment };
  const server = await startServerProcess(dir, options).catch(() => undefined);
  // The moment may come while the site opens, before it serves.
  if (!server) return { wasKilled: true, durationMs: 0 };
  let startMs = performance.now();
  try {
    const client = await signIn(server.url);
    startMs = performance.now();
    if (killAfterMs !== undefined) void sleep(killAfterMs).then(server.kill);
    const body = { reason: 'Asked for in writing', confirmation: words.name!, password: TEST_PASSWORD };
    await client.call('eraseSubject', { params: { studyId, subjectId }, body });
    acknowledge(DONE);
  } catch {
    // The server or its disk is gone.
  }
  const durationMs = performance.now() - startMs;
  const code = server.child.signalCode === 'SIGKILL' ? null : await server.stop();
  return { wasKilled: code === null, durationMs };
}
