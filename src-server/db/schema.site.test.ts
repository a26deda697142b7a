import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flag, integer, json, table, text } from './columns.ts';
import { migrate } from './migrate.ts';
import { TABLES } from './schema.ts';

interface ColumnInfo {
  name: string;
  type: string;
  notnull: 0 | 1;
  dflt_value: string | null;
  pk: number;
}

describe('the definition of the tables', () => {
  let sqlite: BetterSqlite3.Database;

  beforeAll(() => {
    sqlite = new BetterSqlite3(':memory:');
    migrate(sqlite, { backupsDir: '', nowTs: 0 });
  });
  afterAll(() => {
    sqlite.close();
  });

  it('names every table of a migrated database', () => {
    const names = sqlite
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .pluck()
      .all();
    expect(Object.keys(TABLES).sort()).toEqual(
      names.filter((name) => name !== 'schemaMigration' && !name.startsWith('searchIndex')).sort(),
    );
  });

  it.each(Object.keys(TABLES) as (keyof typeof TABLES)[])('gives %s the columns of the database', (name) => {
    const columns = sqlite.pragma(`table_info("${name}")`) as ColumnInfo[];
    const hasSimpleKey = columns.filter(({ pk }) => pk > 0).length === 1;
    const stored = columns.map((column) => {
      const isRowId = hasSimpleKey && column.pk === 1 && column.type === 'INTEGER';
      return [
        column.name,
        {
          sqlType: column.type,
          isOptional: column.notnull === 0 && column.pk === 0,
          // SQLite numbers the rows of an INTEGER PRIMARY KEY itself; the audit gives its own numbers.
          hasDefault: column.dflt_value !== null || (isRowId && name !== 'audit'),
        },
      ];
    });
    const defined = Object.entries(TABLES[name].columns).map(([column, { sqlType, isOptional, hasDefault }]) => [
      column,
      { sqlType, isOptional, hasDefault },
    ]);
    expect(Object.fromEntries(defined)).toEqual(Object.fromEntries(stored));
  });
});

describe('the mapping of a table', () => {
  const { toRecord, toRow } = table({
    id: text(),
    note: text().optional(),
    count: integer(),
    isHidden: flag(),
    choices: json<string[]>(),
    extra: json<{ a: number }>().optional(),
  });

  it('maps NULL to an absent member, 0 and 1 to a boolean, and parses JSON', () => {
    const record = toRecord({ id: 'a', note: null, count: 0, isHidden: 0, choices: '["x"]', extra: null });
    expect(record).toEqual({ id: 'a', count: 0, isHidden: false, choices: ['x'] });
  });

  it('maps part of a row, and passes columns of other tables through', () => {
    const record = toRecord({ isHidden: 1, accountId: 'b', endedTs: null });
    expect(record).toEqual({ isHidden: true, accountId: 'b', endedTs: null });
  });

  it('leaves the row that it maps as it is', () => {
    const row = { id: 'a', note: null, isHidden: 1 };
    toRecord(row);
    expect(row).toEqual({ id: 'a', note: null, isHidden: 1 });
  });

  it('stores what it reads', () => {
    const row = { id: 'a', note: 'n', count: 2, isHidden: 1, choices: '["x"]', extra: '{"a":1}' };
    expect(toRow(toRecord(row))).toEqual(row);
  });

  it('keeps null, which clears a column, apart from an absent value', () => {
    expect(toRow({ note: null, extra: null, count: undefined })).toEqual({ note: null, extra: null, count: undefined });
  });
});
