/**
 * The database of a site as a backup reads it: its pages and its rows, both as of one moment. The pages come from the file itself
 * where that can be held still, see `db/page-snapshot.ts`, and otherwise from a copy of all pages.
 */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  holdPages,
  isSmallDatabase,
  isUnchecked,
  type PageSnapshot,
  readDatabaseCheck,
  writeDatabaseCheck,
} from '../../db/index.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import { openStore, type Store } from '../../services/index.ts';

export interface DatabasePages {
  store: Store;
  sizeBytes: number;
  /** Equal to that of another backup only if nothing was written to the database since; absent when that is not known. */
  identity?: string;
  /** Yields the pages in pieces of `bytes`; each is valid until the next one. @throws DEADLINE_EXCEEDED when the log grows too long */
  pieces(bytes: number): AsyncGenerator<Buffer>;
  /** Ends the snapshot, so that the log can be folded into the file again. @throws DEADLINE_EXCEEDED when it did not hold */
  release(): Promise<void>;
}

/**
 * The write-ahead log grows by what is written while the pages are read, at hundreds of megabytes a second. This is far beyond what
 * a site writes in that time; where the disk is so slow that it is reached, the log matters more than this backup.
 */
const MOST_LOG_BYTES = 512 * 2 ** 20;
/** Other threads get the processor, and a cancellation is noticed, after so many pieces. */
const PIECES_BETWEEN_TURNS = 64;

/**
 * @param request.copyPath where a copy of the pages may be made
 * @param request.descriptor see {@link holdPages}
 */
export async function openDatabasePages(
  path: string,
  request: { copyPath: string; descriptor?: number },
): Promise<DatabasePages> {
  const store = openStore(path, { readonly: true, isChecked: true });
  try {
    const held = await holdPages(path, () => store.holdSnapshot(), request.descriptor);
    return held ? heldPages(store, held) : await copiedPages(store, request.copyPath);
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

function heldPages(store: Store, held: PageSnapshot): DatabasePages {
  let isOpen = true;
  return {
    store,
    sizeBytes: held.sizeBytes,
    ...(held.identity !== undefined && { identity: held.identity }),
    pieces: async function* (bytes) {
      let count = 0;
      for (const piece of held.pieces(bytes)) {
        yield piece;
        count += 1;
        if (count % PIECES_BETWEEN_TURNS !== 0) continue;
        if (held.logBytes() > MOST_LOG_BYTES) throw notHeld('wrote more than a backup can follow');
        await sleep(0);
      }
    },
    release: async () => {
      if (!isOpen) return;
      isOpen = false;
      const isIntact = held.isIntact();
      await store.close();
      held.close();
      if (!isIntact) throw notHeld('changed while it was read');
    },
  };
}

const notHeld = (what: string) =>
  new OutpostError('DEADLINE_EXCEEDED', `The database ${what}, so no backup was made. Try again.`);

/** Pages keep their places in the copy, so that it shares most of its content with other backups. */
async function copiedPages(source: Store, copyPath: string): Promise<DatabasePages> {
  await source.copyPages(copyPath);
  await source.close();
  const pages = await openDatabasePages(copyPath, { copyPath: `${copyPath}.again` });
  return {
    ...pages,
    // Of the copy.
    identity: undefined,
    release: async () => {
      await pages.release();
      for (const suffix of ['', '-wal', '-shm']) await rm(copyPath + suffix, { force: true });
    },
  };
}

/** A little over a day, so that a daily backup relies on the daily check of a running site. */
const RELY_ON_CHECK_MS = DAY_MS + HOUR_MS;

/**
 * Every backup is of a database that was sound a day before at most: the last check of the running site, or of a backup, stands in
 * for one here, unless the file is so small that reading it costs nothing. @throws SITE_CORRUPT
 */
export async function requireSound({ store, sizeBytes }: DatabasePages, path: string, nowTs: number): Promise<void> {
  const last = readDatabaseCheck(path);
  const isInDoubt = isUnchecked(path) || (last?.problems.length ?? 0) > 0;
  const isRecent = last !== undefined && last.checkedTs <= nowTs && nowTs - last.checkedTs < RELY_ON_CHECK_MS;
  if (isRecent && !isInDoubt && !isSmallDatabase(path)) return;
  const started = performance.now();
  const [problem] = store.wholeProblems();
  if (problem !== undefined) {
    throw new OutpostError(
      'SITE_CORRUPT',
      'The database of this site is damaged. Stop using the site and restore the newest good backup.',
      { details: { check: problem } },
    );
  }
  // The site itself ends a doubt, and a small file is read every time.
  if (isInDoubt || isSmallDatabase(path)) return;
  const durationMs = Math.round(performance.now() - started);
  const { sequence: auditSequence } = await store.audit.head();
  try {
    writeDatabaseCheck(path, { checkedTs: nowTs, durationMs, sizeBytes, auditSequence, problems: [] });
  } catch {
    // Where the folder is read-only, the next backup checks again.
  }
}
