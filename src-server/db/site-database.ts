/**
 * One open database file: the connection, its transactions, the subscribers of committed changes, and upkeep of the file. Knows
 * no table; the queries and services over it are put together in `store.ts`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { dirname, join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { Kysely } from 'kysely';
import type { OutpostError } from '../errors.ts';
import { ColumnFiles, type ColumnStore } from '../files/column-files.ts';
import type { DatabaseOptions } from './database.ts';
import { type CommitRoom, siteDialect } from './dialect.ts';
import { databaseError } from './errors.ts';
import {
  countRows,
  type DatabaseFacts,
  databaseFacts,
  integrityProblems,
  overwriteDeleted,
  problemsByTable,
  refreshStatistics,
  type TableCheckOptions,
  wholeProblems,
} from './maintenance.ts';
import { writeVerifiedCopy } from './migrate.ts';
import { type ReadPlace, ReadTracking } from './read-tracking.ts';
import type { Tables } from './schema.ts';
import { keepSearchIndex, registerSearchWords } from './search-sources.ts';
import { type CommittedChange, Session } from './session.ts';
import { type FileSpace, fileSpace, shrink } from './shrink.ts';

export interface SlowQuery {
  /** Repository and method, such as `subjects.list`. */
  name: string;
  sql: string;
  durationMs: number;
  /** CPU time of it, see {@link StatementTiming}. */
  processorMs: number;
  /** Rows returned. */
  rows: number;
}

export interface StoreOptions extends DatabaseOptions {
  /** Epoch ms; default Date.now. */
  clock?: () => number;
  /** Second columns of analysed days; default: the folder `columns` beside the file. */
  columns?: ColumnStore;
  /**
   * Called for each statement that computes for longer than `slowQueryMs` (default 40), and for one whose elapsed time is so
   * much longer that the disk or the computer must be at fault. A merely busy computer makes no statement slow.
   */
  onSlowQuery?: (query: SlowQuery) => void;
  slowQueryMs?: number;
  /** Room for commits on a full disk. */
  room?: CommitRoom;
}

const SLOW_QUERY_MS = 40;
/** Elapsed time at which a statement is reported although it computed little, as a multiple of `slowQueryMs`. */
const STALLED_FACTOR = 50;

export class SiteDatabase {
  readonly session: Session;
  readonly #sqlite: BetterSqlite3.Database;
  readonly #kysely: Kysely<Tables>;
  readonly #currentMethod = new AsyncLocalStorage<string>();
  readonly #listeners = new Set<(change: CommittedChange) => void>();
  #revision = 0;
  readonly #readTracking: ReadTracking;
  #refusal: OutpostError | undefined;

  constructor(
    sqlite: BetterSqlite3.Database,
    options: Pick<StoreOptions, 'clock' | 'columns' | 'onSlowQuery' | 'slowQueryMs' | 'room'> = {},
  ) {
    const slowQueryMs = options.slowQueryMs ?? SLOW_QUERY_MS;
    this.#sqlite = sqlite;
    this.#readTracking = new ReadTracking(sqlite);
    if (sqlite.readonly) registerSearchWords(sqlite);
    else keepSearchIndex(sqlite);
    this.#kysely = new Kysely<Tables>({
      dialect: siteDialect(sqlite, {
        refusal: () => this.#refusal,
        room: options.room,
        onStatement: ({ isWrite, parameters, ...timing }) => {
          this.#readTracking.noteStatement({ sql: timing.sql, parameters, isWrite });
          if (timing.processorMs < slowQueryMs && timing.durationMs < STALLED_FACTOR * slowQueryMs) return;
          options.onSlowQuery?.({ name: this.#currentMethod.getStore() ?? 'unnamed', ...timing });
        },
      }),
    });
    const columns = options.columns ?? new ColumnFiles(join(dirname(sqlite.name), 'columns'));
    this.session = new Session(this.#kysely, options.clock ?? Date.now, columns, (changes) => {
      this.#revision += 1;
      for (const change of changes) for (const listener of this.#listeners) listener(change);
    });
  }

  /** Wraps a repository so that each of its methods runs under its name, which a slow statement is then reported with. */
  named<T extends object>(name: string, repository: T): T {
    const methods = new Map<string | symbol, unknown>();
    return new Proxy(repository, {
      get: (target, key) => {
        const wrapped = methods.get(key);
        if (wrapped) return wrapped;
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== 'function') return member;
        const method = (...values: unknown[]): unknown =>
          this.#currentMethod.run(`${name}.${String(key)}`, () => Reflect.apply(member, target, values) as unknown);
        methods.set(key, method);
        return method;
      },
    });
  }

  /** Calls back after each committed change; returns a function that unsubscribes. */
  subscribe(listener: (change: CommittedChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Grows with every row written, audited or not. Read it before cached values are used, see {@link ReadTracking.count}. */
  writeCount(): number {
    return this.#readTracking.count;
  }

  /** Runs reads for a request about a place, and adds what they, and cached values in them, depend on to `keys`. */
  async tracked<T>(place: ReadPlace, keys: Set<string>, work: () => Promise<T>): Promise<T> {
    return await this.#readTracking.tracked(place, keys, work);
  }

  /** Adds what a cached value depends on to the tracked read that is running, if any. */
  noteRead(keys: Iterable<string>): void {
    this.#readTracking.noteRead(keys);
  }

  /** True when nothing that a tracked read depends on was written to since the write count was `sinceCount`. */
  isUnchanged(keys: Iterable<string>, sinceCount: number): boolean {
    return this.#readTracking.isUnchanged(keys, sinceCount);
  }

  /** Grows with every audited write of this process: an answer computed at the same revision is still right. */
  get revision(): number {
    return this.#revision;
  }

  /** The database file. */
  get path(): string {
    return this.#sqlite.name;
  }

  /**
   * Opens a read transaction that lasts until the store is closed, so that every later read sees the database as of now. For
   * read-only stores only; the write-ahead log grows meanwhile, so it should not be held for long.
   */
  holdSnapshot(): void {
    this.#sqlite.exec('BEGIN');
    this.#sqlite.prepare('SELECT 1 FROM sqlite_schema').all();
  }

  facts(): DatabaseFacts {
    return databaseFacts(this.#sqlite);
  }

  /** Returns the number of rows of each table. */
  countRows(): Record<string, number> {
    return countRows(this.#sqlite);
  }

  /** See {@link integrityProblems}. */
  integrityProblems(): string[] {
    return integrityProblems(this.#sqlite);
  }

  /** See {@link wholeProblems}. */
  wholeProblems(): string[] {
    return wholeProblems(this.#sqlite);
  }

  /** See {@link problemsByTable}. */
  problemsByTable(options: TableCheckOptions): Promise<string[] | undefined> {
    return problemsByTable(this.#sqlite, options);
  }

  /**
   * From now on nothing is written: every statement that would, also one of a transaction that is open, throws the error. Reads
   * still work. What was committed before stays as it is.
   */
  refuseWrites(error: OutpostError): void {
    // Damage remains until a backup is restored, whatever else happens.
    if (this.#refusal?.code !== 'SITE_CORRUPT') this.#refusal = error;
    this.#sqlite.pragma('query_only = ON');
  }

  /** Ends {@link refuseWrites}, unless it was for damage. */
  acceptWrites(): void {
    if (this.#refusal?.code === 'SITE_CORRUPT') return;
    this.#refusal = undefined;
    this.#sqlite.pragma('query_only = OFF');
  }

  /** For what is written beside the database, and means nothing without a row. @throws what {@link refuseWrites} was called with */
  requireWritable(): void {
    if (this.#refusal) throw this.#refusal;
  }

  /** See {@link refreshStatistics}. */
  refreshStatistics(): void {
    refreshStatistics(this.#sqlite);
  }

  /**
   * Runs work on the file by another thread. Statements of this connection wait for its end, without keeping this thread busy; those of
   * a transaction come before or after it.
   */
  async whileIdle<T>(work: () => Promise<T>): Promise<T> {
    return await this.#kysely.connection().execute(async () => await work());
  }

  /** See {@link overwriteDeleted}. */
  overwriteDeleted(): boolean {
    return overwriteDeleted(this.#sqlite);
  }

  /** See {@link fileSpace}. */
  fileSpace(): FileSpace {
    return fileSpace(this.#sqlite);
  }

  /** See {@link shrink}. */
  shrink(): boolean {
    return shrink(this.#sqlite);
  }

  /** Copies all pages to a new file, each to its place, as of the end of the copy. It is neither checked nor fsynced. */
  async copyPages(path: string): Promise<void> {
    await this.#sqlite.backup(path).catch((thrown: unknown) => {
      throw databaseError(thrown);
    });
  }

  /** Writes a copy that is complete, checked and fsynced, or nothing. Readers and writers may work meanwhile. */
  backup(path: string): void {
    writeVerifiedCopy(this.#sqlite, path);
  }

  /**
   * Checkpoints the write-ahead log and closes the file. Where the checkpoint fails (a full disk), the log stays beside the file
   * with everything that was committed and the next opening reads it, so closing does not fail.
   */
  async close(): Promise<void> {
    if (!this.#sqlite.open) return;
    try {
      if (!this.#sqlite.readonly) this.#sqlite.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // Nothing is lost, and the file handle must be released all the same.
    } finally {
      await this.#kysely.destroy();
      // Kysely closes the database only if it was used.
      if (this.#sqlite.open) this.#sqlite.close();
    }
  }
}
