/**
 * A lock that the operating system drops when its owner dies, kill -9 included: a RESERVED lock on a small SQLite file.
 * Others can still read who holds it. (A pid file alone lies after a crash, once the pid is taken by another process.)
 */
import Database from 'better-sqlite3';

export interface LockOwner {
  pid: number;
  host: string;
  sinceTs: number;
}

export interface HeldLock {
  release(): void;
}

/** Takes the lock, or tells who has it. Never waits, and never lets two callers win. */
export function takeFileLock(path: string, owner: LockOwner): { lock: HeldLock } | { heldBy: LockOwner | undefined } {
  const database = new Database(path, { timeout: 0 });
  try {
    database.pragma('journal_mode = DELETE');
    database.exec('BEGIN IMMEDIATE');
    database.exec(`CREATE TABLE IF NOT EXISTS owner (only INTEGER PRIMARY KEY CHECK (only = 1),
      pid INTEGER NOT NULL, host TEXT NOT NULL, since_ts INTEGER NOT NULL) STRICT`);
    database
      .prepare('INSERT OR REPLACE INTO owner (only, pid, host, since_ts) VALUES (1, ?, ?, ?)')
      .run(owner.pid, owner.host, owner.sinceTs);
    database.exec('COMMIT');
    // The row had to be committed to be readable; whoever slips in between simply wins and this call fails.
    database.exec('BEGIN IMMEDIATE');
  } catch (thrown) {
    const code = (thrown as { code?: string }).code ?? '';
    if (!code.startsWith('SQLITE_BUSY') && !code.startsWith('SQLITE_LOCKED')) {
      database.close();
      throw thrown;
    }
    const heldBy = readOwner(database);
    database.close();
    return { heldBy };
  }
  return {
    lock: {
      release: () => {
        database.exec('ROLLBACK');
        database.close();
      },
    },
  };
}

function readOwner(database: Database.Database): LockOwner | undefined {
  try {
    return database.prepare('SELECT pid, host, since_ts AS sinceTs FROM owner').get() as LockOwner | undefined;
  } catch {
    return undefined;
  }
}
