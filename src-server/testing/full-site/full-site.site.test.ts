/** A made site is a real one: it verifies, opens without repairs, and is the same when it is made again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSearchTable } from '../../db/search-sources.ts';
import { verifySite } from '../../integrity/verify.ts';
import { fillDatabase } from '../full-database.ts';
import { openTestStore } from '../test-store.ts';
import { digestOf } from './rows.ts';
import { copyOfSite, type FullSite, makeFullSite, parseSize } from './site-folder.ts';

let folder: string;
let site: FullSite;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-full-'));
  site = await makeFullSite(join(folder, 'made'), { subjects: 21, days: 4 });
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a full site', () => {
  it('verifies: database, recordings, audit chain, analytics and files', async () => {
    const report = await verifySite(site.dir, { nowTs: site.nowTs });
    expect(report.problems).toEqual([]);
    expect(report.checked.recordings).toBeGreaterThan(140);
    expect(report.checked.windows).toBeGreaterThan(70);
    expect(report.checked.auditRows).toBeGreaterThan(800);
  });

  it('can be copied for runs that write, without copying its recordings', async () => {
    const copy = await copyOfSite(site, join(folder, 'copy'));
    expect((await verifySite(copy.dir, { nowTs: site.nowTs })).problems).toEqual([]);
  });

  it('has rows in every table that grows', () => {
    const database = new BetterSqlite3(join(site.dir, 'site.db'), { readonly: true });
    const tables = database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .pluck()
      .all();
    const isEmpty = (name: string) => database.prepare(`SELECT 1 FROM "${name}"`).get() === undefined;
    // The index of the search is made from the rows when a site opens.
    const empty = tables.filter((name) => !isSearchTable(name) && isEmpty(name)).sort();
    database.close();
    // Sign-ins, settings, and what is rare or needs files of its own, such as what people correct.
    expect(empty).toEqual([
      'analysisRunDay',
      'analysisRunUncorrectedDay',
      'analysisRunWindow',
      'correction',
      'dataQuery',
      'dataQueryStep',
      'digestChoice',
      'digestSent',
      'erasedMark',
      'erasedWear',
      'erasure',
      'messageBatch',
      'messageTemplate',
      'note',
      'noteVersion',
      'passwordCode',
      'recoveryCode',
      'savedFilter',
      'secondFactor',
      'studyBoard',
      'studyPlan',
      'token',
      'tokenUse',
      'transfer',
      'uncorrectedDay',
      'unusedColumns',
      'visit',
    ]);
  });

  it('has the same rows when it is filled again', async () => {
    const hashes = [];
    for (const _ of [1, 2]) {
      const { store, path, close } = openTestStore();
      const [fromTs, accountId, studyId] = [Date.UTC(2026, 0, 1), 'account', 'study'];
      const database = new BetterSqlite3(path);
      database.exec(`INSERT INTO account VALUES ('account', 'Clinic', 0);
        INSERT INTO study (id, accountId, displayName, title, lifecycleState, createdTs, modifiedTs)
        VALUES ('study', 'account', 'Study', 'Study', 'IN_PROGRESS', 0, 0)`);
      database.close();
      fillDatabase(path, { accountId, studyId, subjects: 3, days: 5, sensors: 2, fromTs });
      hashes.push({ head: await store.audit.head(), counts: store.countRows(), rows: rowsHash(path) });
      await close();
    }
    expect(hashes[0]).toEqual(hashes[1]);
  });
});

function rowsHash(path: string): string {
  const database = new BetterSqlite3(path, { readonly: true });
  const tables = ['recording', 'deviceUpload', 'analyticsWindow', 'annotation', 'event', 'job', 'deviceContact'];
  const rows = tables.map((name) => database.prepare(`SELECT * FROM "${name}" ORDER BY 1, 2`).all());
  database.close();
  return digestOf(JSON.stringify(rows));
}

describe('parseSize', () => {
  it('reads subjects and days', () => {
    expect(parseSize('10,000x1')).toEqual({ subjects: 10_000, days: 1 });
    expect(() => parseSize('200')).toThrow('200x365');
  });
});
