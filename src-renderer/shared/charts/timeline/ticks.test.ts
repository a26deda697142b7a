import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import { clockChanges, type DayClock, fixedZone, localDay } from '../../time/local-day.ts';
import { type AxisLabel, axisOf, shownTwice } from './ticks.ts';

/** The axis of a night and day at the width of an ordinary window. */
function axis(date: string, clock: DayClock, widthPx = 1180) {
  const { noonBeforeMs: startMs, nextMidnightMs: stopMs } = localDay(date, clock);
  const changes = clockChanges(startMs, stopMs, clock);
  return { ...axisOf({ startMs, stopMs, widthPx }, clock, changes), changes };
}

const words = (jumps: AxisLabel[]) => jumps.map(({ clock, offset, endsHere }) => [clock, offset, endsHere ?? false]);

describe('the axis of a day', () => {
  it('labels the repeated hour twice with its offsets, at every tick step', () => {
    for (const widthPx of [620, 1180, 2000]) {
      const { jumps, changes } = axis('2026-10-25', fixedZone('Europe/London'), widthPx);
      expect(words(jumps)).toEqual([
        ['01:00', '+01:00', true],
        ['01:00', '+00:00', false],
      ]);
      const twice = shownTwice(changes)[0]!;
      expect(twice.stopMs - twice.startMs).toBe(2 * HOUR_MS);
    }
  });

  it('labels both sides of a skipped hour', () => {
    const { jumps, changes } = axis('2026-03-29', fixedZone('Europe/London'));
    expect(words(jumps)).toEqual([
      ['01:00', '+00:00', true],
      ['02:00', '+01:00', false],
    ]);
    expect(shownTwice(changes)).toEqual([]);
  });

  it('labels both clocks at a change of zone', () => {
    const clock = [
      { fromTs: 0, timezone: 'Asia/Tokyo' },
      { fromTs: Date.parse('2026-11-10T04:37:00Z'), timezone: 'Europe/London' },
    ];
    const { jumps, changes } = axis('2026-11-10', clock);
    expect(words(jumps)).toEqual([
      ['13:37', '+09:00', true],
      ['04:37', '+00:00', false],
    ]);
    expect(shownTwice(changes)).toEqual([]);
  });

  it('keeps the date at the midnight next to a change, and labels no change on a plain day', () => {
    const { labels } = axis('2026-10-25', fixedZone('Europe/London'));
    expect(labels.find(({ date }) => date)?.date).toBe('2026-10-25');
    const plain = axis('2026-11-10', fixedZone('Europe/London'));
    expect(plain.jumps).toEqual([]);
    expect(plain.labels.find(({ date }) => date)?.date).toBe('2026-11-10');
  });

  it('has no label that overlaps another or the edge', () => {
    const { labels, lines } = axis('2026-11-10', fixedZone('Asia/Tokyo'), 620);
    const px = ({ ms }: { ms: number }) => ((ms - lines[0]!.ms) / (36 * HOUR_MS)) * 620;
    expect(labels.every((label, i) => i === 0 || px(label) - px(labels[i - 1]!) >= 38)).toBe(true);
    expect(px(labels[labels.length - 1]!)).toBeLessThanOrEqual(620 - 38);
  });
});
