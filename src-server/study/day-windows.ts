/**
 * A subject's local days as spans of instants: midnight windows (resting, moving) and noon windows (sleep). They follow the zone
 * database, which covers 23 and 25 hour days, half-hour shifts and skipped days, and the subject's zone history, so that each second of
 * a traveller belongs to exactly one window.
 */

import { Temporal } from 'temporal-polyfill';
import { DAY_MS, MINUTE_MS } from '../durations.ts';

/** One zone a subject lived in, from an instant on. */
export interface ZonePeriod {
  /** Epoch ms; ignored for the first period, which has no start. */
  fromTs: number;
  timezone: string;
}

/** Zones in time order, at least one. */
export type DayClock = readonly ZonePeriod[];

/** Epoch ms, stop exclusive. */
export interface DayWindow {
  /** YYYY-MM-DD. */
  date: string;
  startMs: number;
  stopMs: number;
}

export function fixedZone(timezone: string): DayClock {
  return [{ fromTs: 0, timezone }];
}

/** The zone in force at an instant. */
export function zoneAt(instantMs: number, clock: DayClock): string {
  let zone = clock[0]!.timezone;
  for (let i = 1; i < clock.length && clock[i]!.fromTs <= instantMs; i++) zone = clock[i]!.timezone;
  return zone;
}

interface OffsetSpan {
  offsetMs: number;
  fromMs: number;
  toMs: number;
}

/** Cache of spans between transitions per zone: a look-up in the zone database takes about 20 us. */
const offsetSpans = new Map<string, OffsetSpan[]>();

/** Offset of a zone from UTC at an instant: local = UTC + offset. Milliseconds. */
export function offsetMsAt(instantMs: number, timezone: string): number {
  const spans = offsetSpans.get(timezone) ?? [];
  for (const span of spans) if (instantMs >= span.fromMs && instantMs < span.toMs) return span.offsetMs;
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(instantMs)).toZonedDateTimeISO(timezone);
  // `previous` is strictly before, so search from one millisecond later: the instant may be a transition itself.
  const span = {
    offsetMs: at.offsetNanoseconds / 1e6,
    fromMs:
      at.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    toMs: at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
  };
  spans.push(span);
  offsetSpans.set(timezone, spans);
  return span.offsetMs;
}

/** Local date, YYYY-MM-DD, of an instant in one zone. */
export function localDateIn(instantMs: number, timezone: string): string {
  return dateOfDay(Math.floor((Math.floor(instantMs) + offsetMsAt(instantMs, timezone)) / DAY_MS));
}

/** Bounds the memory of each cache: some years of dates, in some zones where they differ. */
const KNOWN_DATES = 20_000;
const knownDates = new Map<number, string>();

/** Date, YYYY-MM-DD, by its number since 1970-01-01. Lists of a study need the same few dates for each of its subjects. */
function dateOfDay(day: number): string {
  const known = knownDates.get(day);
  if (known !== undefined) return known;
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  if (knownDates.size >= KNOWN_DATES) knownDates.clear();
  knownDates.set(day, date);
  return date;
}

/** Local date, YYYY-MM-DD, of an instant in the zone then in force. */
export function localDateAt(instantMs: number, clock: DayClock): string {
  return localDateIn(instantMs, zoneAt(instantMs, clock));
}

/** `+09:00`, `-03:30`. */
export function formatOffset(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** Returns the date a number of calendar days later (or earlier). */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** True for a YYYY-MM-DD that exists in the calendar. */
export function isCalendarDate(date: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return false;
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === date;
}

/** Cache of {@link firstInZone}. */
const knownBoundaries = new Map<string, number>();

function firstAtOrAfter(date: string, hour: number, timezone: string): number {
  const key = `${date} ${hour} ${timezone}`;
  const known = knownBoundaries.get(key);
  if (known !== undefined) return known;
  const instant = firstInZone(date, hour, timezone);
  if (knownBoundaries.size >= KNOWN_DATES) knownBoundaries.clear();
  knownBoundaries.set(key, instant);
  return instant;
}

/** Earliest instant at which a zone's wall clock shows `date` at `hour` or later; a skipped time gives the instant of the transition. */
function firstInZone(date: string, hour: number, timezone: string): number {
  const wall = Temporal.PlainDate.from(date).toPlainDateTime({ hour });
  const at = wall.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  if (Temporal.PlainDateTime.compare(at.toPlainDateTime(), wall) === 0) return at.epochMilliseconds;
  return at.getTimeZoneTransition('next')?.epochMilliseconds ?? at.epochMilliseconds;
}

/**
 * Earliest instant at which the subject's own wall clock shows `date` at `hour` or later. A zone change that
 * skips the hour gives the instant of the change; an hour that occurs twice gives the first.
 */
function boundary(date: string, hour: number, clock: DayClock): number {
  for (const [i, { fromTs, timezone }] of clock.entries()) {
    const until = clock[i + 1]?.fromTs ?? Number.POSITIVE_INFINITY;
    const from = i === 0 ? Number.NEGATIVE_INFINITY : fromTs;
    const instant = Math.max(from, firstAtOrAfter(date, hour, timezone));
    if (instant < until) return instant;
  }
  throw new RangeError(`No boundary of ${date}: the last zone has no end.`);
}

/** Returns the instant at which a zone's clock shows `hh:mm` on a date; a skipped time gives the one after the transition. */
export function localTimeOn(date: string, time: string, timezone: string): number {
  const plain = Temporal.PlainDateTime.from(`${date}T${time}`);
  return plain.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds;
}

/** Local midnight to the next local midnight. Empty (start = stop) for a date that the subject's clock skipped. */
export function midnightWindow(date: string, clock: DayClock): DayWindow {
  return { date, startMs: boundary(date, 0, clock), stopMs: boundary(addDays(date, 1), 0, clock) };
}

/** True when at least one instant had this local date. */
export function dateExists(date: string, clock: DayClock): boolean {
  const { startMs, stopMs } = midnightWindow(date, clock);
  return stopMs > startMs;
}

/** The nearest earlier date that the subject's clock showed: a zone may skip a day, as Pacific/Apia did in 2011. */
function dateBefore(date: string, clock: DayClock): string {
  for (let back = 1; back <= 3; back++) {
    const candidate = addDays(date, -back);
    if (dateExists(candidate, clock)) return candidate;
  }
  return addDays(date, -1);
}

/** Local noon of the day before to local noon of `date`: the window of that date's sleep. Empty for a skipped date. */
export function noonWindow(date: string, clock: DayClock): DayWindow {
  const stopMs = boundary(date, 12, clock);
  if (!dateExists(date, clock)) return { date, startMs: stopMs, stopMs };
  return { date, startMs: boundary(dateBefore(date, clock), 12, clock), stopMs };
}

function windowsTouching(
  fromMs: number,
  toMs: number,
  clock: DayClock,
  windowOf: (date: string, clock: DayClock) => DayWindow,
): DayWindow[] {
  const windows: DayWindow[] = [];
  // A clock set back across midnight shows earlier dates again: begin early and end late, then keep what overlaps.
  let date = addDays(localDateAt(fromMs, clock), -2);
  const last = addDays(localDateAt(toMs, clock), 2);
  for (; date <= last; date = addDays(date, 1)) {
    const window = windowOf(date, clock);
    if (window.stopMs > window.startMs && window.stopMs > fromMs && window.startMs < Math.max(toMs, fromMs + 1))
      windows.push(window);
  }
  return windows;
}

/** Midnight windows that share time with [fromMs, toMs), ascending. */
export function midnightWindowsBetween(fromMs: number, toMs: number, clock: DayClock): DayWindow[] {
  return windowsTouching(fromMs, toMs, clock, midnightWindow);
}

/** Noon windows that share time with [fromMs, toMs), ascending; together they cover it without gap or overlap. */
export function noonWindowsBetween(fromMs: number, toMs: number, clock: DayClock): DayWindow[] {
  return windowsTouching(fromMs, toMs, clock, noonWindow);
}
