/**
 * Once a day, tidies the column files: removes those that no row has named for a week, and has the days computed again whose
 * file is missing. Of an analysis run, the subject counts as outdated: a person brings the run up to date. A crash between a file and its row leaves such a file; a new analysis leaves the file of the old one. Days whose
 * file a read finds missing or damaged are computed again at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { OutpostError } from '../errors.ts';
import { COLUMN_PREFIXES } from '../files/column-files.ts';
import { computeAgain } from '../jobs/handlers/compute-again.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Store } from '../services/index.ts';

/** After the start, when people look at Today and devices deliver, other work comes first. */
const FIRST_AFTER_MS = 5 * MINUTE_MS;
/** Between two prefixes: a pass takes half a minute and some milliseconds at a time. */
const PAUSE_MS = 100;

export async function tidyColumns(
  store: Store,
  enqueue: JobQueue['enqueue'],
  options: { pauseMs?: number; signal?: AbortSignal } = {},
): Promise<{ removed: number; missing: number }> {
  const found = { removed: 0, missing: 0 };
  for (const prefix of COLUMN_PREFIXES) {
    if (options.signal?.aborted) break;
    const { removed, missing } = await store.analytics.tidyColumns(prefix);
    found.removed += removed.length;
    found.missing += missing.length;
    for (const window of missing) {
      if (window.runId === undefined) await computeAgain(store, enqueue, window);
      else await store.analysisRuns.markLost(window.runId, window.subjectId);
    }
    await sleep(options.pauseMs ?? PAUSE_MS, undefined, { ref: false });
  }
  return found;
}

/** A window whose file cannot be repaired is read again and again. */
const REPAIR_EVERY_MS = HOUR_MS;

/**
 * Has the days computed again whose column file a read found missing or damaged, and says so in the log. Returns a function that
 * ends it and waits for what has begun.
 */
export function startRepairingColumns(
  store: Store,
  enqueue: JobQueue['enqueue'],
  onProblem: (problem: unknown) => void,
): () => Promise<void> {
  const repairedAt = new Map<string, number>();
  let running: Promise<unknown> = Promise.resolve();
  const repair = async (sha256: string) => {
    for (const { runId, ...window } of await store.analytics.windowsByColumns(sha256)) {
      if (runId !== undefined) {
        await store.analysisRuns.markLost(runId, window.subjectId);
        continue;
      }
      const isQueued = await computeAgain(store, enqueue, window);
      const outcome = isQueued
        ? 'They are being computed again from the recordings.'
        : 'They cannot be computed again, because recordings of that day are missing or damaged: restore these, or a backup.';
      onProblem(
        new OutpostError(
          'SITE_CORRUPT',
          `The file with the analysis results of ${window.date} is missing or damaged. ${outcome}`,
          { details: { subjectId: window.subjectId, date: window.date, columnFile: sha256 } },
        ),
      );
    }
  };
  const stop = store.analytics.onLostColumns((sha256) => {
    const nowMs = performance.now();
    if (nowMs - (repairedAt.get(sha256) ?? Number.NEGATIVE_INFINITY) < REPAIR_EVERY_MS) return;
    repairedAt.set(sha256, nowMs);
    running = running.then(() => repair(sha256)).catch(onProblem);
  });
  return async () => {
    stop();
    await running;
  };
}

/** Starts the daily pass; returns a function that stops it and waits for a running one. */
export function startTidyingColumns(
  store: Store,
  enqueue: JobQueue['enqueue'],
  onProblem: (problem: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const tidy = () => {
    running = running.then(() => tidyColumns(store, enqueue, { signal: stopping.signal })).catch(onProblem);
  };
  let daily: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    tidy();
    daily = setInterval(tidy, DAY_MS).unref();
  }, FIRST_AFTER_MS).unref();
  return async () => {
    stopping.abort();
    clearTimeout(first);
    clearInterval(daily);
    await running;
  };
}
