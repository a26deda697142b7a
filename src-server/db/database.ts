/**
 * The database of a site: the only folder that knows SQL. One SQLite file, one writer, STRICT tables, WAL with
 * synchronous=FULL; every setting is asserted after opening, because a wrong one loses data silently.
 */
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { OutpostError, toOutpostError } from '../errors.ts';
import { foldText } from '../study/text.ts';
import { databaseError } from './errors.ts';
import { APPLICATION_ID, migrate, pendingMigrations } from './migrate.ts';

export interface DatabaseOptions {
  /** `create`: the file must not exist; `open` (default): it must. */
  mode?: 'create' | 'open';
  /** Read beside a running server; nothing is migrated. */
  readonly?: boolean;
  /** Skips the check of the whole file, which the running site did when it opened it. */
  isChecked?: boolean;
  /** Up to this size the file is read whole at every opening; default 64 MiB. */
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
    );
  }
  if (mode === 'create' && exists) {
    throw new OutpostError('SITE_EXISTS', `There is a database at ${path} already. Choose an empty folder.`);
  }
  let database: BetterSqlite3.Database | undefined;
  try {
    // Opening creates or clears the log, so examine it first.
    const isWhole = exists && needsWholeCheck(path, options.smallBytes ?? SMALL_DATABASE_BYTES);
    // SQLite silently falls back to a read-only handle and fails only at the first write; report it now.
    if (!options.readonly) accessSync(exists ? path : dirname(path), constants.W_OK);
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
    database.function('fold', { deterministic: true }, (text: unknown) =>
      typeof text === 'string' ? foldText(text) : null,
    );
    configure(database, options.readonly ?? false);
    if (exists && !options.isChecked) {
      const isMarking = isWhole && !options.readonly;
      if (isMarking) writeFileSync(uncheckedMark(path), '');
      check(database, path, isWhole);
      if (isMarking) rmSync(uncheckedMark(path), { force: true });
    }
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

function configure(database: BetterSqlite3.Database, readonly: boolean): void {
  if (!readonly) {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
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

/** Up to this size reading the whole file takes well under a second. */
const SMALL_DATABASE_BYTES = 64 * 2 ** 20;

/**
 * Reading every page of a large site takes many seconds at every start, and most starts follow a clean close. So a large one
 * is read whole only after an unclean end; otherwise the check of its header, size and schema finds another program's file
 * and a truncated one. Damaged pages are found by every backup (daily by default), which reads all of them, and by
 * `outpost verify`.
 */
function check(database: BetterSqlite3.Database, path: string, isWhole: boolean): void {
  const verdict = database.pragma('application_id', { simple: true });
  if (verdict !== APPLICATION_ID) {
    throw new OutpostError(
      'SITE_CORRUPT',
      `${path} is not the database of an Outpost site. Restore the newest good backup.`,
    );
  }
  const found = isWhole ? database.pragma('quick_check(1)', { simple: true }) : quickLook(database, path);
  if (found === 'ok') return;
  throw new OutpostError(
    'SITE_CORRUPT',
    'The database of this site is damaged. Stop using the site and restore the newest good backup.',
    { details: { check: String(found) } },
  );
}

function quickLook(database: BetterSqlite3.Database, path: string): string {
  const pragma = (name: string) => database.pragma(name, { simple: true }) as number;
  database.prepare('SELECT sql FROM sqlite_schema').all();
  const expectedBytes = pragma('page_count') * pragma('page_size');
  const { size } = statSync(path);
  return size === expectedBytes ? 'ok' : `the file has ${size} bytes, not ${expectedBytes}`;
}

/** Marks an unclean end until a check has passed, because closing a damaged database clears its log too. */
function uncheckedMark(path: string): string {
  return `${path}-unchecked`;
}

/** A clean close folds the write-ahead log into the file: a log that is not empty was left by a crash or a power cut. */
function needsWholeCheck(path: string, smallBytes: number): boolean {
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return logBytes > 0 || existsSync(uncheckedMark(path)) || statSync(path).size <= smallBytes;
}

function requireCurrentSchema(database: BetterSqlite3.Database): void {
  if (pendingMigrations(database).length > 0) {
    throw new OutpostError(
      'SITE_MIGRATION_FAILED',
      'This site has an older schema. Open it once with this Outpost to bring it up to date.',
    );
  }
}
