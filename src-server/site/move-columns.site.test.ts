import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecondColumns } from '../analytics/seconds.ts';
import { openReadStore, type ReadStore, SYSTEM } from '../db/index.ts';
import { DAY_MS } from '../durations.ts';
import { verifySite } from '../integrity/verify.ts';
import { Random } from '../simulator/physiology/random.ts';
import { KILL_HOOK } from '../testing/interrupted/activity.ts';
import { putColumnsInRows } from '../testing/old-columns.ts';
import { smallDisk } from '../testing/small-disk.ts';
import { makeTestSite, type TestSite } from '../testing/test-site.ts';
import { openSite } from './folder.ts';
import { giveSpaceBack } from './give-space-back.ts';
import { ColumnMover, moveColumns } from './move-columns.ts';

const TESTING = join(import.meta.dirname, '..', 'testing');
const DAYS = 20;
const FIRST_MS = Date.UTC(2026, 1, 1, 12);

/** Everything stored of all windows, with the bytes of the columns. */
type Stored = [window: unknown, columns: string][];

async function storedIn(store: Pick<ReadStore, 'analytics'>, subjectIds: readonly string[]): Promise<Stored> {
  const stored: Stored = [];
  for (const subjectId of subjectIds) {
    for (const window of await store.analytics.windows(subjectId)) {
      const bytes = await store.analytics.windowBytes(subjectId, window.date);
      stored.push([window, Buffer.from(bytes!).toString('base64')]);
    }
  }
  return stored;
}

async function readBeside(dir: string, subjectIds: readonly string[]): Promise<Stored> {
  const store = openReadStore(join(dir, 'site.db'), { isChecked: true });
  return await storedIn(store, subjectIds).finally(() => store.close());
}

async function opened<T>(dir: string, work: (folder: Awaited<ReturnType<typeof openSite>>) => Promise<T>): Promise<T> {
  const folder = await openSite(dir);
  return await work(folder).finally(() => folder.close());
}

/** Days of 8,000 seconds that compress as badly as measured ones. */
async function addAnalytics({ dir, studyId, subjectIds }: TestSite): Promise<void> {
  const random = new Random(5);
  const dates = Array.from({ length: DAYS }, (_, i) => new Date(FIRST_MS + i * DAY_MS).toISOString().slice(0, 10));
  await opened(dir, async ({ store }) => {
    for (const subjectId of subjectIds) {
      const windows = dates.map((date, i) => {
        const startMs = FIRST_MS + i * DAY_MS;
        const seconds = createSecondColumns(startMs, DAY_MS / 1000);
        for (let second = 0; second < 8000; second++) seconds.counts[second] = random.uniform();
        return {
          window: { date, startMs, stopMs: startMs + DAY_MS },
          seconds,
          timezone: 'UTC',
          sleep: [],
          inputsHash: 'x',
        };
      });
      await store.analytics.store({ studyId, subjectId, algorithmVersion: 'test', windows, days: [] }, SYSTEM);
    }
  });
}

const numberIn = (dir: string, select: string) => {
  const database = new BetterSqlite3(join(dir, 'site.db'), { readonly: true });
  try {
    return Number(database.prepare(`SELECT ${select} FROM analyticsWindow WHERE length(columns) > 0`).pluck().get());
  } finally {
    database.close();
  }
};
const blobsIn = (dir: string) => numberIn(dir, 'count(*)');

let parent: string;
let site: TestSite;
let expected: Stored;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'outpost-move-'));
  site = await makeTestSite();
  await addAnalytics(site);
  expected = await readBeside(site.dir, site.subjectIds);
  expect(putColumnsInRows(join(site.dir, 'site.db'))).toBe(2 * DAYS);
});
afterAll(async () => {
  await site.remove();
  rmSync(parent, { recursive: true, force: true });
});

function copyOfSite(name: string): string {
  const dir = join(parent, name);
  cpSync(site.dir, dir, { recursive: true });
  return dir;
}

describe('a site with columns in its database', () => {
  it('is ready before they are moved, has them in files afterwards, and gives the space back at the next opening', async () => {
    const dir = copyOfSite('whole');
    expect(await readBeside(dir, site.subjectIds)).toEqual(expected);
    const sizeBefore = statSync(join(dir, 'site.db')).size;
    const bytesBefore = numberIn(dir, 'sum(length(columns))');
    const steps: string[] = [];
    const onProgress = (_done: number, _total: number, step: string) => steps.push(step);
    const folder = await openSite(dir, { onProgress });
    expect([steps, blobsIn(dir)]).toEqual([[], 2 * DAYS]);
    const progress: string[] = [];
    const rests: number[] = [];
    const problem = await moveColumns(dir, folder.store, {
      onProgress: ({ done, total }) => progress.push(`${done}/${total}`),
      rest: async (workedMs) => {
        rests.push(workedMs);
        // Rows that were moved and rows that were not are read alike.
        expect(await storedIn(folder.store, site.subjectIds)).toEqual(expected);
      },
    });
    expect(problem).toBeUndefined();
    expect(progress).toEqual(['0/40', '16/40', '32/40', '40/40']);
    expect(rests).toHaveLength(3);
    expect(rests.every((ms) => ms > 0)).toBe(true);
    const { freeBytes } = folder.store.fileSpace();
    expect(freeBytes).toBeGreaterThan(0.9 * bytesBefore);
    expect(bytesBefore).toBeGreaterThan(sizeBefore / 3);
    await folder.close();
    // The space that a test's few days free is below the usual bound.
    const later = await openSite(dir, { onProgress });
    expect(await giveSpaceBack(dir, later.store, onProgress, 1000)).toBeUndefined();
    expect(new Set(steps)).toEqual(new Set(['shrinking the database']));
    expect(later.store.fileSpace().freeBytes).toBe(0);
    await later.close();
    expect(statSync(join(dir, 'site.db')).size).toBeLessThan(sizeBefore - freeBytes / 2);
    expect(blobsIn(dir)).toBe(0);
    expect(await verifySite(dir)).toMatchObject({ problems: [], checked: { windows: 40, unusedColumnFiles: 0 } });
  });

  it('moves them while it runs, shows how far it is, and ends between two steps when the site closes', async () => {
    const dir = copyOfSite('running');
    await opened(dir, async ({ store }) => {
      const problems: unknown[] = [];
      const first = new ColumnMover(dir, store, (problem) => problems.push(problem));
      expect(first.progress).toBeUndefined();
      first.start(0);
      await expect.poll(() => first.progress?.done ?? 0, { interval: 1, timeout: 20_000 }).toBeGreaterThan(0);
      expect(first.progress).toMatchObject({ total: 40 });
      await first.close();
      const left = Number(blobsIn(dir));
      expect(left).toBeLessThan(40);
      expect(await storedIn(store, site.subjectIds)).toEqual(expected);
      const second = new ColumnMover(dir, store, (problem) => problems.push(problem));
      second.start(0);
      await expect.poll(() => blobsIn(dir), { timeout: 20_000 }).toBe(0);
      await expect.poll(() => second.progress).toBeUndefined();
      await second.close();
      expect(await storedIn(store, site.subjectIds)).toEqual(expected);
      expect(problems).toEqual([]);
    });
  });

  it('keeps what a new analysis stored while it moves', async () => {
    const dir = copyOfSite('analysed');
    await opened(dir, async ({ store }) => {
      const [subjectId] = site.subjectIds as [string];
      const newest = createSecondColumns(FIRST_MS, 60);
      const stored = moveColumns(dir, store);
      const date = new Date(FIRST_MS).toISOString().slice(0, 10);
      await store.analytics.store(
        {
          studyId: site.studyId,
          subjectId,
          algorithmVersion: 'newer',
          windows: [
            {
              window: { date, startMs: FIRST_MS, stopMs: FIRST_MS + DAY_MS },
              seconds: newest,
              timezone: 'UTC',
              sleep: [],
              inputsHash: 'y',
            },
          ],
          days: [],
        },
        SYSTEM,
      );
      expect(await stored).toBeUndefined();
      expect((await store.analytics.seconds(subjectId, date))!.count).toBe(60);
    });
    expect((await verifySite(dir)).problems).toEqual([]);
  });

  it('can be killed at any point of the move, be read between, and ends with the same bits', async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    const random = new Random(seed);
    const counts = await stepsOf(copyOfSite('counted'));
    let killed = 0;
    for (let round = 0; round < 3; round++) {
      const dir = copyOfSite(`killed-${round}`);
      for (let kill = 0; kill < 2; kill++) {
        const step = (['sync', 'rename', 'commit'] as const)[Math.floor(random.uniform() * 3)]!;
        const side = random.uniform() < 0.5 ? 'before' : 'after';
        const moment = `${step}:${side}:${1 + Math.floor(random.uniform() * counts[step])}`;
        const wasKilled = await openKilled(dir, { KILL_AT: moment });
        if (wasKilled) killed += 1;
        expect(await readBeside(dir, site.subjectIds), `seed ${seed}, ${moment}`).toEqual(expected);
      }
      await opened(dir, async ({ store }) => {
        expect(await moveColumns(dir, store), `seed ${seed}`).toBeUndefined();
        expect(await storedIn(store, site.subjectIds), `seed ${seed}`).toEqual(expected);
      });
      expect(blobsIn(dir)).toBe(0);
      expect((await verifySite(dir)).problems, `seed ${seed}`).toEqual([]);
    }
    expect(killed, `seed ${seed}`).toBeGreaterThan(0);
  });

  it('keeps the columns that cannot be decoded where they are, and reports them', async () => {
    const dir = copyOfSite('damaged');
    const database = new BetterSqlite3(join(dir, 'site.db'));
    const row = database
      .prepare<[], { rowid: number; columns: Buffer }>('SELECT rowid, columns FROM analyticsWindow')
      .get()!;
    row.columns.fill(0, row.columns.length >> 1);
    database.prepare('UPDATE analyticsWindow SET columns = ? WHERE rowid = ?').run(row.columns, row.rowid);
    database.close();
    await opened(dir, async ({ store }) => {
      expect(await moveColumns(dir, store)).toMatchObject({ code: 'SITE_CORRUPT', details: { damaged: 1 } });
    });
    expect(blobsIn(dir)).toBe(1);
    expect((await verifySite(dir)).problems).toMatchObject([{ code: 'ANALYTICS_DAMAGED' }]);
  });
});

const probe = await smallDisk();
await probe?.remove();

it.runIf(probe !== undefined)('keeps its columns without room on the disk, and says how much is needed', async () => {
  const disk = (await smallDisk())!;
  try {
    const dir = join(disk.path, 'site');
    cpSync(site.dir, dir, { recursive: true });
    await opened(dir, async ({ store }) => {
      expect(await moveColumns(dir, store)).toMatchObject({
        code: 'DISK_FULL',
        message: expect.stringMatching(
          /of 40 days .* needs \d+ MB, and the disk has \d+ MB free\. Free some space: the move then begins within an hour/,
        ),
      });
      expect(await storedIn(store, site.subjectIds)).toEqual(expected);
    });
    expect(readdirSync(join(dir, 'columns'))).toEqual([]);
  } finally {
    await disk.remove();
  }
});

/** Opens the site in a process of its own. Returns whether it was killed. */
async function openKilled(dir: string, env: Record<string, string>): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', KILL_HOOK, join(TESTING, 'open-site-process.ts'), dir], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL') expect(code).toBe(0);
  return signal === 'SIGKILL';
}

async function stepsOf(dir: string): Promise<Record<'sync' | 'rename' | 'commit', number>> {
  const file = join(parent, 'counts.json');
  await openKilled(dir, { COUNT_TO: file });
  expect(existsSync(file)).toBe(true);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<'sync' | 'rename' | 'commit', number>;
}

it.runIf(probe !== undefined)('is not shrunk without room for it, and says where and how much', async () => {
  const disk = (await smallDisk())!;
  try {
    const space = { freeBytes: 30e6, usedBytes: 40e6 };
    let shrunk = 0;
    const store = { fileSpace: () => space, shrink: () => ++shrunk > 0 };
    expect(await giveSpaceBack(disk.path, store, undefined, 1)).toMatchObject({
      code: 'DISK_FULL',
      message: expect.stringMatching(
        /^30 MB of the database hold nothing\. Giving them back needs 1\d\d MB in .* \d+ MB free\./,
      ),
    });
    expect(shrunk).toBe(0);
    // A small part of free pages is soon filled again.
    expect(
      await giveSpaceBack(
        disk.path,
        { ...store, fileSpace: () => ({ freeBytes: 9e6, usedBytes: 40e6 }) },
        undefined,
        1,
      ),
    ).toBeUndefined();
    expect(shrunk).toBe(0);
  } finally {
    await disk.remove();
  }
});
