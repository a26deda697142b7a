/** Converts wall-clock times to instants, for formats whose headers hold local times. */
import { Temporal } from 'temporal-polyfill';
import type { ImportOptions, SourceClock } from './types.ts';

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

/** Where a recording starts, and what its file says of that. */
export interface SourceStart {
  startUs: number;
  clock: SourceClock;
}

/**
 * The start of a file that holds a wall clock without a zone: read in the zone of the options. The zone applies to the start alone, later
 * samples follow by elapsed time, because no recorder follows daylight saving.
 */
export function startOfWallClock(start: Temporal.PlainDateTime, options: ImportOptions, notes: string[]): SourceStart {
  const clock: SourceClock = { kind: 'WALL_CLOCK', wallStart: wallText(start) };
  if (options.timeZone === undefined) {
    notes.push('The file holds local times without a time zone. They were read as UTC, because no zone was given.');
  }
  return { startUs: instantOfLocalTime(start, options.timeZone ?? 'UTC', options.defaultStartUs, notes), clock };
}

/** The start of a file that holds a wall clock and its offset from UTC. */
export function startAtOffset(start: Temporal.PlainDateTime, utcOffsetMinutes: number): SourceStart {
  const asUtcUs = Number(start.toZonedDateTime('UTC').epochNanoseconds / 1000n);
  return {
    startUs: asUtcUs - utcOffsetMinutes * 60_000_000,
    clock: { kind: 'OFFSET_IN_FILE', wallStart: wallText(start), utcOffsetMinutes },
  };
}

/** The wall clock of a device, from microseconds that count it as if it were UTC. */
export const wallClockOf = (localUs: number): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochNanoseconds(BigInt(Math.round(localUs)) * 1000n)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime();

const wallText = (wall: Temporal.PlainDateTime): string => wall.toString({ smallestUnit: 'millisecond' });

/**
 * A note when the clocks of a zone changed while a device recorded: its own clock did not follow, so wall-clock times after the
 * change are those of the old offset. Null without such a change.
 */
export function clockChangeNote(startUs: number, stopUs: number, timeZone: string): string | null {
  const start = Temporal.Instant.fromEpochMilliseconds(Math.floor(startUs / 1000)).toZonedDateTimeISO(timeZone);
  const change = start.getTimeZoneTransition('next');
  if (!change || change.epochMilliseconds * 1000 > stopUs) return null;
  const hours = Math.abs(change.offsetNanoseconds - start.offsetNanoseconds) / 3.6e12;
  const direction = change.offsetNanoseconds > start.offsetNanoseconds ? 'forward' : 'back';
  return `The clocks in ${timeZone} went ${direction} by ${hours} h at ${utc(change)}, inside the recording. The device's clock did not follow: times after it are counted from the start.`;
}

const utc = (time: Temporal.ZonedDateTime): string => time.toInstant().toString({ smallestUnit: 'second' });
