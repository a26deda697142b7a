/** The channels of one local day as CSV. */
import { type BinnedChannels, binStartMs } from '../../analytics/channels.ts';
import type { ArrayPool, Store, WindowRecord } from '../../db/index.ts';
import { type DayClock, midnightWindow } from '../../study/day-windows.ts';
import { BinReader } from './bins.ts';
import { channelsCsv } from './csv.ts';

const INTERVAL_MS = 60_000;

/** Makes the days of one subject. Days asked for in ascending order share what was read: a day is made of two windows. */
export class DayChannels {
  readonly #store: Store;
  readonly #subjectId: string;
  readonly #clock: DayClock;
  readonly #pool: ArrayPool | undefined;
  #reader: BinReader | undefined;

  constructor(store: Store, subjectId: string, clock: DayClock, pool?: ArrayPool) {
    this.#pool = pool;
    this.#store = store;
    this.#subjectId = subjectId;
    this.#clock = clock;
  }

  /** Gives what was read back to the pool. */
  release(): void {
    this.#reader?.release();
    this.#reader = undefined;
  }

  /** The stored windows that a day is made of; none for a day in which nothing was recorded or analysed. */
  async windows(date: string): Promise<WindowRecord[]> {
    const { startMs, stopMs } = midnightWindow(date, this.#clock);
    const { recordings, analytics } = this.#store;
    const isRecorded = await recordings.hasData(this.#subjectId, { fromUs: startMs * 1000, toUs: stopMs * 1000 - 1 });
    return isRecorded ? await analytics.windows(this.#subjectId, { fromTs: startMs, toTs: stopMs }) : [];
  }

  /**
   * One row per minute of the subject's local day: 1440, or 1380 or 1500 when clocks change. Undefined for a day in which
   * nothing was recorded or analysed.
   * @param options `windows` of the day, when they are known already; `shiftMs` is added to the UTC column
   */
  async csv(date: string, options: { windows?: WindowRecord[]; shiftMs?: number } = {}): Promise<string | undefined> {
    const { startMs, stopMs } = midnightWindow(date, this.#clock);
    const windows = options.windows ?? (await this.windows(date));
    if (windows.length === 0) return undefined;
    this.#reader = new BinReader(this.#store, this.#subjectId, windows, { before: this.#reader, pool: this.#pool });
    const run = { firstMs: binStartMs(startMs, INTERVAL_MS), lastMs: binStartMs(stopMs - 1, INTERVAL_MS) };
    const pieces: BinnedChannels[] = [];
    for await (const piece of this.#reader.pieces([run], INTERVAL_MS)) pieces.push(piece);
    return channelsCsv(pieces, this.#clock, options.shiftMs);
  }
}
