/**
 * Kysely's SQLite dialect over better-sqlite3, with three additions: a cache of prepared statements, a check of bound values (a Date,
 * boolean or undefined throws with a clear message), and timing of every statement.
 */
import type BetterSqlite3 from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { OutpostError } from '../errors.ts';
import { databaseError, sqliteCode } from './errors.ts';

/** Ample for the program's statements, while bulk inserts of varying sizes cannot grow the cache without bound. */
const CACHED_STATEMENTS = 500;

export interface StatementTiming {
  sql: string;
  parameters: readonly unknown[];
  durationMs: number;
  /** CPU time of this thread; the rest was spent waiting for the disk or for other programs. */
  processorMs: number;
  /** Rows returned. */
  rows: number;
  /** True when the statement may have changed data. */
  isWrite: boolean;
}

/** Why nothing may be written at this moment; undefined when it may. */
type Refusal = () => OutpostError | undefined;

/** Space for the pages of a commit, on a disk that may be full. */
export interface CommitRoom {
  /** Called before each commit. Never throws. */
  makeRoom(): void;
  /** Called after a statement that found no room; true when it may be tried again. */
  giveUpPiece(): boolean;
}

type BoundValue = string | number | bigint | null | Uint8Array;

/** @throws TypeError when a value is not one that SQLite stores as itself */
export function guardParameters(parameters: readonly unknown[]): asserts parameters is readonly BoundValue[] {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index];
    const kind = typeof value;
    if (kind === 'string' || kind === 'bigint' || value === null || value instanceof Uint8Array) continue;
    if (kind === 'number' && Number.isFinite(value)) continue;
    throw new TypeError(
      `Bound parameter ${index + 1} is ${kind === 'number' ? String(value) : kind}, which the database does not store.`,
    );
  }
}

class SiteConnection implements DatabaseConnection {
  readonly #database: BetterSqlite3.Database;
  readonly #refusal: Refusal;
  readonly #room: CommitRoom | undefined;
  readonly #onStatement: (timing: StatementTiming) => void;
  readonly #statements = new Map<string, BetterSqlite3.Statement>();

  constructor(database: BetterSqlite3.Database, options: SiteDialectOptions) {
    this.#database = database;
    this.#refusal = options.refusal;
    this.#room = options.room;
    this.#onStatement = options.onStatement;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query;
    guardParameters(parameters);
    const started = performance.now();
    const processor = process.threadCpuUsage();
    let isWrite = false;
    let rows = 0;
    try {
      const statement = this.#prepare(sql);
      isWrite = !statement.readonly;
      if (isWrite) {
        const refusal = this.#refusal();
        if (refusal) throw refusal;
        // It is its own transaction.
        if (!this.#database.inTransaction) this.#room?.makeRoom();
      }
      if (statement.reader) {
        const found = statement.all(...parameters) as R[];
        rows = found.length;
        return { rows: found };
      }
      const { changes, lastInsertRowid } = this.#run(statement, parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (thrown) {
      throw this.#failureOf(thrown);
    } finally {
      const durationMs = performance.now() - started;
      const { user, system } = process.threadCpuUsage(processor);
      this.#onStatement({ sql, parameters, durationMs, processorMs: (user + system) / 1000, rows, isWrite });
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    guardParameters(query.parameters);
    // Not from the cache: a cached statement would be busy for as long as the stream is read.
    const statement = this.#database.prepare(query.sql);
    const { sql, parameters } = query;
    this.#onStatement({ sql, parameters, durationMs: 0, processorMs: 0, rows: 0, isWrite: !statement.readonly });
    for (const row of statement.iterate(...query.parameters)) yield { rows: [row as R] };
  }

  /** Runs a write, once more where a full disk refused it and it is a transaction of its own, of which nothing is left then. */
  #run(statement: BetterSqlite3.Statement, parameters: readonly BoundValue[]): BetterSqlite3.RunResult {
    const isAlone = !this.#database.inTransaction;
    try {
      return statement.run(...parameters);
    } catch (thrown) {
      if (!isAlone || sqliteCode(thrown) !== 'SQLITE_FULL' || this.#room?.giveUpPiece() !== true) throw thrown;
      return statement.run(...parameters);
    }
  }

  /** A file whose disk was pulled in the middle of a write looks damaged: then why nothing may be written is the better answer. */
  #failureOf(thrown: unknown): unknown {
    const error = databaseError(thrown);
    const isDamage = error instanceof OutpostError && error.code === 'SITE_CORRUPT';
    return isDamage ? (this.#refusal() ?? error) : error;
  }

  #prepare(sql: string): BetterSqlite3.Statement {
    const kept = this.#statements.get(sql);
    if (kept) return kept;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= CACHED_STATEMENTS)
      this.#statements.delete(this.#statements.keys().next().value as string);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** One connection behind a queue: a transaction has exclusive use of it until it ends. */
class SiteDriver implements Driver {
  readonly #database: BetterSqlite3.Database;
  readonly #connection: SiteConnection;
  readonly #room: CommitRoom | undefined;
  #last: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(database: BetterSqlite3.Database, options: SiteDialectOptions) {
    this.#database = database;
    this.#room = options.room;
    this.#connection = new SiteConnection(database, options);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const previous = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await previous;
    this.#release = resolve;
    return this.#connection;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    this.#room?.makeRoom();
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // On a full disk or an I/O error SQLite has rolled back already.
    if (this.#database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

export interface SiteDialectOptions {
  refusal: Refusal;
  onStatement: (timing: StatementTiming) => void;
  /** Default: a full disk refuses a commit. */
  room?: CommitRoom | undefined;
}

export function siteDialect(database: BetterSqlite3.Database, options: SiteDialectOptions): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SiteDriver(database, options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
