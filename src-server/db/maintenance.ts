/** What is done to the database file as a whole: facts, checks, planner statistics, and overwriting what was deleted. Knows no table. */
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sqliteCode } from './errors.ts';
import { isSearchTable } from './search-sources.ts';
import { type AuditRow, isAuditIntact } from './session.ts';

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

/** Counting reads every row, which takes seconds in a full site. */
const COUNTED_ROWS = 10_000;

/** Returns the number of rows of each table but those of the search: exact up to {@link COUNTED_ROWS}, about as many above. */
export function countRows(sqlite: Sqlite): Record<string, number> {
  const number = (sql: string, ...values: unknown[]) =>
    sqlite
      .prepare<unknown[], number>(sql)
      .pluck()
      .get(...values);
  const hasRowid = new Set(
    sqlite.prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr = 0").pluck().all(),
  );
  const tables = tableNames(sqlite, true);
  const estimate = (name: string) => {
    // Rows get ascending numbers, so gaps are rows that were deleted. SQLite looks up one end alone, and reads all rows for both.
    const end = (which: 'min' | 'max') => `(SELECT ${which}(rowid) FROM "${name}")`;
    if (hasRowid.has(name)) return number(`SELECT ${end('max')} - ${end('min')} + 1`);
    if (!tables.includes('sqlite_stat1')) return undefined;
    return number('SELECT max(CAST(stat AS INTEGER)) FROM sqlite_stat1 WHERE tbl = ?', name);
  };
  const count = (name: string) => {
    const counted = number(`SELECT count(*) FROM (SELECT 1 FROM "${name}" LIMIT ?)`, COUNTED_ROWS + 1) ?? 0;
    return counted <= COUNTED_ROWS ? counted : Math.max(counted, estimate(name) ?? 0);
  };
  return Object.fromEntries(
    tableNames(sqlite, false)
      .filter((name) => !isSearchTable(name))
      .map((name) => [name, count(name)]),
  );
}

function tableNames(sqlite: Sqlite, withOwnOfSqlite: boolean): string[] {
  const names = sqlite
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  return withOwnOfSqlite ? names : names.filter((name) => !name.startsWith('sqlite'));
}

/**
 * Indexes are compared with rows in the order of the rows, so the same pages of an index are needed again and again. Of a file of
 * 1.4 GB, this much instead of 16 MB saves a tenth of the CPU time.
 */
const CHECK_CACHE_KIB = 64 * 1024;

/** Checks the whole file for damaged pages and indexes and dangling foreign keys. Takes as long as reading all of it. */
export function integrityProblems(sqlite: Sqlite): string[] {
  const usual = Number(sqlite.pragma('cache_size', { simple: true }));
  sqlite.pragma(`cache_size = ${-CHECK_CACHE_KIB}`);
  try {
    return problemsOfAll(sqlite);
  } finally {
    sqlite.pragma(`cache_size = ${usual}`);
    sqlite.pragma('shrink_memory');
  }
}

function problemsOfAll(sqlite: Sqlite): string[] {
  const damage = problemsOf(() => sqlite.pragma('integrity_check(100)') as CheckRow[], 'integrity_check');
  const dangling = problemsOf(() => {
    const rows = sqlite.pragma('foreign_key_check') as { table: string; parent: string }[];
    return rows.map(({ table, parent }) => ({
      text: `A row of ${table} refers to a row of ${parent} that is not there.`,
    }));
  }, 'text');
  return [...damage, ...dangling];
}

/** Checks the structure of every page and row in one pass, and stops at the first problem. */
export function wholeProblems(sqlite: Sqlite): string[] {
  return problemsOf(() => sqlite.pragma('quick_check(1)') as CheckRow[], 'quick_check');
}

/** Work between two pauses of {@link problemsByTable}; the bound of what a cancellation and the write-ahead log wait for is one table. */
export interface TableCheckOptions {
  /** Called before each table but the first, with how long the one before it took. */
  pause(workedMs: number): Promise<void>;
  signal?: AbortSignal;
  /** Also compares indexes with rows. */
  withIndexes?: boolean;
}

/**
 * Checks the structure of every table and index, one table at a time, so that no read transaction outlasts a table and other
 * work gets its turn in between. Unlike {@link integrityProblems} it neither compares indexes with rows nor follows foreign keys.
 * @returns undefined when it was cancelled
 */
export async function problemsByTable(
  sqlite: Sqlite,
  { pause, signal, withIndexes = false }: TableCheckOptions,
): Promise<string[] | undefined> {
  const check = withIndexes ? 'integrity_check' : 'quick_check';
  const problems: string[] = [];
  let workedMs: number | undefined;
  for (const name of ['sqlite_schema', ...tableNames(sqlite, true)]) {
    if (workedMs !== undefined) await pause(workedMs);
    if (signal?.aborted) return undefined;
    const started = performance.now();
    problems.push(
      ...problemsOf(() => sqlite.pragma(`${check}("${name}")`) as CheckRow[], check).map((text) => `${name}: ${text}`),
    );
    workedMs = performance.now() - started;
  }
  return problems;
}

/** Audit rows whose chain is recomputed after an unclean end: more than a crash can leave between two checkpoints. */
const RECENT_AUDIT_ROWS = 1000;
/** Tables that every request reads, all of them small. */
const CENTRAL_TABLES = ['sqlite_schema', 'schemaMigration', 'setting', 'account', 'user'] as const;

/**
 * Checks what the last transactions wrote. Every change of a record adds an audit row with the hash of the one before, so the end of
 * the chain is whole only if the transactions are. Takes milliseconds at any size.
 * @returns what is wrong, if anything
 */
export function recentProblem(sqlite: Sqlite): string | undefined {
  const [problem] = problemsOf(() => {
    const found = CENTRAL_TABLES.flatMap((name) => sqlite.pragma(`quick_check("${name}")`) as CheckRow[]);
    const audit = auditEndProblem(sqlite);
    return audit === undefined ? found : [...found, { quick_check: audit }];
  }, 'quick_check');
  return problem;
}

function auditEndProblem(sqlite: Sqlite): string | undefined {
  const rows = sqlite
    .prepare<[number], AuditRow>('SELECT * FROM audit ORDER BY sequence DESC LIMIT ?')
    .all(RECENT_AUDIT_ROWS);
  const newest = sqlite.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").pluck().get() ?? 0;
  if ((rows[0]?.sequence ?? 0) !== newest) return `the audit ends at row ${rows[0]?.sequence ?? 0}, not ${newest}`;
  for (const [i, row] of rows.entries()) {
    const before = rows[i + 1];
    if (!isAuditIntact(row)) return `row ${row.sequence} of the audit does not match its hash`;
    if (before && before.hash !== row.previousHash) {
      return `row ${row.sequence} of the audit does not follow the one before`;
    }
  }
  return undefined;
}

type CheckRow = Record<string, string>;

/** The messages of a check. A page that cannot be read at all makes SQLite fail instead of answer. */
function problemsOf(run: () => CheckRow[], column: string): string[] {
  try {
    return run()
      .map((row) => row[column] ?? '')
      .filter((text) => text !== 'ok');
  } catch (thrown) {
    if (/^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(sqliteCode(thrown) ?? '')) return [(thrown as Error).message];
    throw thrown;
  }
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
export function overwriteDeleted(sqlite: Sqlite): boolean {
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

/** As {@link overwriteDeleted}, of a database that another thread has open and leaves alone meanwhile: see `SiteDatabase.whileIdle`. */
export function overwriteDeletedIn(path: string): boolean {
  const sqlite = new BetterSqlite3(path, { fileMustExist: true });
  try {
    return overwriteDeleted(sqlite);
  } finally {
    sqlite.close();
  }
}
