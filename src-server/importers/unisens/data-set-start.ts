/** When a Unisens data set begins: a wall clock, with a zone, an offset or the same time in UTC where the header has one. */
import { basename } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { OutpostError } from '../../errors.ts';
import { instantOfLocalTime, type SourceStart, startAtOffset, startOfWallClock } from '../local-time.ts';
import type { ImportOptions } from '../types.ts';
import { requirePlausibleTime } from '../units.ts';
import type { UnisensHeader } from './unisens-header.ts';

export function startOfDataSet(
  path: string,
  { timestampStart, timestampStartUtc, timeZoneStart, customAttributes }: UnisensHeader,
  options: ImportOptions,
  notes: string[],
): SourceStart {
  const wall = attempt(() => Temporal.PlainDateTime.from(timestampStart.replace(/(?:Z|[+-]\d\d:?\d\d)$/, '')));
  const utcText = timestampStartUtc || (customAttributes.get('timestampstartutc') ?? '');
  const utc = attempt(() => Temporal.Instant.from(utcText));
  const offset = /(Z|[+-]\d\d:?\d\d)$/.exec(timestampStart)?.[1];
  const zone = timeZoneStart || (customAttributes.get('timezonestart') ?? customAttributes.get('timezone') ?? '');
  let start: SourceStart | undefined;
  if (wall && utc) {
    const minutes = (wallUs(wall) - utc.epochMilliseconds * 1000) / 60e6;
    if (Math.abs(minutes) <= 18 * 60) start = startAtOffset(wall, Math.round(minutes));
  }
  if (!start && wall && offset !== undefined) start = startAtOffset(wall, minutesOf(offset));
  if (!start && wall && zone !== '') start = inZone(wall, zone, options, notes);
  if (!start && wall) start = startOfWallClock(wall, options, notes);
  if (!start && options.defaultStartUs !== undefined) {
    notes.push('The header has no start; the one that was given was used.');
    start = { startUs: options.defaultStartUs, clock: { kind: 'UTC' } };
  }
  if (!start) {
    throw new OutpostError(
      'INVALID_INPUT',
      `${basename(path)} does not say when it was recorded. Give its start time, then import it again.`,
    );
  }
  requirePlausibleTime(path, start.startUs, { kind: 'ISO 8601' });
  return start;
}

function inZone(
  wall: Temporal.PlainDateTime,
  zone: string,
  options: ImportOptions,
  notes: string[],
): SourceStart | undefined {
  const startUs = attempt(() => instantOfLocalTime(wall, zone, options.defaultStartUs, notes));
  if (startUs === undefined) return undefined;
  return startAtOffset(wall, Math.round((wallUs(wall) - startUs) / 60e6));
}

const wallUs = (wall: Temporal.PlainDateTime): number => Number(wall.toZonedDateTime('UTC').epochNanoseconds / 1000n);

function minutesOf(offset: string): number {
  if (offset === 'Z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return offset.startsWith('-') ? -minutes : minutes;
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
