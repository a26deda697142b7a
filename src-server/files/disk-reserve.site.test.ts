/** The emergency reserve: made of written bytes, given up piece by piece before a commit finds no room, and made again. */
import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM } from '../db/index.ts';
import { openStore, type Store } from '../services/index.ts';
import { DiskWatch } from '../site/disk-watch.ts';
import { type SmallDisk, smallDisk } from '../testing/small-disk.ts';
import { DiskBudget, reserveOf } from './disk-budget.ts';
import { DiskReserve, RESERVE_FILE } from './disk-reserve.ts';

const MB = 1 << 20;
const probe = await smallDisk();
await probe?.remove();

/** A twentieth of the disk. */
const WHOLE = 10 * MB;

describe.runIf(probe !== undefined)('the emergency reserve of a disk of 200 MB', () => {
  let disk: SmallDisk;
  let reserve: DiskReserve;
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(disk.path);
    return bavail * bsize;
  };
  const make = () => {
    while (reserve.makeStep(reserveOf));
  };

  beforeEach(async () => {
    disk = (await smallDisk({ megabytes: 200 })) as SmallDisk;
    reserve = new DiskReserve(disk.path);
  });
  afterEach(() => disk.remove());

  it('takes real space, and is found again at the next start', () => {
    const before = freeBytes();
    make();
    expect(reserve.heldBytes).toBe(WHOLE);
    expect(before - freeBytes()).toBeGreaterThanOrEqual(WHOLE);
    expect(statSync(join(disk.path, RESERVE_FILE)).blocks * 512).toBeGreaterThanOrEqual(WHOLE);
    expect(new DiskReserve(disk.path).heldBytes).toBe(WHOLE);
  });

  it('is given up piece by piece on a full disk, the last ones only to open the site', () => {
    make();
    for (const left of [15, 14, 13]) {
      disk.fill();
      reserve.makeRoom();
      expect(reserve.heldBytes).toBe((left * WHOLE) / 16);
      expect(freeBytes()).toBeGreaterThanOrEqual(WHOLE / 16);
      // There is room, so nothing more is given up.
      reserve.makeRoom();
      expect(reserve.heldBytes).toBe((left * WHOLE) / 16);
    }
    for (let n = 0; n < 20; n++) {
      disk.fill();
      reserve.makeRoom();
    }
    expect(reserve.heldBytes).toBe(WHOLE / 8);
    expect(reserve.giveUpPiece()).toBe(false);
    disk.fill();
    reserve.makeRoom({ isOpening: true });
    expect(reserve.heldBytes).toBe(WHOLE / 16);
  });

  it('is not made of the space that stays free for the database, and again once there is room', async () => {
    disk.fill();
    const watch = new DiskWatch({
      disk: new DiskBudget(disk.path, reserve),
      reserve,
      measure: async () => [
        { part: 'recordings', sizeBytes: 9 * MB },
        { part: 'exports', sizeBytes: 2 * MB },
        { part: 'inbox', sizeBytes: 1000 },
      ],
      onProblem: (problem) => {
        throw problem;
      },
    });
    await watch.look();
    expect(reserve.heldBytes).toBe(0);
    await expect
      .poll(() => watch.largest)
      .toEqual([
        { part: 'others', sizeBytes: expect.any(Number) },
        { part: 'exports', sizeBytes: 2 * MB },
      ]);
    disk.free();
    await watch.look();
    expect(reserve.heldBytes).toBe(WHOLE);
    expect(watch.largest).toEqual([]);
    await watch.close();
  });

  it('lets transactions and single statements commit after another program took the last byte', async () => {
    make();
    const path = join(disk.path, 'site.db');
    const store: Store = openStore(path, { mode: 'create', room: reserve });
    const { id: accountId } = await store.accounts.create({ displayName: 'Clinic' }, SYSTEM);
    for (let n = 0; n < 6; n++) {
      disk.fill();
      await store.studies.create({ accountId, displayName: `Study ${n}` }, SYSTEM);
      disk.fill();
      await store.settings.set('lan.deskOpen', n % 2 === 0, SYSTEM);
    }
    expect(reserve.heldBytes).toBeLessThan(WHOLE);
    await store.close();
    const database = new BetterSqlite3(path, { readonly: true });
    expect(database.prepare('SELECT count(*) FROM study').pluck().get()).toBe(6);
    database.close();
  });
});
