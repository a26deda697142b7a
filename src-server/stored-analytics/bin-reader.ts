/**
 * Streams the channels of a subject from the stored analysis windows. At most a few windows are decoded at a time, so memory
 * does not grow with the length of the history.
 */
import { type BinnedChannels, binChannels, binStartMs } from '../analytics/channels.ts';
import type { SecondColumns } from '../analytics/types.ts';
import type { ArrayPool, ReadStore, WindowRecord } from '../db/index.ts';
import { DAY_MS } from '../durations.ts';

/** Consecutive bins, by the start times of the first and the last one. */
export interface BinRun {
  firstMs: number;
  lastMs: number;
}

/** A gap this long between windows is omitted instead of being filled with empty bins. */
const LONGEST_FILLED_GAP_MS = 31 * DAY_MS;
/** Bins computed in one turn of the event loop. */
const BINS_PER_TURN = 1024;
const CACHED_WINDOWS = 3;

/**
 * Returns the bins of a request: the requested span, clipped to the recorded extent, without gaps of a month and more.
 *
 * @param windows ascending
 * @param extent first and last recorded instant, ms
 */
export function binRuns(
  windows: readonly Pick<WindowRecord, 'startTs' | 'stopTs'>[],
  extent: { startMs: number; stopMs: number } | undefined,
  request: { fromMs: number; toMs: number; intervalMs: number },
): BinRun[] {
  if (!extent) return [];
  const bin = (ms: number) => binStartMs(ms, request.intervalMs);
  const fromMs = Math.max(bin(request.fromMs), bin(extent.startMs));
  const toMs = Math.min(request.toMs, extent.stopMs);
  const runs: BinRun[] = [];
  let lastStop = Number.NEGATIVE_INFINITY;
  for (const { startTs, stopTs } of windows) {
    const firstMs = Math.max(fromMs, bin(startTs));
    const lastMs = Math.min(bin(toMs), bin(stopTs - 1));
    if (lastMs < firstMs) continue;
    const run = runs.at(-1);
    if (run && startTs - lastStop < LONGEST_FILLED_GAP_MS) run.lastMs = lastMs;
    else runs.push({ firstMs, lastMs });
    lastStop = stopTs;
  }
  return runs;
}

/** Computes the bins of runs in chunks and decodes each stored window once. */
export class BinReader {
  readonly #store: ReadStore;
  readonly #subjectId: string;
  readonly #windows: readonly WindowRecord[];
  readonly #pool: ArrayPool | undefined;
  readonly #runId: string | undefined;
  readonly #decoded = new Map<string, SecondColumns>();

  /**
   * @param windows ascending: every one that the runs touch
   * @param options `before`: a reader of the same subject; its decoded windows are reused where they fit, and it must not be
   *   used afterwards. `pool`: lends the arrays of decoded windows. `runId`: the windows are those of an analysis run
   */
  constructor(
    store: ReadStore,
    subjectId: string,
    windows: readonly WindowRecord[],
    options: { before?: BinReader | undefined; pool?: ArrayPool | undefined; runId?: string | undefined } = {},
  ) {
    this.#store = store;
    this.#subjectId = subjectId;
    this.#windows = windows;
    this.#pool = options.pool;
    this.#runId = options.runId;
    const { before } = options;
    if (!before) return;
    for (const { date } of windows) {
      const columns = before.#decoded.get(date);
      if (columns) this.#decoded.set(date, columns);
      before.#decoded.delete(date);
    }
    before.release();
  }

  /** Returns decoded windows to the pool. The reader must not be used afterwards. */
  release(): void {
    for (const columns of this.#decoded.values()) this.#pool?.detachBuffer(columns);
    this.#decoded.clear();
  }

  /** The nine channels of the interface. */
  chunks(runs: readonly BinRun[], intervalMs: number): AsyncGenerator<BinnedChannels> {
    return this.binned(runs, intervalMs, binChannels);
  }

  /** @param bin derives the bins from the start of the first to the start of the last one */
  async *binned<Bins>(
    runs: readonly BinRun[],
    intervalMs: number,
    bin: (windows: readonly SecondColumns[], intervalMs: number, fromMs: number, toMs: number) => Bins,
  ): AsyncGenerator<Bins> {
    for (const { firstMs, lastMs } of runs) {
      for (let from = firstMs; from <= lastMs; from += BINS_PER_TURN * intervalMs) {
        const to = Math.min(lastMs, from + (BINS_PER_TURN - 1) * intervalMs);
        yield bin(await this.#secondsOf(from, to + intervalMs), intervalMs, from, to);
      }
    }
  }

  async #secondsOf(fromMs: number, toMs: number): Promise<SecondColumns[]> {
    const seconds: SecondColumns[] = [];
    for (const { date, startTs, stopTs } of this.#windows) {
      if (stopTs <= fromMs || startTs >= toMs) continue;
      const columns =
        this.#decoded.get(date) ??
        (await this.#store.analytics.seconds(this.#subjectId, date, { pool: this.#pool, runId: this.#runId }));
      if (!columns) continue;
      this.#decoded.delete(date);
      this.#decoded.set(date, columns);
      seconds.push(columns);
    }
    while (this.#decoded.size > Math.max(CACHED_WINDOWS, seconds.length)) {
      const [oldest, columns] = this.#decoded.entries().next().value as [string, SecondColumns];
      this.#decoded.delete(oldest);
      this.#pool?.detachBuffer(columns);
    }
    return seconds;
  }
}
