/** Giving the free pages of a database file back to the disk. */
import type BetterSqlite3 from 'better-sqlite3';
import { sqliteCode } from './errors.ts';

export interface FileSpace {
  /** Bytes of pages that hold nothing. */
  freeBytes: number;
  usedBytes: number;
}

export function fileSpace(sqlite: BetterSqlite3.Database): FileSpace {
  const pragma = (name: string) => Number(sqlite.pragma(name, { simple: true }));
  const freeBytes = pragma('freelist_count') * pragma('page_size');
  return { freeBytes, usedBytes: pragma('page_count') * pragma('page_size') - freeBytes };
}

/**
 * Rewrites the file without its free pages. Takes as long as copying what is in use, and twice its size in free space: once for
 * the copy and once for the write-ahead log. Ended at any point, the file is as before or as after.
 * @returns false when there is no room or another connection reads the file
 */
export function shrink(sqlite: BetterSqlite3.Database): boolean {
  try {
    sqlite.exec('VACUUM');
    sqlite.pragma('wal_checkpoint(TRUNCATE)');
    return true;
  } catch (thrown) {
    if (/^SQLITE_(FULL|BUSY|LOCKED|IOERR)/.test(sqliteCode(thrown) ?? '')) return false;
    throw thrown;
  }
}
