import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite } from '../../site/folder.ts';
import { KILL_HOOK } from '../../testing/interrupted/activity.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { makeTestSite, OUTPOST_COMMAND, type TestSite } from '../../testing/test-site.ts';
import { verifySite } from '../verify.ts';
import { listBackups } from './folder.ts';
import { restoreSite } from './restore.ts';

let parent: string;
let site: TestSite;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'outpost-kill-backup-'));
  site = await makeTestSite();
  const folder = await openSite(site.dir);
  for (const startUs of [1, 2, 3]) {
    const place = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
    await addTestRecording(folder.store, folder.signalsDir, place, { startUs: startUs * 3600e6 });
  }
  await folder.close();
});
afterAll(async () => {
  await site.remove();
  rmSync(parent, { recursive: true, force: true });
});

/** Runs a command and kills it with SIGKILL at a step. Returns whether it reached that step. */
async function killedAt(moment: string, ...words: string[]): Promise<boolean> {
  return (await run({ KILL_AT: moment }, ...words)) === 'SIGKILL';
}

async function run(environment: Record<string, string>, ...words: string[]): Promise<string | null> {
  const child: ChildProcess = spawn(process.execPath, ['--import', KILL_HOOK, OUTPOST_COMMAND, ...words], {
    stdio: 'ignore',
    env: { ...process.env, ...environment },
  });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal;
}

/** While pieces of the database and recordings are written, and before and after the rename that commits the backup. */
const MOMENTS = ['fsync:before:3', 'renameSync:before:6', 'sync:before:2', 'rename:before:last', 'rename:after:last'];

it.each(MOMENTS)('leaves no backup or a complete one after kill -9 %s, and the next works', async (name) => {
  const counts = join(parent, 'counts.json');
  await run(
    { COUNT_TO: counts },
    'backup',
    '--data',
    site.dir,
    '--to',
    join(parent, `count-${name.replaceAll(':', '-')}`),
  );
  const { rename } = JSON.parse(readFileSync(counts, 'utf8')) as { rename: number };
  const moment = name.replace('last', String(rename));
  const to = join(parent, `b-${moment.replaceAll(':', '-')}`);
  expect(await killedAt(moment, 'backup', '--data', site.dir, '--to', to)).toBe(true);
  const left = await listBackups(to);
  for (const { summary, path } of left) {
    expect(summary).toBeDefined();
    const dir = join(to, 'restored');
    await restoreSite(path, dir);
    expect((await verifySite(dir)).problems).toEqual([]);
  }
  expect(await killedAt('none', 'backup', '--data', site.dir, '--to', to)).toBe(false);
  expect(await listBackups(to)).toHaveLength(left.length + 1);
  expect(readdirSync(to).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

const RESTORE_MOMENTS = ['sync:after:2', 'rename:before:1', 'rename:after:1'];

it('leaves no site or the whole one after kill -9 of a restore, which can be repeated', async () => {
  const to = join(parent, 'whole');
  await killedAt('none', 'backup', '--data', site.dir, '--to', to);
  for (const moment of RESTORE_MOMENTS) {
    const dir = join(parent, `r-${moment.replaceAll(':', '-')}`);
    expect(await killedAt(moment, 'restore', '--from', to, '--data', dir), moment).toBe(true);
    if (existsSync(join(dir, 'site.json'))) expect(moment).toBe('rename:after:1');
    else {
      await expect(openSite(dir)).rejects.toMatchObject({ code: 'SITE_MISSING' });
      await restoreSite(to, dir);
    }
    expect((await verifySite(dir)).problems).toEqual([]);
    await (await openSite(dir)).close();
    expect(existsSync(join(dir, 'site.json.restoring'))).toBe(false);
  }
});
