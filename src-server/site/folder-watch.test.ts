import { closeSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FolderWatch } from './folder-watch.ts';

let parent: string;
let descriptor: number;
let watch: FolderWatch;
const refuseWrites = vi.fn();
const acceptWrites = vi.fn();
const onReplaced = vi.fn();
const dirOf = (name: string) => join(parent, name);

function makeSite(name: string): void {
  mkdirSync(dirOf(name));
  for (const file of ['site.json', 'site.db']) writeFileSync(join(dirOf(name), file), '');
}

beforeEach(() => {
  vi.clearAllMocks();
  parent = mkdtempSync(join(tmpdir(), 'outpost-watch-'));
  makeSite('site');
  const databasePath = join(dirOf('site'), 'site.db');
  descriptor = openSync(databasePath, 'r');
  watch = new FolderWatch({
    ...{ dir: dirOf('site'), databasePath, databaseDescriptor: descriptor },
    ...{ refuseWrites, acceptWrites, onReplaced },
  });
});
afterEach(() => {
  watch.close();
  closeSync(descriptor);
  rmSync(parent, { recursive: true, force: true });
});

it('refuses writes once while the folder is away, and accepts them when the same one is back', () => {
  expect(watch.check()).toBe(true);
  renameSync(dirOf('site'), dirOf('away'));
  expect([watch.check(), watch.check()]).toEqual([false, false]);
  expect(watch.problem).toMatchObject({ code: 'SITE_DISCONNECTED', message: expect.stringContaining('Connect it') });
  expect(refuseWrites).toHaveBeenCalledOnce();
  renameSync(dirOf('away'), dirOf('site'));
  expect(watch.check()).toBe(true);
  expect(watch.problem).toBeUndefined();
  expect(acceptWrites).toHaveBeenCalledOnce();
  expect(onReplaced).not.toHaveBeenCalled();
});

it('never accepts writes again when another folder takes the place: what is open is not in it', () => {
  renameSync(dirOf('site'), dirOf('away'));
  makeSite('site');
  expect([watch.check(), watch.check()]).toEqual([false, false]);
  expect(onReplaced).toHaveBeenCalledOnce();
  rmSync(dirOf('site'), { recursive: true });
  renameSync(dirOf('away'), dirOf('site'));
  expect(watch.check()).toBe(false);
  expect(acceptWrites).not.toHaveBeenCalled();
});
