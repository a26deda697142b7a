/** People enter subjects at a server. Afterwards each one that was answered is there, and the audit is whole. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSite } from '../../site/folder.ts';
import { signIn, startServerProcess, type TestSite } from '../test-site.ts';
import { type Activity, type Interruption, KILL_HOOK, siteProblems, type WorkEnd } from './activity.ts';

const ENTRIES = 40;

export function entryActivity(template: TestSite, folder: string): Activity {
  const site = { ...template, dir: join(folder, 'site') };
  return {
    name: 'entries',
    prepare: () => cp(template.dir, site.dir, { recursive: true }),
    work: (interruption) => serveAndEnter(site, interruption),
    problems: async (acknowledged) => {
      const problems = await siteProblems(site.dir);
      const names = await namesIn(site);
      const lost = acknowledged.filter((name) => !names.has(name));
      return lost.length === 0 ? problems : [...problems, `Lost: ${lost.join(', ')}.`];
    },
  };
}

async function namesIn({ dir, studyId }: TestSite): Promise<Set<string>> {
  const folder = await openSite(dir);
  try {
    return new Set((await folder.store.subjects.list(studyId)).map(({ displayName }) => displayName));
  } finally {
    await folder.close();
  }
}

async function serveAndEnter(
  { dir, studyId }: TestSite,
  { environment = {}, killAfterMs, acknowledge }: Interruption,
): Promise<WorkEnd> {
  const options = { nodeArguments: ['--import', KILL_HOOK], environment };
  const server = await startServerProcess(dir, options).catch(() => undefined);
  // The moment may come while the site opens, before it serves.
  if (!server) return { wasKilled: true, durationMs: 0 };
  const startMs = performance.now();
  if (killAfterMs !== undefined) void sleep(killAfterMs).then(server.kill);
  try {
    const client = await signIn(server.url);
    for (let n = 1; n <= ENTRIES; n++) {
      const displayName = `Entered ${n}`;
      await client.call('createSubject', { params: { studyId }, body: { displayName, timezone: 'UTC' } });
      acknowledge(displayName);
    }
  } catch {
    // The server or its disk is gone.
  }
  const durationMs = performance.now() - startMs;
  const code = server.child.signalCode === 'SIGKILL' ? null : await server.stop();
  return { wasKilled: code === null, durationMs };
}
