/**
 * Moves the second columns of sites of older versions out of the database into column files, while the site runs. Both forms can
 * be read, so it may end at any point and continues at the next start. Without room on the disk they stay where they are, and it
 * is tried again every hour.
 */
import { statfs } from 'node:fs/promises';
import { HOUR_MS } from '../durations.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { diskFull } from '../files/disk-budget.ts';
import { pause } from '../jobs/pause.ts';
import type { Store } from '../services/index.ts';
import { megabytes } from './give-space-back.ts';

/** Some 8 MB: one transaction, and one round of fsyncs. */
const WINDOWS_AT_ONCE = 16;
/** Stays free for the database, beside what the files need. */
const RESERVE_BYTES = 64 << 20;
/** After the start, when people look at Today and devices deliver, other work comes first. */
const FIRST_AFTER_MS = 20_000;

export interface MoveProgress {
  done: number;
  total: number;
}

interface MoveOptions {
  onProgress?: (progress: MoveProgress) => void;
  signal?: AbortSignal;
  /** Called after each step with how long it took. */
  rest?: (workedMs: number) => Promise<void>;
}

/** @returns what kept it from being done, for the log; undefined when all is done or the signal fired */
export async function moveColumns(
  siteDir: string,
  store: Store,
  options: MoveOptions = {},
): Promise<OutpostError | undefined> {
  try {
    return await moveAll(siteDir, store, options);
  } catch (thrown) {
    return toOutpostError(thrown);
  }
}

async function moveAll(
  siteDir: string,
  store: Store,
  { onProgress, signal, rest }: MoveOptions,
): Promise<OutpostError | undefined> {
  const { count: total, sizeBytes } = await store.analytics.columnsInRows();
  if (total === 0) return undefined;
  await requireRoom(siteDir, total, sizeBytes);
  let done = 0;
  let damaged = 0;
  let after: { subjectId: string; date: string } | undefined;
  while (!signal?.aborted) {
    onProgress?.({ done, total });
    const started = performance.now();
    const moved = await store.analytics.moveColumns(after, WINDOWS_AT_ONCE);
    damaged += moved.damaged.length;
    if (!moved.last) break;
    after = moved.last;
    done = Math.min(total, done + WINDOWS_AT_ONCE);
    await rest?.(performance.now() - started);
  }
  if (damaged === 0) return undefined;
  return new OutpostError(
    'SITE_CORRUPT',
    `The analysis results of ${damaged} days are damaged. Verify the site, then compute these days again.`,
    { details: { damaged } },
  );
}

async function requireRoom(siteDir: string, count: number, sizeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(siteDir);
  const freeBytes = bavail * bsize;
  // A folder entry and a part of a last block for each file.
  const neededBytes = sizeBytes + count * bsize + RESERVE_BYTES;
  if (freeBytes >= neededBytes) return;
  throw diskFull(
    `The analysis results of ${count} days stay in the database, where they make it slow: moving them into files needs ${megabytes(neededBytes)}, and the disk has ${megabytes(freeBytes)} free. Free some space: the move then begins within an hour.`,
  );
}

/** The move of a running site. */
export class ColumnMover {
  readonly #siteDir: string;
  readonly #store: Store;
  readonly #onProblem: (problem: unknown) => void;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #progress: MoveProgress | undefined;

  constructor(siteDir: string, store: Store, onProblem: (problem: unknown) => void) {
    this.#siteDir = siteDir;
    this.#store = store;
    this.#onProblem = onProblem;
  }

  /** Of a move that is not done: analysed days that have left the database since the start, of those that were in it. */
  get progress(): MoveProgress | undefined {
    return this.#progress;
  }

  start(firstAfterMs = FIRST_AFTER_MS): void {
    this.#plan(firstAfterMs);
  }

  /** Ends a running move after its step. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #plan(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#move();
    }, delayMs).unref();
  }

  async #move(): Promise<void> {
    const { signal } = this.#closing;
    const problem = await moveColumns(this.#siteDir, this.#store, {
      signal,
      onProgress: (progress) => {
        this.#progress = progress;
      },
      // Half of one core at most: requests and analyses continue.
      rest: (workedMs) => pause(workedMs, signal),
    });
    if (signal.aborted) return;
    if (!problem) {
      this.#progress = undefined;
      return;
    }
    this.#onProblem(problem);
    // Damaged results stay in their rows; trying again would find them again.
    if (problem.code === 'SITE_CORRUPT') this.#progress = undefined;
    else this.#plan(HOUR_MS);
  }
}
