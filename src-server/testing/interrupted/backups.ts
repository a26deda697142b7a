/**
 * Backups, restores and recoveries. Afterwards the site is as it was, every backup that is there can be restored whole, an interrupted
 * restore has left no site or a whole one, what was acknowledged is there, and the same command succeeds when it is run again.
 */
import { existsSync } from 'node:fs';
import { cp, readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { listBackups } from '../../integrity/backup/folder.ts';
import { makeBackup } from '../../integrity/backup/make.ts';
import { restoreSite } from '../../integrity/backup/restore.ts';
import { sealFolder } from '../../integrity/backup/sealed/keys.ts';
import { openSite } from '../../site/folder.ts';
import { addTestRecording } from '../test-recording.ts';
import { makeTestSite, OUTPOST_COMMAND, type TestSite } from '../test-site.ts';
import { type Activity, DONE, runCommand, siteProblems } from './activity.ts';

export const BACKUP_KINDS = ['backup', 'encrypted backup', 'restore', 'recovery'] as const;
export type BackupKind = (typeof BACKUP_KINDS)[number];

const PASSPHRASE = 'a passphrase for tests';
/** Recordings before the backup of the template, and all of them. */
const [IN_BACKUP, IN_SITE] = [3, 4];

/** A site with one backup, and a recording that is newer than it. */
export async function makeBackedUpSite(): Promise<TestSite> {
  const site = await makeTestSite();
  const add = async (hours: number) => {
    const folder = await openSite(site.dir);
    const place = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
    await addTestRecording(folder.store, folder.signalsDir, place, { startUs: hours * 3600e6 });
    await folder.close();
  };
  for (let hours = 1; hours <= IN_BACKUP; hours++) await add(hours);
  await makeBackup({ siteDir: site.dir, to: join(site.dir, 'backups'), reason: 'manual', nowTs: Date.now() });
  await add(IN_SITE);
  return site;
}

/** @param template of {@link makeBackedUpSite}; it is copied into the folder each time */
export function backupActivity(kind: BackupKind, template: TestSite, folder: string): Activity {
  const site = join(folder, 'site');
  const own = join(site, 'backups');
  const prepare = () => cp(template.dir, site, { recursive: true });
  if (kind === 'restore') {
    const target = join(folder, 'restored');
    const words = [OUTPOST_COMMAND, 'restore', '--from', own, '--data', target];
    return {
      name: kind,
      prepare,
      work: (interruption) => runCommand(words, interruption),
      problems: async (acknowledged) => {
        const isThere = existsSync(join(target, 'site.json'));
        if (!isThere) await runCommand(words);
        const lost = acknowledged.includes(DONE) && !isThere ? ['The restored site is gone.'] : [];
        return [...lost, ...(await siteProblems(target, IN_BACKUP)), ...(await siteProblems(site, IN_SITE))];
      },
    };
  }
  if (kind === 'recovery') {
    const words = [OUTPOST_COMMAND, 'recover', '--restore', '--data', site];
    return {
      name: kind,
      prepare: async () => {
        await prepare();
        await truncate(join(site, 'site.db'), 0);
      },
      work: (interruption) => runCommand(words, interruption),
      problems: (acknowledged) => recoveryProblems(folder, words, acknowledged.includes(DONE)),
    };
  }
  const backups = kind === 'backup' ? own : join(folder, 'encrypted');
  const before = kind === 'backup' ? 1 : 0;
  const words = [OUTPOST_COMMAND, 'backup', '--data', site, '--to', backups];
  return {
    name: kind,
    prepare: async () => {
      await prepare();
      if (kind === 'encrypted backup') await sealFolder(backups, site, PASSPHRASE);
    },
    work: (interruption) => runCommand(words, interruption),
    problems: async (acknowledged) => {
      const expected = before + (acknowledged.includes(DONE) ? 1 : 0);
      const count = (await listBackups(backups)).length;
      const lost = count < expected ? [`${count} backups are there, ${expected} were acknowledged.`] : [];
      return [...lost, ...(await siteProblems(site, IN_SITE)), ...(await backupProblems(backups, words, folder))];
    },
  };
}

async function recoveryProblems(folder: string, words: readonly string[], isDone: boolean): Promise<string[]> {
  const site = join(folder, 'site');
  const isOpen = existsSync(join(site, 'site.db')) && (await siteProblems(site, IN_SITE)).length === 0;
  if (!isOpen) await runCommand(words);
  const left = await readdir(folder);
  const problems = await siteProblems(site, IN_SITE);
  if (isDone && !isOpen) problems.push('The recovered site was not there.');
  if (!left.some((name) => name.startsWith('site-damaged-'))) problems.push('The damaged site was not kept.');
  if ((await listBackups(join(site, 'backups'))).length === 0) problems.push('The backups are gone.');
  return [...problems, ...left.filter((name) => /recovery|restoring/.test(name)).map((name) => `${name} is left.`)];
}

/** Of all backups, after one more. */
async function backupProblems(backups: string, words: readonly string[], folder: string): Promise<string[]> {
  const problems: string[] = [];
  const countBefore = (await listBackups(backups)).length;
  await runCommand(words);
  const found = await listBackups(backups);
  if (found.length !== countBefore + 1) problems.push(`${found.length} backups after ${countBefore} and one more.`);
  for (const [index, { path, summary, problem }] of found.entries()) {
    if (!summary) problems.push(problem?.message ?? 'A backup cannot be read.');
    const dir = join(folder, `of-backup-${index}`);
    const restored = await restoreSite(path, dir, { askPassphrase: async () => PASSPHRASE });
    problems.push(...(await siteProblems(dir, restored.recordings)));
    if (restored.recordings < IN_BACKUP) problems.push(`${path} has ${restored.recordings} recordings.`);
  }
  return problems;
}
