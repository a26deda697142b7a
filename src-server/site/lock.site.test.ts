import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeFileLock } from '../db/file-lock.ts';
import { OutpostError } from '../errors.ts';
import { lockSite } from './lock.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outpost-lock-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function startOwner() {
  const script = join(dir, 'owner.mjs');
  await writeFile(
    script,
    `import { lockSite } from ${JSON.stringify(new URL('./lock.ts', import.meta.url).href)};
     try { lockSite(${JSON.stringify(dir)}); gc(); process.send('locked'); setInterval(() => {}, 1000); }
     catch (error) { process.send(error.code); process.exit(0); }`,
  );
  // What nobody refers to is collected at once: a lock must outlast that.
  const child = fork(script, [], { silent: true, execArgv: ['--expose-gc'] });
  const [message] = (await once(child, 'message')) as [string];
  return { child, message };
}

describe('site lock', () => {
  it('names the process that holds the lock', async () => {
    const { child, message } = await startOwner();
    expect(message).toBe('locked');
    try {
      lockSite(dir);
      expect.unreachable();
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(OutpostError);
      expect((thrown as OutpostError).code).toBe('SITE_LOCKED');
      expect((thrown as OutpostError).message).toContain(`process ${child.pid}`);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('says what to do about a lock of another computer, and takes the one that it left behind', () => {
    const path = join(dir, 'site.lock');
    const other = { pid: 4711, host: 'ward-2', sinceTs: Date.UTC(2026, 0, 1) };
    const outcome = takeFileLock(path, other);
    if (!('lock' in outcome)) throw new Error('The lock is taken.');
    expect(() => lockSite(dir)).toThrow(/process 4711 on ward-2, since 2026-01-01.*file server releases its lock/);
    outcome.lock.release();
    // Its name is still in the file.
    lockSite(dir).release();
  });

  it('is released after kill -9 of its owner, and after release', async () => {
    const { child } = await startOwner();
    child.kill('SIGKILL');
    await once(child, 'exit');
    lockSite(dir).release();
    lockSite(dir).release();
  });

  it('admits exactly one of several racing processes', async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, startOwner));
    const winners = owners.filter((owner) => owner.message === 'locked');
    for (const { child } of owners) child.kill('SIGKILL');
    expect(winners).toHaveLength(1);
    expect(owners.filter((owner) => owner.message === 'SITE_LOCKED')).toHaveLength(5);
  });
});
