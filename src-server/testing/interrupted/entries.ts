/** People enter subjects at a server. Afterwards each one that was answered is there, and the audit is whole. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { openSite } from '../../site/folder.ts';
import { signIn, type TestSite } from '../test-site.ts';
import { type Activity, type Interruption, siteProblems } from './activity.ts';
import { whileServing } from './serving.ts';

const ENTRIES = 40;

export function entryActivity(template: TestSite, folder: string): Activity {
  const site = { ...template, dir: join(folder, 'site') };
  return {
    name: 'entries',
    prepare: () => cp(template.dir, site.dir, { recursive: true }),
    work: (interruption) =>
      whileServing(site.dir, interruption, (url) => enter(url, site.studyId, interruption.acknowledge)),
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

async function enter(url: string, studyId: string, acknowledge: Interruption['acknowledge']): Promise<void> {
  try {
    const client = await signIn(url);
    for (let n = 1; n <= ENTRIES; n++) {
      const displayName = `Entered ${n}`;
      await client.call('createSubject', { params: { studyId }, body: { displayName, timezone: 'UTC' } });
      acknowledge(displayName);
    }
  } catch {
    // The server or its disk is gone.
  }
}
