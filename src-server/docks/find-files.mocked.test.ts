import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { madeCwa } from '../testing/made-cwa.ts';
import { findFiles, UNREADABLE_MS } from './find-files.ts';
import { lastinglyUnreadableIn, unreadableIn } from './found-folder.ts';

/** Folders that cannot be listed, also when root runs the tests. */
const closed = vi.hoisted(() => new Set<string>());
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const readdir = async (path: string, options: object) => {
    if (closed.has(path)) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    return await real.readdir(path, options);
  };
  return { ...real, readdir };
});

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outpost-find-'));
  closed.clear();
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function closedFolder(...names: string[]): Promise<void> {
  const path = join(dir, ...names);
  await mkdir(path, { recursive: true });
  closed.add(path);
}

it('skips the folders that systems keep on a drive, which nobody may read, also below the root', async () => {
  await closedFolder('System Volume Information');
  await closedFolder('$Recycle.Bin');
  await closedFolder('disk 2', 'lost+found');
  await mkdir(join(dir, 'RECYCLER'));
  await writeFile(join(dir, 'RECYCLER', 'deleted.cwa'), madeCwa());
  await writeFile(join(dir, 'new.cwa'), madeCwa());
  const seen = await findFiles(dir, undefined, { nowMs: 0 });
  expect([...seen.files.keys()]).toEqual(['new.cwa']);
  expect(unreadableIn(seen)).toEqual([]);
});

it('a folder that cannot be listed lasts when that has been so for minutes, and not after one failure', async () => {
  await closedFolder('ward');
  let seen = await findFiles(dir, undefined, { nowMs: 1000 });
  expect(unreadableIn(seen)).toEqual([{ name: 'ward/', why: 'NO_ACCESS' }]);
  seen = await findFiles(dir, seen, { nowMs: 1000 + UNREADABLE_MS - 1 });
  expect(lastinglyUnreadableIn(seen)).toEqual([]);
  seen = await findFiles(dir, seen, { nowMs: 1000 + UNREADABLE_MS });
  expect(lastinglyUnreadableIn(seen)).toEqual([{ name: 'ward/', sinceMs: 1000 }]);
  closed.clear();
  seen = await findFiles(dir, seen, { nowMs: 2000 + UNREADABLE_MS });
  closed.add(join(dir, 'ward'));
  seen = await findFiles(dir, seen, { nowMs: 3000 + UNREADABLE_MS });
  expect(unreadableIn(seen)).toHaveLength(1);
  expect(lastinglyUnreadableIn(seen)).toEqual([]);
});
