/**
 * Once a day, tidies the column files: removes those that no row has named for a week, and has the days computed again whose
 * file is missing. A crash between a file and its row leaves such a file; a new analysis leaves the file of the old one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS } from '../durations.ts';
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
    for (const window of missing) await computeAgain(store, enqueue, window);
    await sleep(options.pauseMs ?? PAUSE_MS, undefined, { ref: false });
  }
  return found;
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
