/**
 * Single bytes of the database, changed as a failing disk changes them. What SQLite's checks and the hashes of rows can find today is
 * found; what they cannot is counted and printed by the kind of page, not hidden.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlipSite, makeFlipSite, scrubCycle, seededRandom } from '../../testing/bit-flips.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1e9);
const FLIPS = Number(process.env.DATABASE_FLIPS ?? 12);

let site: FlipSite;
beforeAll(async () => {
  site = await makeFlipSite({ recordings: 3, dates: 2 });
}, 120_000);
afterAll(() => site.remove());

const isFound = async (): Promise<boolean> => {
  try {
    const { database, findings } = await scrubCycle(site, { from: { part: 'database', after: '' }, places: [] });
    return (database?.problems.length ?? 0) > 0 || findings.length > 0;
  } catch {
    // A database that cannot be opened or read any more is found, too.
    return true;
  }
};

it(`finds what checks of structure and hashes of rows can find (seed ${SEED})`, async () => {
  const path = join(site.dir, 'site.db');
  const sqlite = new Database(path, { readonly: true });
  const kinds = new Map(
    (sqlite.prepare('SELECT pageno, name FROM dbstat').all() as { pageno: number; name: string }[]).map(
      ({ pageno, name }) => [pageno, name],
    ),
  );
  sqlite.close();
  const whole = readFileSync(path);
  const random = seededRandom(SEED);
  const counts: Record<string, { flipped: number; found: number }> = {};
  for (let i = 0; i < FLIPS; i++) {
    const at = Math.floor(random() * whole.length);
    const changed = Buffer.from(whole);
    changed[at]! ^= 1 + Math.floor(random() * 255);
    writeFileSync(path, changed);
    const name = kinds.get(1 + Math.floor(at / 4096)) ?? 'free';
    const kind =
      name === 'audit' ? 'audit' : name === 'free' ? 'free pages' : /^sqlite|By|_/.test(name) ? 'indexes' : 'tables';
    const counted = counts[kind] ?? { flipped: 0, found: 0 };
    counts[kind] = counted;
    counted.flipped += 1;
    if (await isFound()) counted.found += 1;
  }
  writeFileSync(path, whole);
  console.log(`seed ${SEED}: flips of the database, found of flipped`, counts);
  expect(await isFound()).toBe(false);
});

it('finds a changed entry of the audit trail by its chain', async () => {
  const path = join(site.dir, 'site.db');
  const whole = readFileSync(path);
  const sqlite = new Database(path, { readonly: true });
  const pages = sqlite
    .prepare("SELECT pageno FROM dbstat WHERE name = 'audit' AND pagetype = 'leaf'")
    .pluck()
    .all() as number[];
  sqlite.close();
  const places = pages.map((page) => whole.indexOf('message.post', (page - 1) * 4096)).filter((at) => at >= 0);
  const at = places.find((found) => pages.includes(1 + Math.floor(found / 4096)));
  const changed = Buffer.from(whole);
  changed[at!]! ^= 1;
  writeFileSync(path, changed);
  expect(await isFound()).toBe(true);
  writeFileSync(path, whole);
});
