/** Instants as text that can be typed: local date and clock of a zone, with its offset so that no reading is ambiguous. */
import { Temporal } from 'temporal-polyfill';

/** `2026-11-20 14:05:30.250 -05:00`; milliseconds only where there are some. */
export function timeText(ms: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.round(ms)).toZonedDateTimeISO(timeZone);
  const clock = local.toPlainTime().toString({ smallestUnit: local.millisecond === 0 ? 'second' : 'millisecond' });
  return `${local.toPlainDate().toString()} ${clock} ${local.offset}`;
}

const PATTERN = /^(\d{4}-\d{2}-\d{2})[ T]+(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?) *(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * The instant of a typed text: date and clock, with an offset or in the zone; ISO 8601 too, full-width digits too. A clock
 * reading that occurs twice is the first one. Null for anything else, also for a reading that the clock skips.
 */
export function parseTimeText(text: string, timeZone: string): number | null {
  const found = PATTERN.exec(text.normalize('NFKC').trim().replace('−', '-'));
  if (!found) return null;
  const [, date, typed, offset] = found;
  const clock = typed.indexOf(':') === 1 ? `0${typed}` : typed;
  try {
    if (offset !== undefined) return Temporal.Instant.from(`${date}T${clock}${offset}`).epochMilliseconds;
    const wanted = Temporal.PlainDateTime.from(`${date}T${clock}`, { overflow: 'reject' });
    const local = wanted.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
    return local.toPlainDateTime().equals(wanted) ? local.epochMilliseconds : null;
  } catch {
    return null;
  }
}
