import { expect, it } from 'vitest';
import { binFurtherChannels } from './further-channels.ts';
import { heartDay } from './heart-day.ts';
import { createSecondColumns } from './seconds.ts';
import { FIVE_MINUTE_COLUMNS, type FiveMinutes, type WindowResult } from './types.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 2, 9, 12);
const day = { startMs: NOON + 12 * HOUR_MS, stopMs: NOON + 36 * HOUR_MS };

/** A window of 24 h whose five minutes hold the intervals that a function gives; null leaves a row without values. */
function windowOf(startMs: number, intervalsOf: (row: number) => number[] | null): WindowResult {
  const rows = 288;
  const column = () => new Float32Array(rows).fill(Number.NaN);
  const fiveMinutes = {
    startMs,
    ...Object.fromEntries(FIVE_MINUTE_COLUMNS.map((name) => [name, column()])),
    nnCount: new Uint16Array(rows),
    differences: new Uint16Array(rows),
    differencesOver50: new Uint16Array(rows),
  } as FiveMinutes;
  for (let row = 0; row < rows; row++) {
    const intervals = intervalsOf(row);
    if (!intervals) continue;
    const mean = intervals.reduce((sum, ms) => sum + ms, 0) / intervals.length;
    fiveMinutes.nnCount[row] = intervals.length;
    fiveMinutes.differences[row] = intervals.length - 1;
    fiveMinutes.differencesOver50[row] = row % 4;
    fiveMinutes.nnMeanMs[row] = mean;
    fiveMinutes.sdnnMs[row] = deviation(intervals);
    fiveMinutes.lfMs2[row] = row;
  }
  const seconds = createSecondColumns(startMs, 86_400);
  return {
    window: { date: '', startMs, stopMs: startMs + 24 * HOUR_MS },
    seconds: { ...seconds, fiveMinutes },
    sleep: [],
  };
}

function deviation(values: number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

const intervalsOf = (row: number) => Array.from({ length: 300 }, (_value, i) => 900 + row + 20 * Math.sin(i * row));

it('takes the day from the five minutes of both windows that begin in it', () => {
  const windows = [windowOf(NOON, intervalsOf), windowOf(NOON + 24 * HOUR_MS, intervalsOf)];
  const { metrics, validSeconds } = heartDay(day, windows);
  // From midnight: the second half of the first window, then the first half of the second.
  const rows = Array.from({ length: 288 }, (_value, i) => intervalsOf((i + 144) % 288));
  expect(metrics.HEART_SDNN).toBeCloseTo(deviation(rows.flat()), 3);
  const means = rows.map((row) => row.reduce((sum, ms) => sum + ms, 0) / row.length);
  expect(metrics.HEART_SDANN).toBeCloseTo(deviation(means), 3);
  expect(metrics.HEART_SDNN_INDEX).toBeCloseTo(rows.map(deviation).reduce((sum, sd) => sum + sd, 0) / 288, 3);
  expect(metrics.HEART_LF_POWER).toBeCloseTo(143.5, 6);
  expect(metrics.HEART_PNN50).toBeCloseTo((100 * 1.5) / 299, 6);
  expect(validSeconds.HEART_FIVE_MINUTES).toBe(288);
  expect(validSeconds.HEART_NN).toBe(Math.round(rows.flat().reduce((sum, ms) => sum + ms, 0) / 1000));
});

it('gives no long-term figure from less than an hour, and nothing without variability', () => {
  const short = heartDay(day, [windowOf(NOON, (row) => (row >= 277 ? intervalsOf(row) : null))]).metrics;
  expect(Object.keys(short)).toEqual(['HEART_SDNN_INDEX', 'HEART_LF_POWER', 'HEART_PNN50']);
  expect(heartDay(day, [windowOf(NOON, () => null)])).toEqual({ metrics: {}, validSeconds: {} });
});

it('gives the bins of five minutes their value, and null where there is none', () => {
  const { seconds } = windowOf(NOON, (row) => (row === 1 ? [800, 900, 1000] : null));
  const { times, values } = binFurtherChannels([seconds], 60_000, NOON + 240_000, NOON + 600_000);
  expect(times).toHaveLength(7);
  expect(values.sdnn).toEqual([null, 100, 100, 100, 100, 100, null]);
  expect(values.sample_entropy.every((value) => value === null)).toBe(true);
});
