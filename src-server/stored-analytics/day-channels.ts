/** The channels of one local day as CSV. */
import { type BinnedChannels, binChannels, binStartMs } from '../analytics/channels.ts';
import { binFurtherChannels, type FurtherBins } from '../analytics/further-channels.ts';
import type { ArrayPool, ReadStore, WindowRecord } from '../db/index.ts';
import { MINUTE_MS } from '../durations.ts';
import { type DayClock, midnightWindow } from '../study/day-windows.ts';
import { BinReader } from './bin-reader.ts';
import { channelsCsv } from './csv.ts';

/**
 * Renders the days of one subject. A local day spans two analysis windows, so days read in ascending order share decoded
 * windows.
 */
export class DayChannels {
  readonly #store: ReadStore;
  readonly #subjectId: string;
  readonly #clock: DayClock;
  readonly #pool: ArrayPool | undefined;
  readonly #runId: string | undefined;
  #reader: BinReader | undefined;

  /** @param options `pool` lends arrays; `runId`: of this analysis run instead of the results in use */
  constructor(
    store: ReadStore,
    subjectId: string,
    clock: DayClock,
    { pool, runId }: { pool?: ArrayPool | undefined; runId?: string | undefined } = {},
  ) {
    this.#pool = pool;
    this.#runId = runId;
    this.#store = store;
    this.#subjectId = subjectId;
    this.#clock = clock;
  }

  /** Returns decoded windows to the pool. */
  release(): void {
    this.#reader?.release();
    this.#reader = undefined;
  }

  /** The stored windows that overlap a day; none where nothing was recorded or analysed. */
  async windows(date: string): Promise<WindowRecord[]> {
    const { startMs, stopMs } = midnightWindow(date, this.#clock);
    const { recordings, analytics } = this.#store;
    const isRecorded = await recordings.hasData(this.#subjectId, { fromUs: startMs * 1000, toUs: stopMs * 1000 - 1 });
    const span = { fromTs: startMs, toTs: stopMs, runId: this.#runId };
    return isRecorded ? await analytics.windows(this.#subjectId, span) : [];
  }

  /**
   * One row per minute of the subject's local day: 1440, or 1380 or 1500 when clocks change. Undefined where nothing was
   * recorded or analysed.
   * @param options `windows` of the day, if the caller has them; `shiftMs` is added to the UTC column; `hasFurther` adds the
   *   further channels as columns; rows end at `untilMs`, which is after the beginning of the day
   */
  async csv(
    date: string,
    options: { windows?: WindowRecord[]; shiftMs?: number; hasFurther?: boolean; untilMs?: number | undefined } = {},
  ): Promise<string | undefined> {
    const { startMs, stopMs } = midnightWindow(date, this.#clock);
    const windows = options.windows ?? (await this.windows(date));
    if (windows.length === 0) return undefined;
    this.#reader = new BinReader(this.#store, this.#subjectId, windows, {
      ...{ before: this.#reader, pool: this.#pool },
      runId: this.#runId,
    });
    const endMs = Math.min(stopMs, options.untilMs ?? stopMs);
    const run = { firstMs: binStartMs(startMs, MINUTE_MS), lastMs: binStartMs(endMs - 1, MINUTE_MS) };
    const chunks: BinnedChannels[] = [];
    const further: FurtherBins[] = [];
    const bins = this.#reader.binned([run], MINUTE_MS, (...request) => ({
      nine: binChannels(...request),
      further: options.hasFurther ? binFurtherChannels(...request) : undefined,
    }));
    for await (const chunk of bins) {
      chunks.push(chunk.nine);
      if (chunk.further) further.push(chunk.further);
    }
    return channelsCsv(chunks, this.#clock, options.shiftMs, further);
  }
}
