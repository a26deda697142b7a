/**
 * Where the signal of a recording first becomes readable, by the stored results of the analysis: the recording itself is not read. Another
 * recording of the subject in the same time counts as well, because results are those of the subject.
 */
import { ECG_STATES } from '../analytics/rhythm/settings.ts';
import type { SecondColumns } from '../analytics/types.ts';
import type { ReadStore } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import type { TimeSpan } from '../study/coverage/spans.ts';

/** By what a second is readable: the ECG's quality, beat intervals, or that a sensor was worn. */
export type ReadableBy = 'ECG' | 'INTERVALS' | 'WEAR';

/** A stretch begins where this many seconds in a row are readable: as many as a viewer shows at first. */
const STEADY_SECONDS = 10;
/** Below this, the viewer calls a second unreadable. */
const LEAST_QUALITY = 10;
/** Bounds the reading of a long recording in which nothing is readable: a window takes some 10 ms. */
const MOST_WINDOWS = 8;

const [READABLE, UNRESOLVED] = [ECG_STATES.indexOf('READABLE'), ECG_STATES.indexOf('UNRESOLVED')];

/** 2 where a second is readable, 1 where a person may read what the analysis could not, 0 elsewhere. */
function rankOf(columns: SecondColumns, by: ReadableBy, i: number): 0 | 1 | 2 {
  if (!columns.recorded[i]) return 0;
  if (by === 'WEAR') return columns.worn[i] ? 2 : 0;
  if (by === 'INTERVALS') return columns.rrCount[i]! > 0 ? 2 : 0;
  const { rhythm } = columns;
  const state = rhythm?.ecgState[i];
  if (state === UNRESOLVED) return 1;
  return state === READABLE && rhythm!.quality[i]! >= LEAST_QUALITY ? 2 : 0;
}

/**
 * Returns the first of ten readable seconds in a row, epoch ms; without so many, the first readable one. Null where the analysis of the
 * whole span found none; undefined where it does not know: not analysed yet, or by a version without these columns.
 *
 * @param signals spans with samples, ascending
 */
export async function readableFromMs(
  store: ReadStore,
  subjectId: string,
  by: ReadableBy,
  signals: readonly TimeSpan[],
): Promise<number | null | undefined> {
  const [first, last] = [signals[0], signals.at(-1)];
  if (!first || !last) return undefined;
  const windows = await store.analytics.windows(subjectId, { fromTs: first.startMs, toTs: last.stopMs });
  const best: (number | undefined)[] = [];
  let knownToMs = first.startMs;
  let run = { startMs: 0, stopMs: Number.NEGATIVE_INFINITY };
  for (const { date, startTs, stopTs } of windows.slice(0, MOST_WINDOWS)) {
    const columns = await secondsOf(store, subjectId, date);
    if (!columns || (by === 'ECG' && !columns.rhythm)) break;
    for (const { startMs, stopMs } of signals) {
      const from = Math.max(0, Math.ceil((startMs - columns.startMs) / 1000));
      const to = Math.min(columns.count, Math.floor((stopMs - columns.startMs) / 1000));
      for (let i = from; i < to; i++) {
        const rank = rankOf(columns, by, i);
        if (rank === 0) continue;
        const ms = columns.startMs + 1000 * i;
        best[rank] ??= ms;
        if (rank < 2) continue;
        run = ms === run.stopMs ? { ...run, stopMs: ms + 1000 } : { startMs: ms, stopMs: ms + 1000 };
        if (run.stopMs - run.startMs >= 1000 * STEADY_SECONDS) return run.startMs;
      }
    }
    if (startTs <= knownToMs) knownToMs = Math.max(knownToMs, stopTs);
  }
  const found = best[2] ?? best[1];
  if (found !== undefined) return found;
  return knownToMs >= last.stopMs ? null : undefined;
}

/** The columns of a window; undefined where they are lost: diagnostics report that, and a recording opens all the same. */
async function secondsOf(store: ReadStore, subjectId: string, date: string): Promise<SecondColumns | undefined> {
  try {
    return await store.analytics.seconds(subjectId, date);
  } catch (thrown) {
    if (thrown instanceof OutpostError && thrown.code === 'SITE_CORRUPT') return undefined;
    throw thrown;
  }
}
