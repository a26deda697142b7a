/** Writers that share one disk: the sum of their promises, and the limit for writers of unknown size. */
import { statfsSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SmallDisk, smallDisk } from '../testing/small-disk.ts';
import { DiskBudget } from './disk-budget.ts';

const MB = 1 << 20;
const probe = await smallDisk();
await probe?.remove();

describe.runIf(probe !== undefined)('a disk of 20 MB with a reserve of 1 MB', () => {
  let disk: SmallDisk;
  let budget: DiskBudget;
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(disk.path);
    return bavail * bsize;
  };

  beforeEach(async () => {
    disk = (await smallDisk()) as SmallDisk;
    budget = new DiskBudget(disk.path);
  });
  afterEach(() => disk.remove());

  it('sums concurrent claims and releases them', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const claims = [8, 8, 8].map((megabytes) => budget.with(megabytes * MB, () => end));
    await expect(claims[2]).rejects.toMatchObject({ code: 'DISK_FULL', details: { retryAfterSeconds: 300 } });
    resolve();
    await Promise.all(claims.slice(0, 2));
    await budget.with(16 * MB, async () => undefined);
  });

  it('stops a writer of unknown size where the space for devices begins, and starts none without free space', async () => {
    const path = join(disk.path, 'export');
    const write = async (signal: AbortSignal) => {
      for (;;) {
        signal.throwIfAborted();
        await appendFile(path, Buffer.alloc(MB / 4));
        await sleep(60);
      }
    };
    await expect(budget.watch(new AbortController().signal, write)).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(freeBytes()).toBeLessThanOrEqual(4 * MB);
    expect(freeBytes()).toBeGreaterThan(2 * MB);
    expect(await budget.state()).toMatchObject({ level: 'scarce', neededBytes: 0 });
    // A recording still has room.
    await budget.with(MB, async () => undefined);
    let isBegun = false;
    const begin = async () => {
      isBegun = true;
    };
    await expect(budget.watch(new AbortController().signal, begin)).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(isBegun).toBe(false);
  });

  it('passes on the error of a cancelled writer, and reports a disk filled by others', async () => {
    const cancel = new AbortController();
    const begun = Promise.withResolvers<void>();
    const work = budget.watch(cancel.signal, async (signal) => {
      begun.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    });
    await begun.promise;
    cancel.abort();
    await expect(work).rejects.toThrow('stopped');
    await expect(budget.requireReserve()).resolves.toBeUndefined();
    writeFileSync(join(disk.path, 'other'), Buffer.alloc(freeBytes() - MB / 2));
    await expect(budget.requireReserve()).rejects.toMatchObject({ code: 'DISK_FULL' });
  });
});
