import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src-server/durations.ts';
import { unionSpans } from '../../shared/charts/bands.ts';
import { fixedZone, localDay } from '../../shared/time/local-day.ts';
import { dayOptions, dayToOpen } from './day-options.ts';

const FIRST = Date.parse('2026-01-01T09:00:00Z');
const recording = (startTs: number, stopTs: number) => ({ startTs, stopTs });
const inMs = (spans: { startTs: number; stopTs: number }[]) =>
  spans.map(({ startTs, stopTs }) => ({ startMs: startTs, stopMs: stopTs }));
/** Two sensors a day, with a pause, a missing week, and nights that cross midnight. */
const recorded = Array.from({ length: 300 }, (_, day) => day)
  .filter((day) => day < 100 || day > 107)
  .flatMap((day) => [
    recording(FIRST + day * DAY_MS, FIRST + day * DAY_MS + 10 * HOUR_MS),
    recording(FIRST + day * DAY_MS + 11 * HOUR_MS, FIRST + day * DAY_MS + 21 * HOUR_MS),
  ]);
const timezones = [...fixedZone('Europe/Berlin')];

it('counts the recorded time of every day, including days without data', () => {
  const days = dayOptions({ timezones, createdTs: FIRST, recorded }, FIRST + 301 * DAY_MS);
  expect(days).toHaveLength(302);
  for (const { date, recordedSeconds } of days) {
    const { midnightMs, nextMidnightMs } = localDay(date, timezones);
    const spans = unionSpans(inMs(recorded), midnightMs, nextMidnightMs);
    expect(recordedSeconds, date).toBe(spans.reduce((sum, span) => sum + span.stopMs - span.startMs, 0) / 1000);
  }
  expect(days.filter(({ recordedSeconds }) => recordedSeconds === 0).length).toBeGreaterThan(6);
  expect(dayToOpen(days)).toBe('2026-10-27');
});

it('leaves out a date that a zone skipped, and follows a traveller', () => {
  const start = Date.parse('2011-12-25T12:00:00Z');
  const clock = [
    { fromTs: 0, timezone: 'Pacific/Apia' },
    { fromTs: Date.parse('2012-01-03T00:00:00Z'), timezone: 'Europe/London' },
  ];
  const own = Array.from({ length: 20 }, (_, day) =>
    recording(start + day * DAY_MS, start + day * DAY_MS + 8 * HOUR_MS),
  );
  const days = dayOptions({ timezones: clock, createdTs: start, recorded: own }, start + 21 * DAY_MS);
  expect(days.map(({ date }) => date)).not.toContain('2011-12-30');
  for (const { date, recordedSeconds } of days) {
    const { midnightMs, nextMidnightMs } = localDay(date, clock);
    const spans = unionSpans(inMs(own), midnightMs, nextMidnightMs);
    expect(recordedSeconds, date).toBe(spans.reduce((sum, span) => sum + span.stopMs - span.startMs, 0) / 1000);
  }
});
