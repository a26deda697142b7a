/** The channels of one local day as CSV. */
import { type BinnedChannels, binStartMs } from '../../analytics/channels.ts';
import type { Store } from '../../db/index.ts';
import { type DayClock, midnightWindow } from '../../study/day-windows.ts';
import { BinReader } from './bins.ts';
import { channelsCsv } from './csv.ts';

const INTERVAL_MS = 60_000;

/**
 * One row per minute of the subject's local day: 1440, or 1380 or 1500 when clocks change. Undefined for a day in which
 * nothing was recorded or analysed.
 */
export async function dayChannelsCsv(
  store: Store,
  subjectId: string,
  date: string,
  clock: DayClock,
): Promise<string | undefined> {
  const { startMs, stopMs } = midnightWindow(date, clock);
  if (!(await store.recordings.hasData(subjectId, { fromUs: startMs * 1000, toUs: stopMs * 1000 - 1 })))
    return undefined;
  const windows = await store.analytics.windows(subjectId, { fromTs: startMs, toTs: stopMs });
  if (windows.length === 0) return undefined;
  const reader = new BinReader(store, subjectId, windows);
  const run = { firstMs: binStartMs(startMs, INTERVAL_MS), lastMs: binStartMs(stopMs - 1, INTERVAL_MS) };
  const pieces: BinnedChannels[] = [];
  for await (const piece of reader.pieces([run], INTERVAL_MS)) pieces.push(piece);
  return channelsCsv(pieces, clock);
}
