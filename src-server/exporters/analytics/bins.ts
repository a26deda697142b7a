/** Reads the stored windows of a subject piece by piece: at most a few are decoded at a time, however long the history. */
import { type BinnedChannels, binChannels, binStartMs } from '../../analytics/channels.ts';
import type { SecondColumns } from '../../analytics/types.ts';
import type { ArrayPool, Store, WindowRecord } from '../../db/index.ts';

/** A stretch of bins: starts from `firstMs` to `lastMs`, both bins. */
export interface BinRun {
  firstMs: number;
  lastMs: number;
}

/** A gap this long between windows is left out instead of being filled with empty bins. */
const LONGEST_FILLED_GAP_MS = 31 * 24 * 60 * 60 * 1000;
/** Bins made in one turn of the event loop. */
const BINS_PER_TURN = 1024;
const KEPT_WINDOWS = 3;

/**
 * Which bins a request gets: those it asks for, bounded to what was recorded, without the gaps of a month and more.
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

/** Makes the bins of runs in pieces, decoding each stored window once. */
export class BinReader {
  readonly #store: Store;
  readonly #subjectId: string;
  readonly #windows: readonly WindowRecord[];
  readonly #pool: ArrayPool | undefined;
  readonly #decoded = new Map<string, SecondColumns>();

  /**
   * @param windows ascending: every one that the runs touch
   * @param options `before`: a reader of the same subject whose decoded windows may serve again; it is used up.
   *   `pool`: where decoded windows come from and go back to
   */
  constructor(
    store: Store,
    subjectId: string,
    windows: readonly WindowRecord[],
    options: { before?: BinReader | undefined; pool?: ArrayPool | undefined } = {},
  ) {
    this.#store = store;
    this.#subjectId = subjectId;
    this.#windows = windows;
    this.#pool = options.pool;
    const { before } = options;
    if (!before) return;
    for (const { date } of windows) {
      const columns = before.#decoded.get(date);
      if (columns) this.#decoded.set(date, columns);
      before.#decoded.delete(date);
    }
    before.release();
  }

  /** Gives decoded windows back to the pool. The reader is not used again. */
  release(): void {
    for (const columns of this.#decoded.values()) this.#pool?.detachBuffer(columns);
    this.#decoded.clear();
  }

  async *pieces(runs: readonly BinRun[], intervalMs: number): AsyncGenerator<BinnedChannels> {
    for (const { firstMs, lastMs } of runs) {
      for (let from = firstMs; from <= lastMs; from += BINS_PER_TURN * intervalMs) {
        const to = Math.min(lastMs, from + (BINS_PER_TURN - 1) * intervalMs);
        yield binChannels(await this.#secondsOf(from, to + intervalMs), intervalMs, from, to);
      }
    }
  }

  async #secondsOf(fromMs: number, toMs: number): Promise<SecondColumns[]> {
    const seconds: SecondColumns[] = [];
    for (const { date, startTs, stopTs } of this.#windows) {
      if (stopTs <= fromMs || startTs >= toMs) continue;
      const columns =
        this.#decoded.get(date) ?? (await this.#store.analytics.seconds(this.#subjectId, date, this.#pool));
      if (!columns) continue;
      this.#decoded.delete(date);
      this.#decoded.set(date, columns);
      seconds.push(columns);
    }
    while (this.#decoded.size > Math.max(KEPT_WINDOWS, seconds.length)) {
      const [oldest, columns] = this.#decoded.entries().next().value as [string, SecondColumns];
      this.#decoded.delete(oldest);
      this.#pool?.detachBuffer(columns);
    }
    return seconds;
  }
}
