import { expect, it } from 'vitest';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import { fixedZone, localDay } from '../../../shared/time/local-day.ts';
import type { DayData } from '../lanes/day-data.ts';
import type { WeekDay } from './use-week.ts';
import { activitySeconds, weekCsv, weekRows } from './week-rows.ts';

const zone = fixedZone('Etc/UTC');

function dayOf(date: string, more: Partial<WeekDay> = {}): WeekDay {
  return { date, day: localDay(date, zone), canOpen: true, hasRecording: false, data: undefined, ...more };
}

/** An hour of walking at 90 bpm from midnight; the rest of the day has no recording. */
function walked(date: string): WeekDay {
  const { midnightMs, nextMidnightMs } = localDay(date, zone);
  const walk = { startMs: midnightMs, stopMs: midnightMs + HOUR_MS };
  const series = (value: number) => ({ times: [midnightMs], values: [value], intervalMs: 60_000 });
  const none = { times: [], values: [], intervalMs: 60_000 };
  const data: DayData = {
    window: { startMs: midnightMs, stopMs: nextMidnightMs },
    heartRate: series(90),
    heartRateFine: series(90),
    variability: none,
    respiration: none,
    steps: series(100),
    activity: [{ ...walk, value: 'MOVING:WALKING' }],
    posture: [],
    wear: [{ ...walk, value: 'worn' }],
    gaps: [{ startMs: walk.stopMs, stopMs: nextMidnightMs }],
    untilMs: nextMidnightMs,
    isAnalysed: true,
  };
  return dayOf(date, { hasRecording: true, data });
}

const week = [walked('2026-03-02'), dayOf('2026-03-03'), dayOf('2026-03-04', { canOpen: false })];
const rows = weekRows(week, new Map([['2026-03-02', { SENSOR_WEAR_DURATION: 3600, RESTING_AVG_HR: 61.234 }]]));

it('distinguishes zero seconds of an activity from an unclassified day', () => {
  expect(rows.map((row) => activitySeconds(row, 'MOVING:WALKING'))).toEqual([3600, undefined, undefined]);
  expect(activitySeconds(rows[0]!, 'RESTING:SITTING')).toBe(0);
});

it('writes a row for each day of the subject, with unknown values empty', () => {
  const [header, ...lines] = weekCsv(rows).trimEnd().split('\n');
  const columns = header!.split(',').map((name) => name.slice(1, -1));
  const cells = lines.map((line) => line.split(',').map((cell) => cell.slice(1, -1)));
  const column = (name: string) => cells.map((line) => line[columns.indexOf(name)]);
  expect(column('DATE')).toEqual(['2026-03-02', '2026-03-03']);
  expect(column('NO_RECORDING (seconds)')).toEqual(['82800', '86400']);
  expect(column('MOVING:WALKING (seconds)')).toEqual(['3600', '']);
  expect(column('HEART_RATE_MEAN (bpm)')).toEqual(['90.00', '']);
  expect(column('RESTING_AVG_HR (bpm)')).toEqual(['61.23', '']);
  expect(column('SENSOR_WEAR_DURATION (seconds)')).toEqual(['3600', '']);
});
