/** Translation of SQLite errors into the error codes of the program. */

import { OutpostError, systemFailure } from '../errors.ts';

/** The code of an error of better-sqlite3, such as SQLITE_FULL; undefined for anything else. */
export function sqliteCode(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

/**
 * Maps errors of SQLite that describe a state of the site (full, read-only, failing, corrupt, locked) to an {@link OutpostError}; returns any
 * other value unchanged.
 */
export function databaseError(thrown: unknown): unknown {
  const code = sqliteCode(thrown);
  if (code === undefined) return thrown;
  const ofDisk = systemFailure(thrown);
  if (ofDisk) return ofDisk;
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return new OutpostError(
      'SITE_CORRUPT',
      'The database of this site is damaged. Stop using the site and restore the newest good backup.',
      { cause: thrown },
    );
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new OutpostError(
      'SITE_LOCKED',
      'Another program holds the database of this site. Close it, then try again.',
      {
        cause: thrown,
      },
    );
  }
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return new OutpostError('CONFLICT', 'The change contradicts what is stored, so nothing was changed.', {
      details: { constraint: code },
      cause: thrown,
    });
  }
  return thrown;
}
