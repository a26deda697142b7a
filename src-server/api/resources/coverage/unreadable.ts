/** Times in which a worn ECG has no heart rate, from the analysed seconds. */

import { MINIMUM } from '../../../analytics/metric-names.ts';
import type { SecondColumns } from '../../../analytics/types.ts';
import { MINUTE_MS } from '../../../durations.ts';
import type { Store } from '../../../services/index.ts';
import { clip, type TimeSpan, union } from '../../../study/coverage/spans.ts';

/** A minute counts as worn when more than half of it was. */
const WORN_SECONDS = 31;

/** Returns whole worn minutes within the spans that have too few beat intervals for a heart rate. */
export function unreadableMinutes(columns: SecondColumns, spans: readonly TimeSpan[]): TimeSpan[] {
  return spans.flatMap((span) => {
    const stopMs = columns.startMs + columns.count * 1000;
    const part = clip(span, { startMs: columns.startMs, stopMs });
    if (!part) return [];
    const found: TimeSpan[] = [];
    for (
      let startMs = Math.ceil(part.startMs / MINUTE_MS) * MINUTE_MS;
      startMs + MINUTE_MS <= part.stopMs;
      startMs += MINUTE_MS
    ) {
      const first = Math.round((startMs - columns.startMs) / 1000);
      let [worn, intervalsMs] = [0, 0];
      for (let i = first; i < Math.min(first + 60, columns.count); i++) {
        worn += columns.worn[i] ?? 0;
        intervalsMs += columns.rrSumMs[i] ?? 0;
      }
      if (worn >= WORN_SECONDS && intervalsMs < MINIMUM.minuteIntervalsMs)
        found.push({ startMs, stopMs: startMs + MINUTE_MS });
    }
    return found;
  });
}

/** Returns the unreadable times of a day, merged. Decodes the two windows that a day overlaps. */
export async function unreadableSpans(
  { analytics }: Pick<Store, 'analytics'>,
  subjectId: string,
  day: TimeSpan,
  ecg: readonly TimeSpan[],
): Promise<TimeSpan[]> {
  const spans = union(ecg, day);
  if (spans.length === 0) return [];
  const found: TimeSpan[] = [];
  for (const { date } of await analytics.windows(subjectId, { fromTs: day.startMs, toTs: day.stopMs })) {
    const columns = await analytics.seconds(subjectId, date);
    if (columns) found.push(...unreadableMinutes(columns, spans));
  }
  return union(found, day);
}
