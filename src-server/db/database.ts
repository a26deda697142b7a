/**
 * The database of a site: the only folder that knows SQL. One SQLite file, one writer, STRICT tables, WAL with
 * synchronous=FULL; every setting is asserted after opening, because a wrong one loses data silently.
 */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { OutpostError, toOutpostError } from '../errors.ts';
import { isUnchecked, markUnchecked, readDatabaseCheck, writeDatabaseCheck } from './check-record.ts';
import { databaseError } from './errors.ts';
import { registerFunctions } from './functions.ts';
import { recentProblem, wholeProblems } from './maintenance.ts';
import { APPLICATION_ID, latestSchemaVersion, migrate, pendingMigrations } from './migrate.ts';

export interface DatabaseOptions {
  /** `create`: the file must not exist; `open` (default): it must. */
  mode?: 'create' | 'open';
  /** Read beside a running server; nothing is migrated. */
  readonly?: boolean;
  /** Skips every check, which the running site did when it opened the file. */
  isChecked?: boolean;
  /** Up to this size the file is read whole at every opening; default 16 MiB. */
  smallBytes?: number;
  /** Folder for the copy that is made before an old schema is migrated. Default: `backups` beside the file. */
  backupsDir?: string;
  /** Epoch ms. */
  nowTs?: number;
  /** How long a statement waits for another connection's lock. */
  busyTimeoutMs?: number;
}

/** WAL-reset corruption is fixed from here on (sqlite.org, release 3.51.3). */
const OLDEST_SQLITE = [3, 51, 3];

function isOldSqlite(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [i, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[i] ?? 0;
    if (part !== oldest) return part < oldest;
  }
  return false;
}

/**
 * Opens, checks and migrates the file.
 * @throws SITE_MISSING, SITE_EXISTS, SITE_CORRUPT, SITE_READ_ONLY, SITE_NEWER, SITE_MIGRATION_FAILED, DISK_FULL
 */
export function openSqlite(path: string, options: DatabaseOptions = {}): BetterSqlite3.Database {
  const mode = options.mode ?? 'open';
  const exists = existsSync(path);
  if (mode === 'open' && !exists) {
    throw new OutpostError(
      'SITE_MISSING',
      `There is no database at ${path}. Check the folder, or make a site with \`outpost init\`.`,
      { details: { part: 'database' } },
    );
  }
  if (mode === 'create' && exists) {
    throw new OutpostError('SITE_EXISTS', `There is a database at ${path} already. Choose an empty folder.`);
  }
  // SQLite takes a file without bytes for a new database, and would write to it.
  if (exists && statSync(path).size === 0 && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    throw new OutpostError(
      'SITE_CORRUPT',
      `The database of this site, ${path}, is empty. Restore the newest good backup.`,
    );
  }
  let database: BetterSqlite3.Database | undefined;
  try {
    // Opening creates or clears the log, so examine it first.
    const before = exists ? stateBefore(path, options.smallBytes) : undefined;
    // SQLite silently falls back to a read-only handle and fails only at the first write; report it now.
    if (!options.readonly) accessSync(exists ? path : dirname(path), constants.W_OK);
    if (before?.isUnclean && !options.readonly) markUnchecked(path);
    database = new BetterSqlite3(path, {
      readonly: options.readonly ?? false,
      fileMustExist: exists,
      timeout: options.busyTimeoutMs ?? 5000,
    });
    if (isOldSqlite(database.prepare<[], string>('SELECT sqlite_version()').pluck().get() as string)) {
      throw new OutpostError(
        'INTERNAL',
        `This build brings an SQLite older than ${OLDEST_SQLITE.join('.')}. Reinstall Outpost.`,
      );
    }
    registerFunctions(database);
    configure(database, options.readonly ?? false);
    if (before && !options.isChecked) check(database, path, before, options);
    if (options.readonly) requireCurrentSchema(database);
    else {
      migrate(database, {
        backupsDir: options.backupsDir ?? join(dirname(path), 'backups'),
        nowTs: options.nowTs ?? Date.now(),
      });
    }
    return database;
  } catch (thrown) {
    database?.close();
    const error = databaseError(thrown);
    const errno = (error as NodeJS.ErrnoException | null)?.code;
    if (errno === 'EACCES' || errno === 'EPERM') {
      throw new OutpostError(
        'SITE_READ_ONLY',
        `${path} cannot be written to. Check the permissions of the site folder.`,
        { cause: thrown },
      );
    }
    throw toOutpostError(error);
  }
}

/** Of the write-ahead log, once its content is in the database: what a busy hour writes between two checkpoints. */
export const KEPT_LOG_BYTES = 32 << 20;

function configure(database: BetterSqlite3.Database, readonly: boolean): void {
  if (!readonly) {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    // A reader that held a snapshot lets the log grow without limit; afterwards it is cut to this.
    database.pragma(`journal_size_limit = ${KEPT_LOG_BYTES}`);
  }
  database.pragma('foreign_keys = ON');
  database.pragma('trusted_schema = OFF');
  const expected: Record<string, unknown> = { foreign_keys: 1, trusted_schema: 0 };
  if (!readonly) Object.assign(expected, { journal_mode: 'wal', synchronous: 2 });
  for (const [name, value] of Object.entries(expected)) {
    const actual = database.pragma(name, { simple: true });
    if (actual !== value) {
      throw new OutpostError(
        'SITE_READ_ONLY',
        `The database could not be set up safely (${name} is ${String(actual)}). Keep the site on a local disk, not on a network share.`,
        { details: { setting: name } },
      );
    }
  }
}

/** Up to this size reading the whole file takes a fraction of a second. */
const SMALL_DATABASE_BYTES = 16 * 2 ** 20;

/** Whether the file is small enough to be read whole at every opening. */
export function isSmallDatabase(path: string, smallBytes = SMALL_DATABASE_BYTES): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= smallBytes;
}

/** Where the header of a database has its user version, four bytes with the highest first (sqlite.org/fileformat.html). */
const USER_VERSION_OFFSET = 60;

/**
 * Whether opening the file will migrate it. Read from its header, so a version that is still in the write-ahead log is not seen.
 */
export function hasOldSchema(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    const length = readSync(file, bytes, 0, bytes.length, USER_VERSION_OFFSET);
    return length === bytes.length && bytes.readUInt32BE() < latestSchemaVersion();
  } finally {
    closeSync(file);
  }
}

interface StateBefore {
  isSmall: boolean;
  /** The last run ended in a crash or a power cut, and no whole check has passed since. */
  isUnclean: boolean;
  /** The last whole check found damage. */
  isDamaged: boolean;
}

/** A clean close folds the write-ahead log into the file: a log that is not empty was left by a crash or a power cut. */
function stateBefore(path: string, smallBytes: number | undefined): StateBefore {
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return {
    isSmall: isSmallDatabase(path, smallBytes),
    isUnclean: logBytes > 0 || isUnchecked(path),
    isDamaged: (readDatabaseCheck(path)?.problems.length ?? 0) > 0,
  };
}

/**
 * What is checked before a database is used (resources/decisions/0014): all of a small one, all of one that was found damaged,
 * and otherwise what a start can afford at any size. That is the header, the size, the schema and, after an unclean end, the
 * rows and pages that the last transactions touched. If any of it is wrong, everything is read before the site is ready;
 * if not, the site reads everything in the background.
 */
function check(
  database: BetterSqlite3.Database,
  path: string,
  { isSmall, isUnclean, isDamaged }: StateBefore,
  { readonly, nowTs }: DatabaseOptions,
): void {
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new OutpostError(
      'SITE_CORRUPT',
      `${path} is not the database of an Outpost site. Restore the newest good backup.`,
    );
  }
  const seen = quickLook(database, path) ?? (isUnclean ? recentProblem(database) : undefined);
  if (!isSmall && !isDamaged && seen === undefined) return;
  const started = performance.now();
  const problems = seen === undefined || isUnclean || isDamaged ? wholeProblems(database) : [seen];
  if (!readonly && (isUnclean || isDamaged)) {
    writeDatabaseCheck(path, {
      checkedTs: nowTs ?? Date.now(),
      durationMs: Math.round(performance.now() - started),
      sizeBytes: statSync(path).size,
      auditSequence: newestAuditSequence(database),
      problems,
    });
  }
  const [found] = problems;
  if (found === undefined) return;
  throw new OutpostError(
    'SITE_CORRUPT',
    'The database of this site is damaged. Stop using the site and restore the newest good backup.',
    { details: { check: found } },
  );
}

/**
 * Reads all of a database file that nobody has open, of any schema, without changing it. Returns what is wrong with it; empty when
 * it is sound.
 */
export function databaseFileProblems(path: string): string[] {
  let database: BetterSqlite3.Database | undefined;
  try {
    database = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    registerFunctions(database);
    if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
      return ['The file is not the database of an Outpost site.'];
    }
    return wholeProblems(database);
  } catch (thrown) {
    return [toOutpostError(databaseError(thrown)).message];
  } finally {
    database?.close();
  }
}

/** Reads the schema and compares the size of the file with the one that its header names. */
function quickLook(database: BetterSqlite3.Database, path: string): string | undefined {
  const pragma = (name: string) => database.pragma(name, { simple: true }) as number;
  database.prepare('SELECT sql FROM sqlite_schema').all();
  // Pages in the log are not in the file yet.
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
  const expectedBytes = pragma('page_count') * pragma('page_size');
  const { size } = statSync(path);
  return size === expectedBytes ? undefined : `the file has ${size} bytes, not ${expectedBytes}`;
}

/** 0 where the row cannot be read either. */
function newestAuditSequence(database: BetterSqlite3.Database): number {
  try {
    return database.prepare<[], number>('SELECT max(sequence) FROM audit').pluck().get() ?? 0;
  } catch {
    return 0;
  }
}

function requireCurrentSchema(database: BetterSqlite3.Database): void {
  if (pendingMigrations(database).length > 0) {
    throw new OutpostError(
      'SITE_MIGRATION_FAILED',
      'This site has an older schema. Open it once with this Outpost to bring it up to date.',
    );
  }
}
