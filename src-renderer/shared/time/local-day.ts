/**
 * A subject's local days on the axis of elapsed time. All lengths come from the zone database and from the zones that the
 * subject lived in, so that days of 23 and 25 hours and days with a flight are correct. Nothing here assumes 24-hour days.
 */
import { Temporal } from 'temporal-polyfill';
import { HOUR_MS, MINUTE_MS } from '../../../src-server/durations.ts';
import {
  type DayClock,
  formatOffset,
  localDateIn,
  midnightWindow,
  noonWindow,
  offsetMsAt,
  zoneAt,
} from '../../../src-server/study/day-windows.ts';

export { type DayClock, dateExists, fixedZone, localDateAt, zoneAt } from '../../../src-server/study/day-windows.ts';

/** The windows of one local date: the day (midnight to midnight) and the night (noon before to noon). Epoch ms. */
export interface LocalDay {
  date: string;
  midnightMs: number;
  nextMidnightMs: number;
  noonBeforeMs: number;
  noonMs: number;
}

/** An instant at which the local clock changes, or at which the subject moves to another zone. */
export interface ClockChange {
  atMs: number;
  /** Positive when the clock goes forward; 0 between zones of the same time. */
  shiftMs: number;
  /** Offsets from UTC on either side, `+01:00`. */
  before: string;
  after: string;
  /** Clock readings at that instant in the old and the new time, `02:00` and `01:00`. */
  clockBefore: string;
  clockAfter: string;
  /** Names of the zones, where the subject moved between zones. */
  zones?: { before: string; after: string };
}

export interface Tick {
  ms: number;
  /** Local clock, `14:00`. */
  clock: string;
  /** Local date of the tick, YYYY-MM-DD. */
  date: string;
  isMidnight: boolean;
}

/** Returns the windows of one local date. Where midnight does not exist, the day starts at its first instant. */
export function localDay(date: string, clock: DayClock): LocalDay {
  const { startMs, stopMs } = midnightWindow(date, clock);
  const night = noonWindow(date, clock);
  return { date, midnightMs: startMs, nextMidnightMs: stopMs, noonBeforeMs: night.startMs, noonMs: night.stopMs };
}

/** Returns the local date of an instant, YYYY-MM-DD. */
export function localDate(ms: number, timeZone: string): string {
  return localDateIn(ms, timeZone);
}

/** Returns the latest of today's dates in some zones; without a zone, the one in UTC. */
export function latestToday(timeZones: readonly string[], nowMs = Date.now()): string {
  const dates = [...new Set(timeZones)].map((zone) => localDate(nowMs, zone)).sort();
  return dates.at(-1) ?? localDate(nowMs, 'UTC');
}

export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** Returns every date from `first` to `last`, both included. */
export function datesBetween(first: string, last: string): string[] {
  const dates: string[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
}

/**
 * Returns the first instant of every date and, as the last member, the end of the last one. The end of a day is the start of the
 * next, so every second window tells all of them; a skipped date starts where it ends.
 */
export function midnightsOf(dates: readonly string[], clock: DayClock): number[] {
  const midnights: number[] = [];
  for (let index = 0; index < dates.length; index += 2) {
    const { startMs, stopMs } = midnightWindow(dates[index]!, clock);
    midnights.push(startMs, stopMs);
  }
  const last = dates.at(-1);
  // Of an odd number of dates the last window has told both edges already.
  if (last !== undefined && dates.length % 2 === 0) midnights.push(midnightWindow(last, clock).stopMs);
  return midnights;
}

/** Returns the changes of the subject's clock after `startMs` and before `stopMs`, in order. */
export function clockChanges(startMs: number, stopMs: number, clock: DayClock): ClockChange[] {
  return clock.flatMap(({ fromTs, timezone }, index): ClockChange[] => {
    const previous = clock[index - 1];
    const fromMs = Math.max(startMs, previous ? fromTs : startMs);
    const toMs = Math.min(stopMs, clock[index + 1]?.fromTs ?? stopMs);
    const arrival =
      previous && fromTs > startMs && fromTs < stopMs ? arrivals(fromTs, previous.timezone, timezone) : [];
    return [...arrival, ...(toMs > fromMs ? transitions(fromMs, toMs, timezone) : [])];
  });
}

function arrivals(atMs: number, from: string, to: string): ClockChange[] {
  if (from === to) return [];
  return [{ ...changeAt(atMs, offsetMsAt(atMs - 1, from), offsetMsAt(atMs, to)), zones: { before: from, after: to } }];
}

function changeAt(atMs: number, beforeMs: number, afterMs: number): ClockChange {
  return {
    atMs,
    shiftMs: afterMs - beforeMs,
    before: formatOffset(beforeMs),
    after: formatOffset(afterMs),
    clockBefore: wallClock(atMs, beforeMs).clock,
    clockAfter: wallClock(atMs, afterMs).clock,
  };
}

/** Clock changes of one zone. */
function transitions(startMs: number, stopMs: number, timeZone: string): ClockChange[] {
  const changes: ClockChange[] = [];
  let moment = Temporal.Instant.fromEpochMilliseconds(Math.floor(startMs)).toZonedDateTimeISO(timeZone);
  for (;;) {
    const next = moment.getTimeZoneTransition('next');
    if (!next || next.epochMilliseconds >= stopMs) return changes;
    const change = changeAt(
      next.epochMilliseconds,
      next.subtract({ nanoseconds: 1 }).offsetNanoseconds / 1e6,
      next.offsetNanoseconds / 1e6,
    );
    moment = next;
    // Some transitions only rename the zone or move its standard time.
    if (change.shiftMs !== 0) changes.push(change);
  }
}

/** Returns the names of the zones of a span of time, in order, without repeats. */
export function zonesBetween(startMs: number, stopMs: number, clock: DayClock): string[] {
  const later = clock.filter(({ fromTs }, index) => index > 0 && fromTs > startMs && fromTs < stopMs);
  const names = [zoneAt(startMs, clock), ...later.map(({ timezone }) => timezone)];
  return names.filter((name, index) => name !== names[index - 1]);
}

const QUARTER_MS = 15 * MINUTE_MS;

const wallClock = (ms: number, offsetMs: number): { date: string; minutes: number; clock: string } => {
  const local = new Date(Math.floor(ms) + offsetMs);
  const text = local.toISOString();
  return {
    date: text.slice(0, 10),
    minutes: local.getUTCHours() * 60 + local.getUTCMinutes(),
    clock: text.slice(11, 16),
  };
};

/**
 * Returns the ticks of a local clock on the axis of elapsed time, every `stepHours` of local time. It steps through quarter
 * hours, of which every offset in use is a multiple, so that a repeated hour has two ticks and a skipped hour none.
 */
export function clockTicks(startMs: number, stopMs: number, clock: DayClock, stepHours: number): Tick[] {
  const ticks: Tick[] = [];
  for (let ms = Math.ceil(startMs / QUARTER_MS) * QUARTER_MS; ms <= stopMs; ms += QUARTER_MS) {
    const { minutes, clock: reading, date } = wallClock(ms, offsetMsAt(ms, zoneAt(ms, clock)));
    if (minutes % (stepHours * 60) === 0) ticks.push({ ms, clock: reading, date, isMidnight: minutes === 0 });
  }
  return ticks;
}

const STEPS_HOURS = [0.25, 0.5, 1, 2, 3, 4, 6, 12, 24];

/** Returns the finest step with at least `minGapPx` between ticks. */
export function tickStepHours(spanMs: number, widthPx: number, minGapPx: number): number {
  const pxPerHour = widthPx / (spanMs / HOUR_MS);
  return STEPS_HOURS.find((step) => step * pxPerHour >= minGapPx) ?? 24;
}

/** Returns the local clock of an instant, with its date and offset. */
export function clockReading(ms: number, clock: DayClock): { clock: string; date: string; offset: string } {
  const offsetMs = offsetMsAt(ms, zoneAt(ms, clock));
  const { date, clock: reading } = wallClock(ms, offsetMs);
  return { clock: reading, date, offset: formatOffset(offsetMs) };
}

/** Returns the instants, in a span and a day around it, at which the local clock shows an hour and minute: two where the clock goes back, none where it skips the time. */
export function clockInstants(
  startMs: number,
  stopMs: number,
  timeZone: string,
  hour: number,
  minute: number,
): number[] {
  const dates = datesBetween(addDays(localDate(startMs, timeZone), -1), addDays(localDate(stopMs, timeZone), 1));
  return dates.flatMap((date) => {
    const local = Temporal.PlainDate.from(date).toPlainDateTime({ hour, minute });
    const both = (['earlier', 'later'] as const).map((disambiguation) =>
      local.toZonedDateTime(timeZone, { disambiguation }),
    );
    const shown = both.filter((instant) => instant.hour === hour && instant.minute === minute);
    return [...new Set(shown.map((instant) => instant.epochMilliseconds))];
  });
}

/** Returns the local clock with seconds and milliseconds, and its offset. */
export function preciseClock(ms: number, timeZone: string): { clock: string; offset: string } {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timeZone);
  return { clock: local.toPlainTime().toString({ fractionalSecondDigits: 3 }), offset: local.offset };
}
