/**
 * Reads the pages of a database file as they are at one moment, while the site works on. Nothing is copied: a read transaction that
 * begins when the whole write-ahead log is in the file reads the file alone, and SQLite lets nobody write to the file until that
 * transaction ends (sqlite.org/wal.html#concurrency; WAL_READ_LOCK(0) in wal.c). Writers append to the log meanwhile.
 *
 * A file must not be closed in a process that has the same file open with SQLite: POSIX drops all locks of the process with it
 * (sqlite.org/howtocorrupt.html, 2.2). So the process that has the site open lends its descriptor, which it closes last.
 */
import { type BigIntStats, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { sqliteCode } from './errors.ts';

/** SQLite never uses the page at this offset: its locks are there, and on Windows it cannot be read while they are held. */
const LOCK_BYTE = 2 ** 30;
/** For how long a reader of an older state, such as an export, is waited for. */
const WAIT_MS = 10_000;
const WAIT_STEP_MS = 100;

export interface PageSnapshot {
  sizeBytes: number;
  /** See {@link identityOf}. */
  identity: string | undefined;
  /** Yields the file in pieces of `bytes`, a multiple of the page size. A piece is valid until the next one is requested. */
  pieces(bytes: number): Generator<Buffer>;
  /** Bytes of the log, which grows for as long as the snapshot is held. */
  logBytes(): number;
  /** True unless the file was written to after all: then nothing that was read counts. */
  isIntact(): boolean;
  /** Call it after the transaction that {@link holdPages} was given has ended. */
  close(): void;
}

/**
 * @param hold begins the read transaction that keeps the file as it is
 * @param descriptor of the file, in a process that has the site open
 * @returns undefined when it cannot be had: another reader holds an older state, or the folder is read-only
 */
export async function holdPages(
  path: string,
  hold: () => void,
  descriptor?: number,
): Promise<PageSnapshot | undefined> {
  const connections: BetterSqlite3.Database[] = [];
  const file = descriptor ?? openSync(path, 'r');
  const close = () => {
    for (const connection of connections) connection.close();
    if (descriptor === undefined) closeSync(file);
  };
  try {
    const [writer, checkpointer] = [open(path), open(path)];
    connections.push(writer, checkpointer);
    if (!(await holdWhenFolded(writer, checkpointer, hold))) {
      close();
      return undefined;
    }
    return snapshotOf(path, file, checkpointer, close);
  } catch (thrown) {
    close();
    if (/^SQLITE_(READONLY|CANTOPEN|PERM)/.test(sqliteCode(thrown) ?? '')) return undefined;
    throw thrown;
  }
}

function open(path: string): BetterSqlite3.Database {
  return new BetterSqlite3(path, { fileMustExist: true, timeout: 5000 });
}

/** Writers wait only while the last few pages of the log are folded in and the transaction begins. */
async function holdWhenFolded(
  writer: BetterSqlite3.Database,
  checkpointer: BetterSqlite3.Database,
  hold: () => void,
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs <= WAIT_MS; waitedMs += WAIT_STEP_MS) {
    fold(checkpointer);
    writer.exec('BEGIN IMMEDIATE');
    try {
      if (fold(checkpointer)) {
        hold();
        return true;
      }
    } finally {
      writer.exec('ROLLBACK');
    }
    await sleep(WAIT_STEP_MS);
  }
  return false;
}

/** Returns whether all of the log is in the file now. */
function fold(checkpointer: BetterSqlite3.Database): boolean {
  const [row] = checkpointer.pragma('wal_checkpoint(PASSIVE)') as { busy: number; log: number; checkpointed: number }[];
  return row !== undefined && row.busy === 0 && row.log === row.checkpointed;
}

function snapshotOf(path: string, file: number, connection: BetterSqlite3.Database, close: () => void): PageSnapshot {
  const pageBytes = Number(connection.pragma('page_size', { simple: true }));
  const before = fstatSync(file, { bigint: true });
  const sizeBytes = Number(before.size);
  return {
    sizeBytes,
    identity: identityOf(before),
    pieces: function* (bytes) {
      const buffer = Buffer.allocUnsafeSlow(bytes);
      for (let position = 0; position < sizeBytes; position += bytes) {
        const length = Math.min(bytes, sizeBytes - position);
        readPages(file, buffer, position, length, pageBytes);
        yield buffer.subarray(0, length);
      }
    },
    logBytes: () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    isIntact: () => {
      const now = fstatSync(file, { bigint: true });
      return now.size === before.size && now.mtimeNs === before.mtimeNs && now.ino === before.ino;
    },
    close,
  };
}

/** Coarser than the times of any file system that a site may be on. */
const SETTLED_MS = 3000;

/**
 * The same for two snapshots only if nothing wrote to the file in between: every write sets both times, and no program can set the
 * second one. Undefined while the last write is so recent that another could have the same times.
 */
function identityOf({ dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs }: BigIntStats): string | undefined {
  const quietMs = Date.now() - Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs);
  return quietMs < SETTLED_MS ? undefined : [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function readPages(file: number, buffer: Buffer, position: number, length: number, pageBytes: number): void {
  const fill = (from: number, to: number) => {
    for (let at = from; at < to; ) {
      const count = readSync(file, buffer, at - position, to - at, at);
      if (count === 0) throw new Error(`The database ended at byte ${at}.`);
      at += count;
    }
  };
  const end = position + length;
  if (LOCK_BYTE < position || LOCK_BYTE >= end) {
    fill(position, end);
    return;
  }
  const skippedTo = Math.min(LOCK_BYTE + pageBytes, end);
  fill(position, LOCK_BYTE);
  buffer.fill(0, LOCK_BYTE - position, skippedTo - position);
  fill(skippedTo, end);
}
