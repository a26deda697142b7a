import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { clockChangeNote, startAtOffset, startOfWallClock, wallClockOf } from './local-time.ts';
import { unitFactor, unitOffset } from './units.ts';

const wall = (text: string) => Temporal.PlainDateTime.from(text);
const instantUs = (text: string) => Date.parse(text) * 1000;

describe('a wall clock without a zone', () => {
  it('starts in the zone that a person gave, and says what the device showed', () => {
    const notes: string[] = [];
    const { startUs, clock } = startOfWallClock(
      wall('2019-02-26T10:55:06.062'),
      { timeZone: 'Europe/Helsinki' },
      notes,
    );
    expect(startUs).toBe(instantUs('2019-02-26T08:55:06.062Z'));
    expect(clock).toEqual({ kind: 'WALL_CLOCK', wallStart: '2019-02-26T10:55:06.062' });
    expect(notes).toEqual([]);
  });

  it('says that no zone was given', () => {
    const notes: string[] = [];
    const { startUs } = startOfWallClock(wall('2019-02-26T10:55:06'), {}, notes);
    expect(startUs).toBe(instantUs('2019-02-26T10:55:06Z'));
    expect(notes).toEqual([expect.stringContaining('without a time zone')]);
  });

  it('is kept to the microsecond', () => {
    const localUs = Date.UTC(2019, 1, 26, 10, 55, 6) * 1000 + 62_123;
    expect(startOfWallClock(wallClockOf(localUs), { timeZone: 'UTC' }, []).startUs).toBe(localUs);
  });
});

it('subtracts the offset that a file states', () => {
  const { startUs, clock } = startAtOffset(wall('2018-10-12T10:13:51'), 120);
  expect(startUs).toBe(instantUs('2018-10-12T08:13:51Z'));
  expect(clock).toMatchObject({ kind: 'OFFSET_IN_FILE', utcOffsetMinutes: 120 });
});

it('names a change of clocks inside a recording, and none outside', () => {
  const start = instantUs('2026-10-20T00:00:00Z');
  const day = 86_400e6;
  expect(clockChangeNote(start, start + 4 * day, 'Europe/Berlin')).toBeNull();
  expect(clockChangeNote(start, start + 7 * day, 'Asia/Tokyo')).toBeNull();
  expect(clockChangeNote(start, start + 7 * day, 'Europe/Berlin')).toMatch(/went back by 1 h at 2026-10-25T01:00:00Z/);
});

it.each([
  ['TEMPERATURE', '°C', 20, 20],
  ['TEMPERATURE', 'K', 293.15, 20],
  ['TEMPERATURE', '°F', 68, 20],
  ['MAGNETIC_FIELD', 'G', 0.5, 50],
  ['CONDUCTANCE', 'µS', 2, 2],
  ['PRESSURE', 'Pa', 101_325, 1013.25],
] as const)('converts %s in %s', (quantity, unit, value, stored) => {
  expect(value * unitFactor(quantity, unit)! + unitOffset(quantity, unit)).toBeCloseTo(stored, 9);
});
