import { describe, expect, it } from 'vitest';
import { durationText, isDue, isOpen, isRecent } from './clock-rules.ts';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const NOW = Date.UTC(2026, 2, 2);

describe('a stored time', () => {
  it('is due when it has come, or lies further ahead than it can have been set', () => {
    expect([-YEAR, -1, 0, 1, HOUR, 2 * HOUR, YEAR].map((ms) => isDue(NOW + ms, HOUR, NOW))).toEqual([
      true,
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  it('is open until it has come, and not when it lies further ahead than it can have been set', () => {
    expect([-YEAR, 0, 1, HOUR, 2 * HOUR, YEAR].map((ms) => isOpen(NOW + ms, HOUR, NOW))).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('is recent within the window before now, and never in the future', () => {
    expect([-YEAR, -HOUR, 1 - HOUR, 0, 1, YEAR].map((ms) => isRecent(NOW + ms, HOUR, NOW))).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
  });
});

it('durations are written in their two largest units', () => {
  const spans = [0, 3 * 60_000, HOUR, -25 * HOUR, 24 * HOUR, YEAR + 2 * HOUR];
  expect(spans.map(durationText)).toEqual(['0 min', '3 min', '1 h 0 min', '1 d 1 h', '1 d', '365 d 2 h']);
});
