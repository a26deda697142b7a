import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binChannels, CHANNEL_INTERVALS_MS, dailyMetrics } from '../../analytics/index.ts';
import { createSecondColumns } from '../../analytics/seconds.ts';
import { ACTIVITIES, type WindowResult } from '../../analytics/types.ts';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import type { DayClock } from '../../study/day-windows.ts';
import { seededRandom } from '../../testing/synthetic-ecg.ts';
import { touchedSpans } from '../analytics/touched-spans.ts';

const WALKING = ACTIVITIES.indexOf('MOVING:WALKING');
const SITTING = ACTIVITIES.indexOf('RESTING:SITTING');
const SLEEPING = ACTIVITIES.indexOf('SLEEPING:LYING');

/** Zones with DST changes within weeks of each other (by an hour, by half an hour), and some without DST. */
const ZONES = [
  'America/New_York',
  'Europe/London',
  'Australia/Lord_Howe',
  'Asia/Tokyo',
  'Asia/Kolkata',
  'Pacific/Auckland',
  'America/Los_Angeles',
];
/** DST changes of 2026 in those zones. */
const CHANGES = [Date.UTC(2026, 2, 8, 7), Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 3, 4, 15), Date.UTC(2026, 10, 1, 6)];

interface Trip {
  clock: DayClock;
  startMs: number;
  stopMs: number;
}

/** Generates a recording of one to two and a half days around a DST change, with up to two flights. */
const trip = fc
  .record({
    change: fc.constantFrom(...CHANGES),
    before: fc.integer({ min: 4, max: 40 }),
    hours: fc.integer({ min: 24, max: 60 }),
    zones: fc.array(fc.constantFrom(...ZONES), { minLength: 1, maxLength: 3 }),
    flights: fc.array(fc.integer({ min: 1, max: 3600 }), { minLength: 2, maxLength: 2 }),
  })
  .map(({ change, before, hours, zones, flights }): Trip => {
    const startMs = change - before * HOUR_MS;
    const stopMs = startMs + hours * HOUR_MS;
    const times = flights.map((minute) => startMs + (minute * MINUTE_MS * hours) / 60).sort((a, b) => a - b);
    const clock = zones.map((timezone, i) => ({ fromTs: i === 0 ? 0 : times[i - 1]!, timezone }));
    return { clock, startMs, stopMs };
  });

/** Every second is recorded. Each minute has one activity, so one-minute bins match the minutes per activity. */
function filledWindows({ clock, startMs, stopMs }: Trip): {
  windows: WindowResult[];
  days: ReturnType<typeof touchedSpans>['days'];
} {
  const spans = touchedSpans(startMs, stopMs, clock);
  const windows = spans.windows.map((window): WindowResult => {
    const count = (window.stopMs - window.startMs) / 1000;
    const seconds = createSecondColumns(window.startMs, count);
    const random = seededRandom(window.startMs / 1000);
    seconds.recorded.fill(1);
    seconds.worn.fill(1);
    for (let i = 0; i < count; i++) {
      // A second's values depend only on its time, not on its window.
      const second = window.startMs / 1000 + i;
      const minute = Math.floor(second / 60);
      seconds.activity[i] = [WALKING, SITTING, SLEEPING][minute % 3]!;
      seconds.asleep[i] = seconds.activity[i] === SLEEPING ? 1 : 0;
      seconds.steps[i] = seconds.activity[i] === WALKING ? second % 3 : 0;
      seconds.counts[i] = (second % 64) / 16;
      if (random() < 0.9) {
        seconds.rrCount[i] = 1;
        seconds.rrSumMs[i] = 700 + Math.floor(200 * random());
      }
    }
    return { window, seconds, sleep: [] };
  });
  return { windows, days: spans.days };
}

const sum = (values: readonly (number | null | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

describe('a subject who travels, on days of any length', () => {
  it('has each second in exactly one window and exactly one day', () => {
    fc.assert(
      fc.property(trip, ({ clock, startMs, stopMs }) => {
        const { windows, days } = touchedSpans(startMs, stopMs, clock);
        for (const spans of [windows, days]) {
          for (let i = 1; i < spans.length; i++) expect(spans[i]!.startMs).toBe(spans[i - 1]!.stopMs);
          expect(new Set(spans.map(({ date }) => date)).size).toBe(spans.length);
          for (const span of spans) expect(span.startMs % 1000).toBe(0);
        }
        expect(windows[0]!.startMs).toBeLessThanOrEqual(startMs);
        expect(windows[windows.length - 1]!.stopMs).toBeGreaterThanOrEqual(stopMs);
      }),
      { numRuns: 100 },
    );
  });

  it('has daily sums that add up to the seconds, and bins of every size that do too', () => {
    fc.assert(
      fc.property(trip, (one) => {
        const { windows, days } = filledWindows(one);
        const items = days.map((day) => dailyMetrics(day, windows));
        const [first, last] = [windows[0]!.window.startMs, windows[windows.length - 1]!.window.stopMs];
        const columns = windows.map(({ seconds }) => seconds);
        const base = binChannels(columns, 1000, first, last - 1).values;
        const stepsFrom = (fromMs: number, toMs: number): number =>
          sum(base.steps.slice(Math.max(0, (fromMs - first) / 1000), Math.max(0, (toMs - first) / 1000)));
        for (const [i, day] of days.entries()) {
          const seconds = (Math.min(day.stopMs, last) - Math.max(day.startMs, first)) / 1000;
          if (seconds < 3600) expect(items[i]).toBeNull();
          else {
            expect(items[i]?.metrics.SENSOR_WEAR_DURATION).toBe(seconds);
            expect(items[i]?.metrics.MOVING_STEPS).toBe(stepsFrom(day.startMs, day.stopMs));
          }
        }
        for (const interval of CHANNEL_INTERVALS_MS.slice(1)) {
          const { values } = binChannels(columns, interval, first, last - 1);
          expect(sum(values.steps)).toBe(sum(base.steps));
          expect(sum(values.combined_act_count)).toBe(sum(base.combined_act_count));
        }
        const asleep = sum(columns.map(({ asleep: column }) => column.reduce((total, value) => total + value, 0)));
        const nights = windows.map(({ window }) => items[days.findIndex(({ date }) => date === window.date)]);
        if (nights.every((item) => item))
          expect(sum(nights.map((item) => item?.metrics.SLEEPING_DURATION))).toBe(asleep);
      }),
      { numRuns: 5 },
    );
  });

  it('has daily heart rates that are the means of the minutes, weighted by their valid time', () => {
    let checked = 0;
    fc.assert(
      fc.property(trip, (one) => {
        const { windows, days } = filledWindows(one);
        const columns = windows.map(({ seconds }) => seconds);
        for (const day of days) {
          const item = dailyMetrics(day, windows);
          const covered =
            day.startMs >= columns[0]!.startMs && day.startMs % MINUTE_MS === 0 && day.stopMs % MINUTE_MS === 0;
          if (!item || !covered) continue;
          const { values } = binChannels(columns, MINUTE_MS, day.startMs, Math.min(day.stopMs, item.dataStopMs) - 1);
          let beats = 0;
          let milliseconds = 0;
          values.heart_rate.forEach((rate, m) => {
            if (rate === null || values.activity[m] !== 'MOVING:WALKING') return;
            const from = day.startMs + MINUTE_MS * m;
            for (const column of columns) {
              for (let k = 0; k < 60; k++) {
                const i = (from - column.startMs) / 1000 + k;
                if (i < 0 || i >= column.count) continue;
                beats += column.rrCount[i]!;
                milliseconds += column.rrSumMs[i]!;
              }
            }
          });
          checked++;
          expect(item.metrics.MOVING_AVG_HR).toBeCloseTo((MINUTE_MS * beats) / milliseconds, 6);
        }
      }),
      { numRuns: 8 },
    );
    expect(checked).toBeGreaterThan(4);
  });
});
