/** Instants as text to type: local date and clock in a zone, with the offset, so that no reading is ambiguous. */
import { Temporal } from 'temporal-polyfill';

/** Formats as `2026-11-20 14:05:30.250 -05:00`, with milliseconds only if they are not zero. */
export function timeText(ms: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.round(ms)).toZonedDateTimeISO(timeZone);
  const clock = local.toPlainTime().toString({ smallestUnit: local.millisecond === 0 ? 'second' : 'millisecond' });
  return `${local.toPlainDate().toString()} ${clock} ${local.offset}`;
}

const PATTERN = /^(\d{4}-\d{2}-\d{2})[ T]+(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?) *(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Parses a date and clock, with an offset or in the zone, or ISO 8601. Full-width digits are accepted. A reading that occurs
 * twice means the first one. Returns null for anything else, including a reading that the clock skips.
 */
export function parseTimeText(text: string, timeZone: string): number | null {
  const found = PATTERN.exec(text.normalize('NFKC').trim().replace('−', '-'));
  if (!found) return null;
  const [, date, typedClock = '', offset] = found;
  const clock = typedClock.indexOf(':') === 1 ? `0${typedClock}` : typedClock;
  try {
    if (offset !== undefined) return Temporal.Instant.from(`${date}T${clock}${offset}`).epochMilliseconds;
    const wanted = Temporal.PlainDateTime.from(`${date}T${clock}`, { overflow: 'reject' });
    const local = wanted.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
    return local.toPlainDateTime().equals(wanted) ? local.epochMilliseconds : null;
  } catch {
    return null;
  }
}
