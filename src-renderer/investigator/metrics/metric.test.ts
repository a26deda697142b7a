import { describe, expect, it } from 'vitest';
import { EPOCH_METRICS } from '../../../src-server/analytics/epochs/metric-names.ts';
import { METRIC_NAMES } from '../../../src-server/analytics/metric-names.ts';
import { formatOf } from '../../shared/i18n/format.ts';
import { fixedZone } from '../../shared/time/local-day.ts';
import {
  EPOCH_NAMES,
  hasRow,
  isPartialDay,
  LEADING,
  leadingOf,
  listedOf,
  metricText,
  quantile,
  RHYTHM_NAMES,
  ROWS,
  SINGLES,
  STATES,
  secondsBehind,
  singlesOf,
  trendRange,
  unitOf,
  WHOLE_DAY_WEAR_S,
} from './metric.ts';

/** The 49 metric names of the interface. */
const stats = ['HR', 'HRV', 'HRV_RMSSD'].flatMap((kind) => ['AVG', 'MIN', 'MAX'].map((stat) => `${stat}_${kind}`));
const NAMES = [
  ...[
    'AVG_GAIT_CADENCE',
    'COMBINED_ACT_COUNT',
    'DURATION',
    'OTHER_DURATION',
    'STEPS',
    'WALKING_DURATION',
    ...stats,
  ].map((name) => `MOVING_${name}`),
  ...[
    'COMBINED_ACT_COUNT',
    'DURATION',
    'LEANING_POSTURE_DURATION',
    'LYING_DURATION',
    'SITTING_DURATION',
    'STANDING_DURATION',
    'UPRIGHT_POSTURE_DURATION',
    ...stats,
  ].map((name) => `RESTING_${name}`),
  ...['AVG', 'MIN', 'MAX'].map((stat) => `SLEEPING_${stat}_RESPIRATION`),
  ...['COMBINED_ACT_COUNT', 'DURATION', 'ONSET_TS', 'POSTURE_TRANSITIONS', 'WAKE_TS', ...stats].map(
    (name) => `SLEEPING_${name}`,
  ),
  'SENSOR_WEAR_DURATION',
];
/** Those of the whole day. */
const FURTHER = METRIC_NAMES.filter(({ name }) => name.startsWith('HEART_'));

describe('daily metrics on the page', () => {
  it('shows every name somewhere, the 49 of the interface and those of the whole day', () => {
    expect(NAMES).toHaveLength(49);
    const shown = new Set<string>([
      ...STATES.flatMap((state) => ROWS.filter((row) => hasRow(state, row)).map((row) => `${state}_${row}`)),
      ...SINGLES.flatMap((group) => group.names),
      ...RHYTHM_NAMES,
      ...LEADING,
    ]);
    const names = [...NAMES, ...FURTHER.map(({ name }) => name)];
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
    expect([...shown].filter((name) => !names.includes(name))).toEqual([]);
    expect(FURTHER.map(({ name }) => unitOf(name))).toEqual(FURTHER.map(({ unit }) => unit));
  });

  it('shows every metric of epochs, with its unit, on days that have it', () => {
    expect([...EPOCH_NAMES].sort()).toEqual(EPOCH_METRICS.map(({ name }) => name).sort());
    for (const { name, unit } of EPOCH_METRICS) expect([name, unitOf(name)]).toEqual([name, unit]);
    const wrist = { ACCELERATION_AVG_ENMO: 20, INTENSITY_MVPA_DURATION: 60 };
    expect(singlesOf([{}])).toEqual(SINGLES);
    expect(singlesOf([{}, wrist]).map(({ group }) => group)).toContain('intensity');
    expect(leadingOf([wrist])).toContain('INTENSITY_MVPA_DURATION');
    expect(leadingOf([{ ...wrist, MOVING_DURATION: 60 }])).toBe(LEADING);
  });

  it('returns the unit of each metric', () => {
    expect(unitOf('RESTING_AVG_HRV')).toBe('lf_hf');
    expect(unitOf('RESTING_AVG_HRV_RMSSD')).toBe('milliseconds');
    expect(unitOf('MOVING_AVG_GAIT_CADENCE')).toBe('steps_per_minute');
    expect(unitOf('SLEEPING_ONSET_TS')).toBe('utc_milliseconds');
    expect(unitOf('RESTING_COMBINED_ACT_COUNT')).toBe('count');
    expect(unitOf('SLEEPING_AVG_RESPIRATION')).toBe('breaths_per_minute');
  });

  it('writes durations in hours and times in the subject’s zone', () => {
    const format = formatOf('en');
    expect(metricText('SLEEPING_DURATION', 26_100, format, fixedZone('UTC'))).toBe('7 h 15 min');
    expect(metricText('SLEEPING_ONSET_TS', Date.parse('2026-03-03T14:05:00Z'), format, fixedZone('Asia/Tokyo'))).toBe(
      '23:05',
    );
    expect(metricText('MOVING_STEPS', 8211, format, fixedZone('UTC'))).toBe('8,211');
  });
});

it('bases heart metrics on valid beats, other metrics on the time in their state, and times of day on nothing', () => {
  const valid = { WEAR: 9000, SLEEPING: 7000, SLEEPING_HR: 6500, MOVING: 0, MOVING_HR: 0 };
  expect(secondsBehind('SLEEPING_AVG_HR', valid)).toBe(6500);
  expect(secondsBehind('SLEEPING_MAX_HRV_RMSSD', valid)).toBe(6500);
  expect(secondsBehind('SLEEPING_AVG_RESPIRATION', valid)).toBe(7000);
  expect(secondsBehind('SLEEPING_DURATION', valid)).toBeUndefined();
  expect(secondsBehind('MOVING_STEPS', valid)).toBeUndefined();
  expect(secondsBehind('SENSOR_WEAR_DURATION', valid)).toBeUndefined();
});

it('lists the metrics of a day with and without a value, each once and the headlines first', () => {
  const listed = listedOf({ HEART_PAUSES: 0 });
  expect(listed.slice(0, LEADING.length)).toEqual(LEADING);
  expect(new Set(listed).size).toBe(listed.length);
  for (const name of ['RESTING_AVG_HR', 'SLEEPING_AVG_RESPIRATION', 'MOVING_STEPS', ...RHYTHM_NAMES])
    expect(listed).toContain(name);
  for (const name of ['MOVING_AVG_RESPIRATION', ...EPOCH_NAMES.filter((one) => one.startsWith('COUNTS_'))])
    expect(listed).not.toContain(name);
});

it('calls a day partial with less than 16 hours of wear, and no day whose wear is unknown', () => {
  expect(isPartialDay({ SENSOR_WEAR_DURATION: 8 * 3600, MOVING_STEPS: 0 })).toBe(true);
  expect(isPartialDay({ SENSOR_WEAR_DURATION: WHOLE_DAY_WEAR_S })).toBe(false);
  expect(isPartialDay({ MOVING_STEPS: 12 })).toBe(false);
});

it('bases counts of ectopic beats on readable ECG, and the burden of atrial fibrillation on the time analysed for it', () => {
  const valid = { HEART_READABLE: 4000, HEART_AF: 5000, HEART_NN: 3000 };
  expect(secondsBehind('HEART_ECTOPIC_SUPRAVENTRICULAR_RATE', valid)).toBe(4000);
  expect(secondsBehind('HEART_AF_BURDEN_UPPER', valid)).toBe(5000);
  expect(secondsBehind('HEART_AF_ANALYSABLE_DURATION', valid)).toBeUndefined();
});

it('starts the axis of amounts at zero and does not magnify small differences of rates', () => {
  expect(trendRange('MOVING_STEPS', 8000, 12_000).low).toBe(0);
  const heart = trendRange('RESTING_AVG_HR', 59.1, 59.6);
  expect(heart.high - heart.low).toBeGreaterThanOrEqual(20);
  expect(trendRange('SLEEPING_AVG_RESPIRATION', 1, 1).low).toBe(0);
});

it('interpolates quantiles', () => {
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
  expect(quantile([7], 0.9)).toBe(7);
  expect(quantile([0, 10], 0.1)).toBeCloseTo(1);
});
