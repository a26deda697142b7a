/**
 * A subject's local days on the elapsed axis. Every length here comes from the zone database, so days of 23 and 25 hours
 * are right; nothing adds 86,400,000 ms to anything.
 */
import { Temporal } from 'temporal-polyfill';

/** One local date with its two clocks: the day (midnight to midnight) and the night (noon before to noon). Epoch ms. */
export interface LocalDay {
  date: string;
  timeZone: string;
  midnightMs: number;
  nextMidnightMs: number;
  noonBeforeMs: number;
  noonMs: number;
}

/** A change of the zone's offset inside a span. `shiftMs` is positive when clocks go forward. */
export interface OffsetChange {
  atMs: number;
  shiftMs: number;
  before: string;
  after: string;
}

export interface Tick {
  ms: number;
  /** Local clock, `14:00`. */
  clock: string;
  /** Local date of the tick, YYYY-MM-DD. */
  date: string;
  /** Offset such as +01:00, only on the ticks on either side of a change, where one clock reading can occur twice. */
  offset?: string;
  isMidnight: boolean;
}

const at = (date: string, hour: number, timeZone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from({ hour }) })
    .epochMilliseconds;

/** The windows of one local date. A zone whose midnight does not exist that day starts at its first instant. */
export function localDay(date: string, timeZone: string): LocalDay {
  const day = Temporal.PlainDate.from(date);
  return {
    date,
    timeZone,
    midnightMs: day.toZonedDateTime(timeZone).epochMilliseconds,
    nextMidnightMs: day.add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds,
    noonBeforeMs: at(day.subtract({ days: 1 }).toString(), 12, timeZone),
    noonMs: at(date, 12, timeZone),
  };
}

/** The local date of an instant, YYYY-MM-DD. */
export function localDate(ms: number, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** Every local date from `first` to `last`, both included. */
export function datesBetween(first: string, last: string): string[] {
  const dates: string[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
}

/** The offset changes after `startMs` and before `stopMs`. */
export function offsetChanges(startMs: number, stopMs: number, timeZone: string): OffsetChange[] {
  const changes: OffsetChange[] = [];
  let moment = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(timeZone);
  for (;;) {
    const next = moment.getTimeZoneTransition('next');
    if (!next || next.epochMilliseconds >= stopMs) return changes;
    const before = next.subtract({ nanoseconds: 1 });
    const shiftMs = (next.offsetNanoseconds - before.offsetNanoseconds) / 1e6;
    moment = next;
    // Some transitions only rename the zone or move its standard time.
    if (shiftMs === 0) continue;
    changes.push({
      atMs: next.epochMilliseconds,
      shiftMs,
      before: before.offset,
      after: next.offset,
    });
  }
}

const QUARTER_MS = 15 * 60_000;

/**
 * Ticks of a local clock on the elapsed axis, every `stepHours` of local time. Walks the instants by the quarter hour, which
 * every offset in use divides, so that a repeated hour gives two ticks and a skipped hour none.
 */
export function clockTicks(startMs: number, stopMs: number, timeZone: string, stepHours: number): Tick[] {
  const offsets: string[] = [];
  const ticks: Tick[] = [];
  for (let ms = Math.ceil(startMs / QUARTER_MS) * QUARTER_MS; ms <= stopMs; ms += QUARTER_MS) {
    const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
    const minutes = local.hour * 60 + local.minute;
    if (minutes % (stepHours * 60) !== 0) continue;
    offsets.push(local.offset);
    ticks.push({
      ms,
      clock: local.toPlainTime().toString({ smallestUnit: 'minute' }),
      date: local.toPlainDate().toString(),
      isMidnight: minutes === 0,
    });
  }
  for (let i = 1; i < ticks.length; i++) {
    if (offsets[i] === offsets[i - 1]) continue;
    ticks[i - 1].offset = offsets[i - 1];
    ticks[i].offset = offsets[i];
  }
  return ticks;
}

const STEPS_HOURS = [0.25, 0.5, 1, 2, 3, 4, 6, 12, 24];

/** The finest step whose labels keep at least `minGapPx` between ticks. */
export function tickStepHours(spanMs: number, widthPx: number, minGapPx: number): number {
  const pxPerHour = widthPx / (spanMs / 3_600_000);
  return STEPS_HOURS.find((step) => step * pxPerHour >= minGapPx) ?? 24;
}

/** Local clock of an instant with its offset, for the cursor. */
export function clockReading(ms: number, timeZone: string): { clock: string; date: string; offset: string } {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timeZone);
  return {
    clock: local.toPlainTime().toString({ smallestUnit: 'minute' }),
    date: local.toPlainDate().toString(),
    offset: local.offset,
  };
}

/** Instants of a stretch of time, and a day around it, at which the local clock shows an hour and minute: twice as clocks go back, never as they skip it. */
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

/** Local clock with seconds and milliseconds, and its offset. */
export function preciseClock(ms: number, timeZone: string): { clock: string; offset: string } {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timeZone);
  return { clock: local.toPlainTime().toString({ fractionalSecondDigits: 3 }), offset: local.offset };
}
