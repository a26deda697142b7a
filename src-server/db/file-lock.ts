/**
 * A lock that the operating system drops when its owner dies, kill -9 included: a RESERVED lock on a small SQLite file.
 * Others can still read who holds it. (A pid file alone lies after a crash, once the pid is taken by another process.)
 */
import Database from 'better-sqlite3';
import { OutpostError } from '../errors.ts';
import { databaseError, sqliteCode } from './errors.ts';

export interface LockOwner {
  pid: number;
  host: string;
  sinceTs: number;
}

export interface HeldLock {
  release(): void;
}

/** Referred to from here, because a database that nobody refers to is collected, closed and unlocked. */
const held = new Set<Database.Database>();

/**
 * Acquires the lock or returns its holder. Never waits, and never lets two callers win.
 * @throws SITE_READ_ONLY when the folder cannot be written to, DISK_FULL, SITE_CORRUPT when the file is not a lock file
 */
export function takeFileLock(path: string, owner: LockOwner): { lock: HeldLock } | { heldBy: LockOwner | undefined } {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    const taken = database;
    do {
      writeOwner(taken, owner);
      // The row must be committed to be readable. A caller that gets in between competes for the lock here as well.
      taken.exec('BEGIN IMMEDIATE');
    } while (!isOwner(taken, owner));
    held.add(taken);
    return {
      lock: {
        release: () => {
          held.delete(taken);
          // Closing drops the lock too, so it must be reached even when the rollback cannot be written, as on a full disk.
          try {
            if (taken.inTransaction) taken.exec('ROLLBACK');
          } catch {
            // Nothing of the transaction matters.
          } finally {
            taken.close();
          }
        },
      },
    };
  } catch (thrown) {
    const code = sqliteCode(thrown);
    if (code?.startsWith('SQLITE_BUSY') && database) {
      const heldBy = readOwner(database);
      database.close();
      return { heldBy };
    }
    database?.close();
    throw lockError(path, thrown, code);
  }
}

/**
 * Returns who holds the lock, undefined if the holder is unknown, null if the lock is free or cannot be read. It takes a free lock for
 * some microseconds, which is the only way that SQLite offers. A process that holds the lock itself must not ask.
 */
export function lookAtFileLock(path: string): LockOwner | undefined | null {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0, fileMustExist: true });
    database.exec('BEGIN IMMEDIATE');
    database.exec('ROLLBACK');
    return null;
  } catch (thrown) {
    return database && sqliteCode(thrown)?.startsWith('SQLITE_BUSY') ? readOwner(database) : null;
  } finally {
    database?.close();
  }
}

function writeOwner(database: Database.Database, owner: LockOwner): void {
  database.pragma('journal_mode = DELETE');
  database.exec('BEGIN IMMEDIATE');
  database.exec(`CREATE TABLE IF NOT EXISTS owner (only INTEGER PRIMARY KEY CHECK (only = 1),
    pid INTEGER NOT NULL, host TEXT NOT NULL, sinceTs INTEGER NOT NULL) STRICT`);
  database
    .prepare('INSERT OR REPLACE INTO owner (only, pid, host, sinceTs) VALUES (1, ?, ?, ?)')
    .run(owner.pid, owner.host, owner.sinceTs);
  database.exec('COMMIT');
}

/** False when a rival wrote its name in between and then lost: the row must name the real holder. */
function isOwner(database: Database.Database, owner: LockOwner): boolean {
  const row = readOwner(database);
  if (row?.pid === owner.pid && row.host === owner.host) return true;
  database.exec('ROLLBACK');
  return false;
}

function readOwner(database: Database.Database): LockOwner | undefined {
  try {
    return database.prepare<[], LockOwner>('SELECT pid, host, sinceTs FROM owner').get();
  } catch {
    return undefined;
  }
}

function lockError(path: string, thrown: unknown, code: string | undefined): unknown {
  if (code?.startsWith('SQLITE_CANTOPEN')) {
    return new OutpostError(
      'SITE_READ_ONLY',
      'The site folder cannot be written to. Check its permissions and the disk.',
      { cause: thrown },
    );
  }
  if (code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_ERROR') {
    return new OutpostError(
      'SITE_CORRUPT',
      `The lock file ${path} is damaged. Make sure that no Outpost uses this site, delete that file, and open the site again.`,
      { cause: thrown, details: { part: 'lock' } },
    );
  }
  return databaseError(thrown);
}
