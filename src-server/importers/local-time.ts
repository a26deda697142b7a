/** Converts wall-clock times to instants, for formats whose headers hold local times. */
import type { Temporal } from 'temporal-polyfill';

/** Times entered by people are exact to the minute. */
const GIVEN_TOLERANCE_US = 60_000_000;

/**
 * Returns epoch microseconds of a wall-clock start. Around a clock change it may have two instants or none; RFC 5545
 * ("compatible") decides, and a note says so: the first of two, and in a skipped hour the offset before the change.
 *
 * @param givenUs a start entered by a person; it can select the second of two instants
 */
export function instantOfLocalTime(
  start: Temporal.PlainDateTime,
  timeZone: string,
  givenUs: number | undefined,
  notes: string[],
): number {
  const earlier = start.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const later = start.toZonedDateTime(timeZone, { disambiguation: 'later' });
  const earlierUs = Number(earlier.epochNanoseconds / 1000n);
  const laterUs = Number(later.epochNanoseconds / 1000n);
  if (earlierUs === laterUs) return earlierUs;
  const wall = start.toString({ smallestUnit: 'second' }).replace('T', ' ');
  if (!earlier.toPlainDateTime().equals(start)) {
    notes.push(
      `The file starts at ${wall}, an hour that did not occur in ${timeZone}, because the clocks went forward. It was read as if they had not been changed yet: ${utc(later)}.`,
    );
    return laterUs;
  }
  const isSecond = givenUs !== undefined && Math.abs(givenUs - laterUs) < GIVEN_TOLERANCE_US;
  const taken = isSecond ? later : earlier;
  const other = isSecond ? earlier : later;
  notes.push(
    `The file starts at ${wall}, which occurred twice in ${timeZone}, because the clocks went back. The ${isSecond ? 'second was taken, as given' : 'first was taken'}: ${utc(taken)}. The other is ${utc(other)}.`,
  );
  return isSecond ? laterUs : earlierUs;
}

const utc = (time: Temporal.ZonedDateTime): string => time.toInstant().toString({ smallestUnit: 'second' });
