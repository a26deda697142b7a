/** Names a span of local time, such as a day with the night before it, so that it is not taken for the day alone. */
import type { TimelineView } from '../../shared/charts/timeline/view.ts';
import type { Format } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import { clockReading, type DayClock } from '../../shared/time/local-day.ts';

const MIDNIGHT = '00:00';

/** Both ends with their dates, or one date where they share it, and the length. An end at midnight is 24:00 of the day before it. */
export function spanWords({ startMs, stopMs }: TimelineView, clock: DayClock, t: Translate, format: Format): string {
  const at = (date: string, reading: string) => t('days.instant', { date: format.shortDate(date), clock: reading });
  const start = clockReading(startMs, clock);
  const end = clockReading(stopMs, clock);
  const stop = end.clock === MIDNIGHT ? { date: clockReading(stopMs - 1, clock).date, clock: '24:00' } : end;
  return t('days.span', {
    from: at(start.date, start.clock),
    to: stop.date === start.date ? stop.clock : at(stop.date, stop.clock),
    length: format.duration((stopMs - startMs) / 1000),
  });
}
