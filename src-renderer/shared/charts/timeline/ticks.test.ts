import { describe, expect, it } from 'vitest';
import { clockChanges, type DayClock, fixedZone, localDay } from '../../time/local-day.ts';
import { type AxisLabel, axisOf, shownTwice } from './ticks.ts';

const HOUR = 3_600_000;

/** The axis of a night and day, as wide as a usual window gives it. */
function axis(date: string, clock: DayClock, widthPx = 1180) {
  const { noonBeforeMs: startMs, nextMidnightMs: stopMs } = localDay(date, clock);
  const changes = clockChanges(startMs, stopMs, clock);
  return { ...axisOf({ startMs, stopMs, widthPx }, clock, changes), changes };
}

const words = (labels: AxisLabel[]) =>
  labels.filter(({ offset }) => offset).map(({ clock, offset, endsHere }) => [clock, offset, endsHere ?? false]);

describe('the axis of a day', () => {
  it('says the doubled hour twice with its offsets, however coarse the ticks are', () => {
    for (const widthPx of [620, 1180, 2000]) {
      const { labels, changes } = axis('2026-10-25', fixedZone('Europe/London'), widthPx);
      expect(words(labels)).toEqual([
        ['01:00', '+01:00', true],
        ['01:00', '+00:00', false],
      ]);
      const [twice] = shownTwice(changes);
      expect(twice.stopMs - twice.startMs).toBe(2 * HOUR);
    }
  });

  it('says what the clock skipped', () => {
    const { labels, changes } = axis('2026-03-29', fixedZone('Europe/London'));
    expect(words(labels)).toEqual([
      ['01:00', '+00:00', true],
      ['02:00', '+01:00', false],
    ]);
    expect(shownTwice(changes)).toEqual([]);
  });

  it('says both clocks at the moment that a zone changes', () => {
    const clock = [
      { fromTs: 0, timezone: 'Asia/Tokyo' },
      { fromTs: Date.parse('2026-11-10T04:37:00Z'), timezone: 'Europe/London' },
    ];
    const { labels, changes } = axis('2026-11-10', clock);
    expect(words(labels)).toEqual([
      ['13:37', '+09:00', true],
      ['04:37', '+00:00', false],
    ]);
    expect(shownTwice(changes)).toEqual([]);
  });

  it('has labels that do not touch each other', () => {
    const { labels, lines } = axis('2026-10-25', fixedZone('Europe/London'));
    expect(labels.length).toBeLessThan(lines.length + 2);
    expect(new Set(labels.map(({ ms, endsHere }) => `${ms} ${endsHere ?? ''}`)).size).toBe(labels.length);
    const plain = axis('2026-11-10', fixedZone('Europe/London'));
    expect(words(plain.labels)).toEqual([]);
    expect(plain.labels.find(({ date }) => date)?.date).toBe('2026-11-10');
  });
});
