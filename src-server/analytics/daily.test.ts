import { describe, expect, it } from 'vitest';
import { dailyMetrics } from './daily.ts';
import { isEpochMetric } from './epochs/metric-names.ts';
import { METRIC_NAMES } from './metric-names.ts';
import { createSecondColumns } from './seconds.ts';
import { ACTIVITIES, type SleepPeriod, type WindowResult } from './types.ts';

const HOUR = 3600;
const MIDNIGHT = Date.UTC(2026, 2, 10);
const code = (name: (typeof ACTIVITIES)[number]): number => ACTIVITIES.indexOf(name);

/** The window of a date that begins `hours` after MIDNIGHT. */
function windowAt(date: string, hours: number, length = 24, sleep: SleepPeriod[] = []): WindowResult {
  const startMs = MIDNIGHT + hours * HOUR * 1000;
  return {
    window: { date, startMs, stopMs: startMs + length * HOUR * 1000 },
    seconds: createSecondColumns(startMs, length * HOUR),
    sleep,
  };
}

function fill(
  window: WindowResult,
  fromHour: number,
  toHour: number,
  activity: (typeof ACTIVITIES)[number],
  rrMs: number,
): void {
  const from = Math.max(0, fromHour * HOUR - (window.window.startMs - MIDNIGHT) / 1000);
  const to = Math.min(window.seconds.count, toHour * HOUR - (window.window.startMs - MIDNIGHT) / 1000);
  for (let i = from; i < to; i++) {
    window.seconds.recorded[i] = 1;
    window.seconds.worn[i] = 1;
    window.seconds.activity[i] = code(activity);
    window.seconds.rrCount[i] = 1;
    window.seconds.rrSumMs[i] = rrMs;
    window.seconds.rrDiffCount[i] = 1;
    window.seconds.rrDiffSquaredMs2[i] = 400;
    window.seconds.counts[i] = 2;
    if (activity === 'SLEEPING:LYING') {
      window.seconds.asleep[i] = 1;
      window.seconds.respiration[i] = 14;
    }
  }
}

const day = { date: '2026-03-10', startMs: MIDNIGHT, stopMs: MIDNIGHT + 24 * HOUR * 1000 };

describe('daily metrics', () => {
  const onset = MIDNIGHT - HOUR * 1000;
  const wake = MIDNIGHT + 6 * HOUR * 1000;
  const night = windowAt('2026-03-10', -12, 24, [{ onsetMs: onset, wakeMs: wake }]);
  const next = windowAt('2026-03-11', 12);
  fill(night, -1, 6, 'SLEEPING:LYING', 1000);
  night.seconds.sleepingPosture.fill(1, 11 * HOUR, 13 * HOUR);
  night.seconds.sleepingPosture.fill(3, 13 * HOUR, 13 * HOUR + 20);
  night.seconds.sleepingPosture.fill(1, 13 * HOUR + 20, 14 * HOUR);
  night.seconds.sleepingPosture.fill(2, 14 * HOUR, 18 * HOUR);
  fill(night, 6, 12, 'RESTING:SITTING', 800);
  fill(next, 12, 13, 'MOVING:WALKING', 600);
  fill(next, 13, 13.5, 'MOVING:CYCLING', 500);
  next.seconds.steps.fill(2, 0, HOUR);
  fill(next, 13.5, 24, 'RESTING:STANDING', 750);
  fill(next, 24, 30, 'SLEEPING:LYING', 1000);
  const item = dailyMetrics(day, [night, next]);
  const metrics = item?.metrics ?? {};

  it('cover sleep from noon to noon and everything else from midnight to midnight', () => {
    expect(metrics).toMatchObject({
      SENSOR_WEAR_DURATION: 24 * HOUR,
      SLEEPING_DURATION: 7 * HOUR,
      SLEEPING_ONSET_TS: onset,
      SLEEPING_WAKE_TS: wake,
      SLEEPING_AVG_HR: 60,
      SLEEPING_AVG_RESPIRATION: 14,
      SLEEPING_COMBINED_ACT_COUNT: 14 * HOUR,
      RESTING_DURATION: 16.5 * HOUR,
      RESTING_SITTING_DURATION: 6 * HOUR,
      RESTING_STANDING_DURATION: 10.5 * HOUR,
      RESTING_LYING_DURATION: 0,
      RESTING_MIN_HR: 75,
      RESTING_MAX_HR: 80,
      MOVING_DURATION: 1.5 * HOUR,
      MOVING_WALKING_DURATION: HOUR,
      MOVING_OTHER_DURATION: 0.5 * HOUR,
      MOVING_STEPS: 2 * HOUR,
      MOVING_AVG_GAIT_CADENCE: 120,
      MOVING_MIN_HR: 100,
      MOVING_MAX_HR: 120,
      MOVING_AVG_HRV_RMSSD: 20,
    });
    expect(metrics.MOVING_AVG_HR).toBeCloseTo((60_000 * 1.5) / (600 + 250), 6);
    expect(item).toMatchObject({ dataStartMs: MIDNIGHT, dataStopMs: MIDNIGHT + 24 * HOUR * 1000 });
    expect(item?.validSeconds).toMatchObject({ MOVING: 1.5 * HOUR, RESTING: 16.5 * HOUR, SLEEPING: 7 * HOUR });
  });

  it('count posture changes that last', () => {
    expect(metrics.SLEEPING_POSTURE_TRANSITIONS).toBe(1);
  });

  it('omit metrics without data', () => {
    expect(metrics).not.toHaveProperty('RESTING_UPRIGHT_POSTURE_DURATION');
    expect(metrics).not.toHaveProperty('RESTING_AVG_HRV');
    expect(Object.values(metrics).every(Number.isFinite)).toBe(true);
    const known = new Set(METRIC_NAMES.map(({ name }) => name));
    expect(Object.keys(metrics).filter((name) => !known.has(name))).toEqual([]);
  });

  it('have no SLEEPING_ metric without sleep, and only wear without a motion sensor', () => {
    const awake = windowAt('2026-03-10', -12);
    fill(awake, 8, 12, 'RESTING:SITTING', 800);
    const names = Object.keys(dailyMetrics(day, [awake])?.metrics ?? {});
    expect(names.some((name) => name.startsWith('RESTING_'))).toBe(true);
    expect(names.some((name) => name.startsWith('SLEEPING_'))).toBe(false);
    const heartOnly = windowAt('2026-03-10', -12);
    fill(heartOnly, 8, 12, null, 800);
    expect(dailyMetrics(day, [heartOnly])?.metrics).toEqual({ SENSOR_WEAR_DURATION: 4 * HOUR });
  });

  it('are absent below an hour of recording', () => {
    const short = windowAt('2026-03-10', -12);
    fill(short, 8, 8.9, 'RESTING:SITTING', 800);
    expect(dailyMetrics(day, [short])).toBeNull();
  });

  it('cover 23 hours of a 23-hour day', () => {
    const spring = { date: '2026-03-10', startMs: MIDNIGHT, stopMs: MIDNIGHT + 23 * HOUR * 1000 };
    const first = windowAt('2026-03-10', -12, 23);
    const second = windowAt('2026-03-11', 11);
    fill(first, -12, 11, 'RESTING:SITTING', 800);
    fill(second, 11, 35, 'RESTING:SITTING', 800);
    expect(dailyMetrics(spring, [first, second])?.metrics.RESTING_DURATION).toBe(23 * HOUR);
  });
});

/** The daily metrics that the interface lists, by state. */
const RATE_METRICS = [
  'AVG_HR',
  'AVG_HRV',
  'AVG_HRV_RMSSD',
  'MAX_HR',
  'MAX_HRV',
  'MAX_HRV_RMSSD',
  'MIN_HR',
  'MIN_HRV',
  'MIN_HRV_RMSSD',
];

const METRICS_OF_STATE: Record<string, readonly string[]> = {
  MOVING: [
    ...RATE_METRICS,
    'AVG_GAIT_CADENCE',
    'COMBINED_ACT_COUNT',
    'DURATION',
    'OTHER_DURATION',
    'STEPS',
    'WALKING_DURATION',
  ],
  RESTING: [
    ...RATE_METRICS,
    'COMBINED_ACT_COUNT',
    'DURATION',
    'LEANING_POSTURE_DURATION',
    'LYING_DURATION',
    'SITTING_DURATION',
    'STANDING_DURATION',
    'UPRIGHT_POSTURE_DURATION',
  ],
  SLEEPING: [
    ...RATE_METRICS,
    'AVG_RESPIRATION',
    'COMBINED_ACT_COUNT',
    'DURATION',
    'MAX_RESPIRATION',
    'MIN_RESPIRATION',
    'ONSET_TS',
    'POSTURE_TRANSITIONS',
    'WAKE_TS',
  ],
};

function unitOf(name: string): string {
  if (name.endsWith('_GAIT_CADENCE')) return 'steps_per_minute';
  if (name.endsWith('_HR')) return 'bpm';
  if (name.endsWith('_HRV_RMSSD')) return 'milliseconds';
  if (name.endsWith('_HRV')) return 'lf_hf';
  if (name.endsWith('_ACT_COUNT')) return 'count';
  if (name.endsWith('_DURATION')) return 'seconds';
  if (name.endsWith('_STEPS')) return 'steps';
  if (name.endsWith('_RESPIRATION')) return 'breaths_per_minute';
  if (name.endsWith('_TRANSITIONS')) return 'transitions';
  return 'utc_milliseconds';
}

const isOfInterface = (name: string): boolean => !name.startsWith('HEART_') && !isEpochMetric(name);

describe('metric names', () => {
  it('are the 49 of the interface with their units, those of the heart over the whole day and those of epochs', () => {
    expect(METRIC_NAMES.filter(({ name }) => isOfInterface(name)).length).toBe(49);
    const ofStates = Object.entries(METRICS_OF_STATE).flatMap(([state, names]) =>
      names.map((name) => `${state}_${name}`),
    );
    const expected = [...ofStates, 'SENSOR_WEAR_DURATION'].sort().map((name) => [name, unitOf(name)]);
    const ofInterface = METRIC_NAMES.filter(({ name }) => isOfInterface(name));
    expect(ofInterface.map(({ name, unit }) => [name, unit])).toEqual(expected);
    expect(METRIC_NAMES.map(({ name }) => name)).toEqual(METRIC_NAMES.map(({ name }) => name).sort());
  });
});
