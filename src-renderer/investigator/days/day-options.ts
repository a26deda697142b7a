/** The days of a subject that can be opened, each with its recorded time. Pure. */
import { DAY_MS } from '../../../src-server/durations.ts';
import type { DeskSubject } from '../../shared/api/queries.ts';
import { addDays, datesBetween, localDateAt, midnightsOf } from '../../shared/time/local-day.ts';
import { mondayOf } from '../adherence/day-state.ts';

export interface DayOption {
  date: string;
  recordedSeconds: number;
}

type DayOptionsSubject = Pick<DeskSubject, 'timezones' | 'createdTs' | 'recorded'>;

/** The prefetch of a day and its screen ask for the same options one after the other. */
const latest = new WeakMap<object, { subject: DayOptionsSubject; today: string; options: DayOption[] }>();

/** Longest run of days without data, so that a study that ended long ago does not show a year of empty days. */
const MAX_EMPTY_DAYS = 60;
const HALF_DAY_SECONDS = DAY_MS / 2 / 1000;

/**
 * Returns the local dates from the first recording (or enrolment) to today, each with its recorded time. Days after the last
 * recording are included, because missing data is what staff look for.
 */
export function dayOptions(subject: DayOptionsSubject, nowMs: number): DayOption[] {
  const today = localDateAt(nowMs, subject.timezones);
  const cached = latest.get(subject.recorded);
  if (cached?.subject === subject && cached.today === today) return cached.options;
  const options = optionsUpTo(subject, today);
  latest.set(subject.recorded, { subject, today, options });
  return options;
}

function optionsUpTo({ timezones, createdTs, recorded: spans }: DayOptionsSubject, today: string): DayOption[] {
  const lastStopMs = spans.at(-1)?.stopTs;
  const lastData = lastStopMs === undefined ? undefined : localDateAt(lastStopMs - 1, timezones);
  const earliest = addDays(today, -MAX_EMPTY_DAYS);
  const begin = localDateAt(spans[0]?.startTs ?? createdTs, timezones);
  const first = lastData === undefined && begin < earliest ? earliest : begin;
  const reachesToday = lastData === undefined || lastData >= earliest;
  const last = reachesToday && (lastData ?? '') < today ? today : (lastData ?? today);
  const dates = datesBetween(first, last);
  const midnights = midnightsOf(dates, timezones);
  let next = 0;
  return dates.flatMap((date, day) => {
    const midnightMs = midnights[day]!;
    const nextMidnightMs = midnights[day + 1]!;
    // A zone may skip a date.
    if (nextMidnightMs <= midnightMs) return [];
    // Both are in order of time, so the spans are walked once for all days.
    while ((spans[next]?.stopTs ?? Number.POSITIVE_INFINITY) <= midnightMs) next++;
    let recordedMs = 0;
    for (let index = next; index < spans.length; index++) {
      const { startTs, stopTs } = spans[index]!;
      if (startTs >= nextMidnightMs) break;
      recordedMs += Math.min(stopTs, nextMidnightMs) - Math.max(startTs, midnightMs);
    }
    return [{ date, recordedSeconds: recordedMs / 1000 }];
  });
}

/** Returns the last day with at least half a day of data, or else the day with most. `days` must not be empty. */
export function dayToOpen(days: readonly DayOption[]): string {
  const full = days.findLast((day) => day.recordedSeconds >= HALF_DAY_SECONDS);
  return (full ?? days.reduce((best, day) => (day.recordedSeconds >= best.recordedSeconds ? day : best))).date;
}

/** The same weekday a week later or earlier, clamped to the first and last day; undefined where that week has no days. */
export function weekFrom(days: readonly DayOption[], date: string, weeks: -1 | 1): string | undefined {
  const [first, last] = [days[0]?.date, days.at(-1)?.date];
  if (first === undefined || last === undefined) return undefined;
  const monday = addDays(mondayOf(date), 7 * weeks);
  if (monday > last || addDays(monday, 6) < first) return undefined;
  // ISO dates sort as text, so the middle of the three is the clamped one.
  return [first, addDays(date, 7 * weeks), last].sort()[1];
}

/** The day `step` places away from `date`; undefined beyond the first and last day. */
export function stepFrom(days: readonly DayOption[], date: string, step: number): string | undefined {
  const index = days.findIndex((day) => day.date === date);
  const next = index < 0 ? addDays(date, step) : days[index + step]?.date;
  const [first, last] = [days[0]?.date, days.at(-1)?.date];
  if (next === undefined || first === undefined || last === undefined) return undefined;
  return next >= first && next <= last ? next : undefined;
}
