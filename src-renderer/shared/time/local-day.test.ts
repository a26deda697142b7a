import { describe, expect, it } from 'vitest';
import {
  addDays,
  clockReading,
  clockTicks,
  datesBetween,
  localDate,
  localDay,
  offsetChanges,
  tickStepHours,
} from './local-day.ts';

const HOUR = 3_600_000;

describe('local days', () => {
  it('has 24 hours on a plain day, and a night from noon to noon', () => {
    const day = localDay('2026-03-04', 'Asia/Tokyo');
    expect(day.nextMidnightMs - day.midnightMs).toBe(24 * HOUR);
    expect(day.noonMs - day.noonBeforeMs).toBe(24 * HOUR);
    expect(day.midnightMs).toBe(Date.parse('2026-03-03T15:00:00Z'));
  });

  it('has 23 hours when clocks go forward; the night before noon is short too', () => {
    const day = localDay('2026-03-29', 'Europe/Berlin');
    expect(day.nextMidnightMs - day.midnightMs).toBe(23 * HOUR);
    expect(day.noonMs - day.noonBeforeMs).toBe(23 * HOUR);
  });

  it('has 25 hours when clocks go back', () => {
    const day = localDay('2026-11-01', 'America/New_York');
    expect(day.nextMidnightMs - day.midnightMs).toBe(25 * HOUR);
  });

  it('starts at the first instant where midnight is skipped', () => {
    const day = localDay('2018-11-04', 'America/Sao_Paulo');
    expect(clockReading(day.midnightMs, 'America/Sao_Paulo').clock).toBe('01:00');
    expect(day.nextMidnightMs - day.midnightMs).toBe(23 * HOUR);
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
  it('shows 01:00 twice on the 25-hour day, told apart by offset', () => {
    const day = localDay('2026-11-01', 'America/New_York');
    const ticks = clockTicks(day.midnightMs, day.nextMidnightMs, 'America/New_York', 1);
    const ones = ticks.filter((tick) => tick.clock === '01:00');
    expect(ones.map((tick) => tick.offset)).toEqual(['-04:00', '-05:00']);
    expect(ones[1].ms - ones[0].ms).toBe(HOUR);
    expect(ticks).toHaveLength(26);
  });

  it('skips the hour that does not exist and reports the change', () => {
    const day = localDay('2026-03-29', 'Europe/Berlin');
    const ticks = clockTicks(day.midnightMs, day.nextMidnightMs, 'Europe/Berlin', 1);
    expect(ticks.some((tick) => tick.clock === '02:00')).toBe(false);
    const [change] = offsetChanges(day.midnightMs, day.nextMidnightMs, 'Europe/Berlin');
    expect(change).toMatchObject({ shiftMs: HOUR, before: '+01:00', after: '+02:00' });
    expect(ticks.find((tick) => tick.clock === '03:00')!.ms).toBe(change.atMs);
  });

  it('follows zones with half and quarter hours', () => {
    const day = localDay('2026-06-01', 'Asia/Kathmandu');
    const ticks = clockTicks(day.midnightMs, day.nextMidnightMs, 'Asia/Kathmandu', 6);
    expect(ticks.map((tick) => tick.clock)).toEqual(['00:00', '06:00', '12:00', '18:00', '00:00']);
    expect(ticks[0]).toMatchObject({ isMidnight: true });
    expect(ticks.every((tick) => tick.offset === undefined)).toBe(true);
  });

  it('coarsens as the plot narrows', () => {
    expect(tickStepHours(36 * HOUR, 1100, 60)).toBe(2);
    expect(tickStepHours(36 * HOUR, 500, 60)).toBe(6);
    expect(tickStepHours(1 * HOUR, 1100, 60)).toBe(0.25);
  });
});
