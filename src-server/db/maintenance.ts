/** What is done to the database file as a whole: facts, checks, planner statistics and scrubbing. Knows no table. */
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sqliteCode } from './errors.ts';

type Sqlite = BetterSqlite3.Database;

/** Rows sampled per index: enough to rank indexes, bounded at any size (sqlite.org/pragma.html#pragma_optimize). */
const STATISTICS_SAMPLE_ROWS = 400;
/** Considers every table, not only those that this connection has read. */
const OPTIMIZE_ALL_TABLES = '0x10002';

export interface DatabaseFacts {
  sqliteVersion: string;
  schemaVersion: number;
  sizeBytes: number;
  /** Whether the file can be written to at this moment. */
  isWritable: boolean;
}

export function databaseFacts(sqlite: Sqlite): DatabaseFacts {
  const pragma = (name: string) => Number(sqlite.pragma(name, { simple: true }));
  return {
    sqliteVersion: sqlite.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '',
    schemaVersion: pragma('user_version'),
    sizeBytes: pragma('page_count') * pragma('page_size'),
    isWritable: !sqlite.readonly && isWritable(sqlite.name),
  };
}

/** False too when the operating system remounted the disk read-only, as after disk errors. */
function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the number of rows of each table. */
export function countRows(sqlite: Sqlite): Record<string, number> {
  const tables = sqlite
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )
    .pluck()
    .all();
  const count = (name: string) => sqlite.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck().get() ?? 0;
  return Object.fromEntries(tables.map((name) => [name, count(name)]));
}

/** Checks the whole file for damaged pages and indexes and dangling foreign keys. Takes as long as reading all of it. */
export function integrityProblems(sqlite: Sqlite): string[] {
  const damage = sqlite.pragma('integrity_check(100)') as { integrity_check: string }[];
  const dangling = sqlite.pragma('foreign_key_check') as { table: string; parent: string }[];
  return [
    ...damage.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    ...dangling.map(({ table, parent }) => `A row of ${table} refers to a row of ${parent} that is not there.`),
  ];
}

/**
 * Refreshes the planner statistics of tables that have grown much since the last time. Samples a bounded number of rows, so it
 * takes milliseconds at any size. Never throws on an SQLite error: without statistics every answer is right, only slower, and a
 * full disk must not keep a site from opening.
 */
export function refreshStatistics(sqlite: Sqlite): void {
  try {
    sqlite.pragma(`analysis_limit = ${STATISTICS_SAMPLE_ROWS}`);
    sqlite.pragma(`optimize = ${OPTIMIZE_ALL_TABLES}`);
  } catch (thrown) {
    if (!(thrown instanceof BetterSqlite3.SqliteError)) throw thrown;
  }
}

/**
 * Rewrites the file and its write-ahead log without deleted and overwritten content. Takes as long as copying the file, and its
 * size in free space.
 * @returns false when there is no room or another connection reads the file; the old content may then still be there
 */
export function scrub(sqlite: Sqlite): boolean {
  try {
    sqlite.pragma('secure_delete = ON');
    sqlite.exec('VACUUM');
    const [checkpoint] = sqlite.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return checkpoint?.busy === 0;
  } catch (thrown) {
    if (/^SQLITE_(FULL|BUSY|LOCKED|IOERR)/.test(sqliteCode(thrown) ?? '')) return false;
    throw thrown;
  } finally {
    sqlite.pragma('secure_delete = OFF');
  }
}
