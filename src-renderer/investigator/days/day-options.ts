/** The days of a subject that can be opened, each with how much of it was recorded. Pure. */
import type { SubjectDetail } from '../../../src-server/api/contract/index.ts';
import { unionSpans } from '../../shared/charts/bands.ts';
import { addDays, dateExists, datesBetween, localDateAt, localDay } from '../../shared/time/local-day.ts';
import { mondayOf } from '../adherence/day-state.ts';
import { spansOf } from '../subjects/coverage.ts';

export interface DayOption {
  date: string;
  recordedSeconds: number;
}

/** A study that ended long ago must not show a year of empty days. */
const MAX_EMPTY_DAYS = 60;
const HALF_DAY_SECONDS = 43_200;

/**
 * Local dates from the first recording (or enrolment) to today, each with the time that recordings cover: what is missing
 * since the last recording is what one comes to look for.
 */
export function dayOptions(
  { timezones, createdTs, recordings }: Pick<SubjectDetail, 'timezones' | 'createdTs' | 'recordings'>,
  nowMs: number,
): DayOption[] {
  const spans = unionSpans(spansOf(recordings), Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  const today = localDateAt(nowMs, timezones);
  const lastStopMs = spans.at(-1)?.stopMs;
  const lastData = lastStopMs === undefined ? undefined : localDateAt(lastStopMs - 1, timezones);
  const earliest = addDays(today, -MAX_EMPTY_DAYS);
  const begin = localDateAt(spans[0]?.startMs ?? createdTs, timezones);
  const first = lastData === undefined && begin < earliest ? earliest : begin;
  const reachesToday = lastData === undefined || lastData >= earliest;
  const last = reachesToday && (lastData ?? '') < today ? today : (lastData ?? today);
  return datesBetween(first, last)
    .filter((date) => dateExists(date, timezones))
    .map((date) => {
      const { midnightMs, nextMidnightMs } = localDay(date, timezones);
      const seconds = unionSpans(spans, midnightMs, nextMidnightMs).reduce(
        (sum, span) => sum + (span.stopMs - span.startMs) / 1000,
        0,
      );
      return { date, recordedSeconds: seconds };
    });
}

/** The last day with at least half a day of data; where none has it, the one with most. */
export function dayToOpen(days: readonly DayOption[]): string {
  const full = days.findLast((day) => day.recordedSeconds >= HALF_DAY_SECONDS);
  return (full ?? days.reduce((most, day) => (day.recordedSeconds >= most.recordedSeconds ? day : most))).date;
}

/** The same weekday some weeks on, or the first or last day where that week has fewer; undefined where there is no such week. */
export function weekFrom(days: readonly DayOption[], date: string, weeks: -1 | 1): string | undefined {
  const [first, last] = [days[0].date, days[days.length - 1].date];
  const monday = addDays(mondayOf(date), 7 * weeks);
  if (monday > last || addDays(monday, 6) < first) return undefined;
  // Dates sort as text: the middle one of the three lies within.
  return [first, addDays(date, 7 * weeks), last].sort()[1];
}

/** The day that many places before or after one; undefined beyond the first and the last. */
export function stepFrom(days: readonly DayOption[], date: string, step: number): string | undefined {
  const index = days.findIndex((day) => day.date === date);
  const next = index < 0 ? addDays(date, step) : days[index + step]?.date;
  return next !== undefined && next >= days[0].date && next <= days[days.length - 1].date ? next : undefined;
}
