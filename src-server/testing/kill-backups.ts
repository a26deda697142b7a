/**
 * Kills backups, restores and recoveries with SIGKILL at random moments. Afterwards the site is as it was, every backup that is there can be
 * restored whole, an interrupted restore has left no site or a whole one, and the same command succeeds when it is run again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listBackups } from '../integrity/backup/folder.ts';
import { makeBackup } from '../integrity/backup/make.ts';
import { restoreSite } from '../integrity/backup/restore.ts';
import { sealFolder } from '../integrity/backup/sealed/keys.ts';
import { verifySite } from '../integrity/verify.ts';
import { openSite } from '../site/folder.ts';
import { addTestRecording } from './test-recording.ts';
import { makeTestSite, OUTPOST_COMMAND, type TestSite } from './test-site.ts';

export interface BackupKillRound {
  /** `restore: before rename 2`. */
  moment: string;
  wasKilled: boolean;
  problems: string[];
}

const HOOK = join(import.meta.dirname, 'kill-hook.ts');
const KINDS = ['backup', 'encrypted backup', 'restore', 'recover'] as const;
type Kind = (typeof KINDS)[number];
const STEPS = ['sync', 'rename', 'renameSync', 'fsync', 'commit'] as const;
const PASSPHRASE = 'a passphrase for tests';
/** Before the backup of the template, and all of them. */
const [IN_BACKUP, IN_SITE] = [3, 4];

/** A copy of the template in a folder of its own, and the command that is killed there. */
interface Round {
  folder: string;
  site: string;
  backups: string;
  target: string;
  words: string[];
}

async function makeTemplate(): Promise<TestSite> {
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

async function prepare(template: TestSite, folder: string, kind: Kind): Promise<Round> {
  const site = join(folder, 'site');
  const target = join(folder, 'restored');
  await cp(template.dir, site, { recursive: true });
  const own = join(site, 'backups');
  if (kind === 'restore')
    return { folder, site, target, backups: own, words: ['restore', '--from', own, '--data', target] };
  if (kind === 'recover') {
    await truncate(join(site, 'site.db'), 0);
    return { folder, site, target, backups: own, words: ['recover', '--restore', '--data', site] };
  }
  const backups = kind === 'backup' ? own : join(folder, 'encrypted');
  if (kind === 'encrypted backup') await sealFolder(backups, site, PASSPHRASE);
  return { folder, site, target, backups, words: ['backup', '--data', site, '--to', backups] };
}

async function run(words: string[], environment: Record<string, string>, killAfterMs?: number): Promise<string | null> {
  const child = spawn(process.execPath, ['--import', HOOK, OUTPOST_COMMAND, ...words], {
    stdio: 'ignore',
    env: { ...process.env, ...environment },
  });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  if (killAfterMs !== undefined) void sleep(killAfterMs).then(() => child.kill('SIGKILL'));
  const [, signal] = await exited;
  return signal;
}

/** Every third round ends at a random time, the others before or after a random fsync, rename or commit. */
export async function backupKillRounds(options: {
  random: () => number;
  rounds: number;
  /** In turn; default all. */
  kinds?: readonly Kind[];
  onRound?: (round: BackupKillRound, index: number) => void;
}): Promise<BackupKillRound[]> {
  const { random, kinds = KINDS } = options;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const parent = await mkdtemp(join(tmpdir(), 'outpost-backup-kill-'));
  const template = await makeTemplate();
  const rounds: BackupKillRound[] = [];
  try {
    const undisturbed = new Map<Kind, { counts: Record<string, number>; durationMs: number }>();
    for (let index = 0; index < options.rounds; index++) {
      const kind = kinds[index % kinds.length]!;
      if (!undisturbed.has(kind)) undisturbed.set(kind, await measure(template, parent, kind));
      const { counts, durationMs } = undisturbed.get(kind)!;
      const round = await prepare(template, await mkdtemp(join(parent, 'round-')), kind);
      const step = pick(STEPS.filter((name) => (counts[name] ?? 0) > 0));
      const [side, nth] = [pick(['before', 'after']), 1 + Math.floor(random() * (counts[step] ?? 1))];
      const afterMs = index % 3 === 0 ? random() * durationMs : undefined;
      const moment = `${kind}: ${afterMs === undefined ? `${side} ${step} ${nth}` : `after ${Math.round(afterMs)} ms`}`;
      const environment: Record<string, string> = afterMs === undefined ? { KILL_AT: `${step}:${side}:${nth}` } : {};
      const wasKilled = (await run(round.words, environment, afterMs)) === 'SIGKILL';
      const problems = await aftermath(kind, round).catch((thrown: unknown) => [String(thrown)]);
      rounds.push({ moment, wasKilled, problems });
      options.onRound?.({ moment, wasKilled, problems }, index);
      await rm(round.folder, { recursive: true, force: true });
    }
    return rounds;
  } finally {
    await template.remove();
    await rm(parent, { recursive: true, force: true });
  }
}

async function measure(template: TestSite, parent: string, kind: Kind) {
  const round = await prepare(template, await mkdtemp(join(parent, 'measure-')), kind);
  const counted = join(round.folder, 'counts.json');
  await writeFile(counted, '{}');
  const started = performance.now();
  await run(round.words, { COUNT_TO: counted });
  const durationMs = performance.now() - started;
  return { durationMs, counts: JSON.parse(await readFile(counted, 'utf8')) as Record<string, number> };
}

async function aftermath(kind: Kind, round: Round): Promise<string[]> {
  const { site, target, backups, words } = round;
  if (kind === 'recover') {
    if (!existsSync(join(site, 'site.db')) || (await verified(site, IN_SITE)).length > 0) await run(words, {});
    const left = await readdir(round.folder);
    const problems = await verified(site, IN_SITE);
    if (!left.some((name) => name.startsWith('site-damaged-'))) problems.push('The damaged site was not kept.');
    return [...problems, ...left.filter((name) => /recovery|restoring/.test(name)).map((name) => `${name} is left.`)];
  }
  if (kind === 'restore') {
    if (!existsSync(join(target, 'site.json'))) await run(words, {});
    return [...(await verified(target, IN_BACKUP)), ...(await verified(site, IN_SITE))];
  }
  const problems = await verified(site, IN_SITE);
  const countBefore = (await listBackups(backups)).length;
  await run(words, {});
  const found = await listBackups(backups);
  if (found.length !== countBefore + 1) problems.push(`${found.length} backups after ${countBefore} and one more.`);
  for (const [index, { path, summary, problem }] of found.entries()) {
    if (!summary) problems.push(problem?.message ?? 'A backup cannot be read.');
    const dir = join(round.folder, `of-backup-${index}`);
    const restored = await restoreSite(path, dir, { askPassphrase: async () => PASSPHRASE });
    problems.push(...(await verified(dir, restored.recordings)));
    if (restored.recordings < IN_BACKUP) problems.push(`${path} has ${restored.recordings} recordings.`);
  }
  return problems;
}

/** Opens a site, as the next start does, and then reads all of it. */
async function verified(dir: string, recordings: number): Promise<string[]> {
  try {
    await (await openSite(dir)).close();
  } catch (thrown) {
    return [`${dir} does not open: ${String(thrown)}`];
  }
  const { problems, checked } = await verifySite(dir);
  const found = problems.map(({ step, message }) => `${step}: ${message}`);
  if (checked.recordings !== recordings) found.push(`${dir} has ${checked.recordings} recordings, not ${recordings}.`);
  return found;
}
