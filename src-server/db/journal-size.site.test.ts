/** The write-ahead log after a reader that held it. */
import { statSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestStore, type TestStore } from '../testing/test-store.ts';
import { KEPT_LOG_BYTES, openSqlite } from './database.ts';

let site: TestStore;
beforeEach(() => {
  site = openTestStore();
});
afterEach(() => site.close());

it('does not keep the disk space of a log that a reader made grow', () => {
  const logBytes = () => statSync(`${site.path}-wal`).size;
  const writer = openSqlite(site.path);
  const reader = new BetterSqlite3(site.path, { readonly: true });
  try {
    writer.exec('CREATE TABLE filling (bytes BLOB)');
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM filling').get();
    const fill = writer.prepare('INSERT INTO filling VALUES (zeroblob(4194304))');
    for (let i = 0; i < 16; i++) fill.run();
    expect(logBytes()).toBeGreaterThan(60 << 20);
    reader.exec('COMMIT');
    // The first of these folds the log into the file, the next starts a new one.
    for (let i = 0; i < 2; i++) fill.run();
    expect(logBytes()).toBeLessThanOrEqual(KEPT_LOG_BYTES);
  } finally {
    reader.close();
    writer.close();
  }
});
