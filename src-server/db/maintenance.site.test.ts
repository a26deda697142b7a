import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { countRows } from './maintenance.ts';

it('counts the rows of small tables, and of large ones without reading them', () => {
  const database = new BetterSqlite3(':memory:');
  try {
    database.exec(`
      CREATE TABLE numbered (id TEXT PRIMARY KEY);
      CREATE TABLE ordered (id INTEGER PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE small (id TEXT PRIMARY KEY);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) INSERT INTO ordered SELECT i FROM n;
      INSERT INTO numbered SELECT 'row ' || id FROM ordered;
      INSERT INTO small SELECT id FROM ordered LIMIT 10000;
    `);
    // Without statistics there is only the least that a table without row ids must hold.
    expect(countRows(database)).toEqual({ numbered: 25_000, ordered: 10_001, small: 10_000 });
    database.exec('ANALYZE; DELETE FROM numbered WHERE rowid <= 5000');
    expect(countRows(database)).toEqual({ numbered: 20_000, ordered: 25_000, small: 10_000 });
  } finally {
    database.close();
  }
});
