import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR_MS } from '../../../src-server/durations.ts';
import { parseTimeText, timeText } from './time-text.ts';

const ZONES = ['US/Eastern', 'Asia/Tokyo', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

it('parses every text that it wrote, in every zone', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), fc.constantFrom(...ZONES), (ms, zone) => {
      expect(parseTimeText(timeText(ms, zone), zone)).toBe(ms);
    }),
  );
});

it('distinguishes the two 01:30 of the night when clocks go back', () => {
  const first = Date.UTC(2026, 10, 1, 5, 30);
  expect(timeText(first, 'US/Eastern')).toBe('2026-11-01 01:30:00 -04:00');
  expect(timeText(first + HOUR_MS, 'US/Eastern')).toBe('2026-11-01 01:30:00 -05:00');
  expect(parseTimeText('2026-11-01 1:30', 'US/Eastern')).toBe(first);
});

it('accepts full-width digits and ISO 8601, and rejects anything else', () => {
  expect(parseTimeText('２０２６-１１-２０　１４:０５', 'Asia/Tokyo')).toBe(Date.UTC(2026, 10, 20, 5, 5));
  expect(parseTimeText('2026-11-20T14:05:30.250Z', 'Asia/Tokyo')).toBe(Date.UTC(2026, 10, 20, 14, 5, 30, 250));
  for (const wrong of ['', 'noon', '2026-11-20', '2026-02-30 10:00', '2026-03-08 02:30', '2026-11-20 25:00'])
    expect([wrong, parseTimeText(wrong, 'US/Eastern')]).toEqual([wrong, null]);
});
