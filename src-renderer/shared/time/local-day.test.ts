import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src-server/durations.ts';
import {
  addDays,
  clockChanges,
  clockReading,
  clockTicks,
  datesBetween,
  fixedZone,
  latestToday,
  localDate,
  localDay,
  tickStepHours,
  zonesBetween,
} from './local-day.ts';

const NEW_YORK = fixedZone('America/New_York');
const BERLIN = fixedZone('Europe/Berlin');

describe('local days', () => {
  it('has 24 hours on a plain day, and a night from noon to noon', () => {
    const day = localDay('2026-03-04', fixedZone('Asia/Tokyo'));
    expect(day.nextMidnightMs - day.midnightMs).toBe(24 * HOUR_MS);
    expect(day.noonMs - day.noonBeforeMs).toBe(24 * HOUR_MS);
    expect(day.midnightMs).toBe(Date.parse('2026-03-03T15:00:00Z'));
  });

  it('takes the latest date of several zones, and UTC without a zone', () => {
    const nowMs = Date.parse('2026-03-04T23:30:00Z');
    expect(latestToday(['America/New_York', 'Asia/Tokyo', 'UTC', 'Asia/Tokyo'], nowMs)).toBe('2026-03-05');
    expect(latestToday(['America/New_York'], nowMs + HOUR_MS)).toBe('2026-03-04');
    expect(latestToday([], nowMs)).toBe('2026-03-04');
  });

  it('has 23 hours when clocks go forward; the night before noon is short too', () => {
    const day = localDay('2026-03-29', fixedZone('Europe/Berlin'));
    expect(day.nextMidnightMs - day.midnightMs).toBe(23 * HOUR_MS);
    expect(day.noonMs - day.noonBeforeMs).toBe(23 * HOUR_MS);
  });

  it('has 25 hours when clocks go back', () => {
    const day = localDay('2026-11-01', fixedZone('America/New_York'));
    expect(day.nextMidnightMs - day.midnightMs).toBe(25 * HOUR_MS);
  });

  it('starts at the first instant where midnight is skipped', () => {
    const day = localDay('2018-11-04', fixedZone('America/Sao_Paulo'));
    expect(clockReading(day.midnightMs, fixedZone('America/Sao_Paulo')).clock).toBe('01:00');
    expect(day.nextMidnightMs - day.midnightMs).toBe(23 * HOUR_MS);
  });

  it('knows the local date of an instant on either side of the date line', () => {
    const ms = Date.parse('2026-03-03T23:30:00Z');
    expect(localDate(ms, 'Asia/Tokyo')).toBe('2026-03-04');
    expect(localDate(ms, 'America/Chicago')).toBe('2026-03-03');
  });

  it('counts dates over a month end', () => {
    expect(addDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(datesBetween('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });
});

describe('clock ticks', () => {
  it('has two ticks at 01:00 on a day of 25 hours', () => {
    const day = localDay('2026-11-01', NEW_YORK);
    const ticks = clockTicks(day.midnightMs, day.nextMidnightMs, NEW_YORK, 1);
    const ones = ticks.filter((tick) => tick.clock === '01:00');
    expect(ones[1]!.ms - ones[0]!.ms).toBe(HOUR_MS);
    expect(ticks).toHaveLength(26);
  });

  it('has no tick in a skipped hour, and reports the change', () => {
    const day = localDay('2026-03-29', BERLIN);
    const ticks = clockTicks(day.midnightMs, day.nextMidnightMs, BERLIN, 1);
    expect(ticks.some((tick) => tick.clock === '02:00')).toBe(false);
    const [change] = clockChanges(day.midnightMs, day.nextMidnightMs, BERLIN);
    expect(change).toMatchObject({
      shiftMs: HOUR_MS,
      before: '+01:00',
      after: '+02:00',
      clockBefore: '02:00',
      clockAfter: '03:00',
    });
    expect(ticks.find((tick) => tick.clock === '03:00')!.ms).toBe(change!.atMs);
  });

  it('follows zones with half and quarter hours', () => {
    const day = localDay('2026-06-01', fixedZone('Asia/Kathmandu'));
    const ticks = clockTicks(day.midnightMs, day.nextMidnightMs, fixedZone('Asia/Kathmandu'), 6);
    expect(ticks.map((tick) => tick.clock)).toEqual(['00:00', '06:00', '12:00', '18:00', '00:00']);
    expect(ticks[0]).toMatchObject({ isMidnight: true });
  });

  it('uses larger steps in a narrower plot', () => {
    expect(tickStepHours(36 * HOUR_MS, 1100, 60)).toBe(2);
    expect(tickStepHours(36 * HOUR_MS, 500, 60)).toBe(6);
    expect(tickStepHours(1 * HOUR_MS, 1100, 60)).toBe(0.25);
  });
});

describe('the clock of a subject who travels', () => {
  const landedMs = Date.parse('2026-10-24T11:37:00Z');
  const clock = [
    { fromTs: 0, timezone: 'Asia/Tokyo' },
    { fromTs: landedMs, timezone: 'Europe/London' },
  ];

  it('has a change where the zone changes, and later the clock changes of the new zone', () => {
    const changes = clockChanges(Date.parse('2026-10-24T00:00:00Z'), Date.parse('2026-10-26T00:00:00Z'), clock);
    expect(changes).toEqual([
      {
        atMs: landedMs,
        shiftMs: -8 * HOUR_MS,
        before: '+09:00',
        after: '+01:00',
        clockBefore: '20:37',
        clockAfter: '12:37',
        zones: { before: 'Asia/Tokyo', after: 'Europe/London' },
      },
      expect.objectContaining({ atMs: Date.parse('2026-10-25T01:00:00Z'), before: '+01:00', after: '+00:00' }),
    ]);
    expect(zonesBetween(landedMs - HOUR_MS, landedMs + HOUR_MS, clock)).toEqual(['Asia/Tokyo', 'Europe/London']);
    expect(zonesBetween(landedMs, landedMs + HOUR_MS, clock)).toEqual(['Europe/London']);
  });

  it('has a day as long as the subject lived it, and reads each instant in the zone of that time', () => {
    const day = localDay('2026-10-24', clock);
    expect(day.nextMidnightMs - day.midnightMs).toBe(32 * HOUR_MS);
    expect(clockReading(landedMs - 60_000, clock)).toEqual({ date: '2026-10-24', clock: '20:36', offset: '+09:00' });
    expect(clockReading(landedMs, clock)).toEqual({ date: '2026-10-24', clock: '12:37', offset: '+01:00' });
  });

  it('has a change between zones of the same time too', () => {
    const [change] = clockChanges(0, 10 * HOUR_MS, [
      { fromTs: 0, timezone: 'Asia/Tokyo' },
      { fromTs: 5 * HOUR_MS, timezone: 'Asia/Seoul' },
    ]);
    expect(change).toMatchObject({ shiftMs: 0, zones: { before: 'Asia/Tokyo', after: 'Asia/Seoul' } });
  });
});
