/** Formats numbers, times and durations for one language. Pure; the hook is in `i18n.ts`. */
import type { Language } from './languages.ts';

export interface Format {
  /** `Tue, Mar 4, 2026` / `2026年3月4日(水)`. */
  date(date: string): string;
  /** Without the year, for tight places. */
  shortDate(date: string): string;
  weekday(date: string): string;
  /** `Mar 4` / `3月4日`. */
  dayOfMonth(date: string): string;
  /** Month and day as digits. */
  monthDay(date: string): string;
  /** Local date and clock of an instant, with the zone's short name. */
  dateTime(ms: number, timeZone?: string): string;
  /** The same without the zone, for pages that show the zone elsewhere. */
  moment(ms: number, timeZone?: string): string;
  clock(ms: number, timeZone?: string): string;
  /** Short name of a zone at an instant, `EST` / `GMT+9`. */
  zone(ms: number, timeZone: string): string;
  /** @param digits fraction digits, 0 to 3 */
  number(value: number, digits?: number): string;
  /** `6 h 12 min` / `6時間12分`; below one minute, seconds. */
  duration(seconds: number): string;
  /** Both ends of a span of days, with one year where one is enough: `Nov 2`, `Sun, Nov 22, 2026` / `2026年11月2日(月)`, `11月22日(日)`. */
  span(first: string, last: string): { first: string; last: string };
  /** `14 min ago` / `14分前`. */
  ago(ms: number, nowMs: number): string;
  bytes(bytes: number): string;
  list(items: string[]): string;
  compare(a: string, b: string): number;
}

const UTC_NOON = 'T12:00:00Z';

function createFormat(language: Language): Format {
  const locale = language === 'ja' ? 'ja-JP' : 'en-US';
  const day = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    return (date: string) => formatter.format(new Date(date + UTC_NOON));
  };
  const zoned = new Map<string, Intl.DateTimeFormat>();
  const zonedFormat = (kind: 'dateTime' | 'moment' | 'clock', timeZone?: string) => {
    const key = `${kind} ${timeZone ?? ''}`;
    let formatter = zoned.get(key);
    if (!formatter) {
      const clock: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone };
      formatter = new Intl.DateTimeFormat(
        locale,
        kind === 'clock'
          ? clock
          : {
              ...clock,
              year: 'numeric',
              month: language === 'ja' ? 'numeric' : 'short',
              day: 'numeric',
              timeZoneName: kind === 'dateTime' ? 'short' : undefined,
            },
      );
      zoned.set(key, formatter);
    }
    return formatter;
  };
  const numberFormat = (digits: number) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const fixed = [numberFormat(0), numberFormat(1), numberFormat(2), numberFormat(3)] as const;
  const relativeFormat = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const relative = (value: number, unit: 'minute' | 'hour' | 'day') => {
    const text = relativeFormat.format(value, unit);
    // Japanese has no space between a number and its unit, but Intl writes one here.
    return language === 'ja' ? text.replace(' ', '') : text;
  };
  const lists = new Intl.ListFormat(locale, { type: 'conjunction' });
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  const unit =
    language === 'ja'
      ? { h: '時間', min: '分', s: '秒', ms: 'ミリ秒', gap: '', space: '' }
      : { h: 'h', min: 'min', s: 's', ms: 'ms', gap: ' ', space: ' ' };

  const date = day({ weekday: 'short', day: 'numeric', month: language === 'ja' ? 'long' : 'short', year: 'numeric' });
  const shortDate = day({ weekday: 'short', day: 'numeric', month: 'short' });
  return {
    date,
    shortDate,
    span(first, last) {
      if (first.slice(0, 4) !== last.slice(0, 4)) return { first: date(first), last: date(last) };
      // Japanese writes the year first, so the first day has it.
      return language === 'ja'
        ? { first: date(first), last: shortDate(last) }
        : { first: shortDate(first), last: date(last) };
    },
    weekday: day({ weekday: 'short' }),
    dayOfMonth: day({ month: language === 'ja' ? 'long' : 'short', day: 'numeric' }),
    monthDay: day({ month: 'numeric', day: 'numeric' }),
    dateTime: (ms, timeZone) => zonedFormat('dateTime', timeZone).format(ms),
    moment: (ms, timeZone) => zonedFormat('moment', timeZone).format(ms),
    clock: (ms, timeZone) => zonedFormat('clock', timeZone).format(ms),
    zone: (ms, timeZone) =>
      zonedFormat('dateTime', timeZone)
        .formatToParts(ms)
        .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone,
    number: (value, digits = 0) => (fixed[digits] ?? numberFormat(digits)).format(value),
    duration(seconds) {
      // A positive duration never rounds to zero.
      if (seconds > 0 && seconds < 0.9995) return `${Math.max(1, Math.round(seconds * 1000))}${unit.space}${unit.ms}`;
      if (seconds > 0 && seconds < 59.5) return `${Math.round(seconds)}${unit.space}${unit.s}`;
      const minutes = Math.round(seconds / 60);
      const hours = Math.floor(minutes / 60);
      if (hours === 0) return `${minutes}${unit.space}${unit.min}`;
      return `${fixed[0].format(hours)}${unit.space}${unit.h}${unit.gap}${minutes % 60}${unit.space}${unit.min}`;
    },
    ago(ms, nowMs) {
      const seconds = (ms - nowMs) / 1000;
      const size = Math.abs(seconds);
      if (size < 3600) return relative(Math.round(seconds / 60), 'minute');
      if (size < 48 * 3600) return relative(Math.round(seconds / 3600), 'hour');
      return relative(Math.round(seconds / 86_400), 'day');
    },
    bytes(bytes) {
      const units = ['B', 'kB', 'MB', 'GB', 'TB'];
      const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
      return `${fixed[power === 0 || bytes / 1000 ** power >= 100 ? 0 : 1].format(bytes / 1000 ** power)}\u00a0${units[power]}`;
    },
    list: (items) => lists.format(items),
    compare: collator.compare,
  };
}

const formats = new Map<Language, Format>();

/** Returns the formats of a language, cached: creating them takes a millisecond, and every component needs them. */
export function formatOf(language: Language): Format {
  const known = formats.get(language) ?? createFormat(language);
  formats.set(language, known);
  return known;
}

const JAPANESE_UNIT = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Joins a value and its unit with a no-break space; a Japanese unit follows its number directly. */
export const withUnit = (value: string, unit: string): string =>
  unit === '' || JAPANESE_UNIT.test(unit) ? value + unit : `${value}\u00a0${unit}`;
