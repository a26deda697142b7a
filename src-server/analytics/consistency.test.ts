import { expect, it } from 'vitest';
import { encodeArrays } from '../db/array-codec.ts';
import { HOUR_MS } from '../durations.ts';
import { simulateSubject } from '../simulator/physiology/subject.ts';
import { featuresOf } from '../testing/score-simulation.ts';
import { dailyMetrics } from './daily.ts';
import type { MotionSegment, RecordingFeatures, WindowResult } from './types.ts';
import { analyseWindow, featuresFrom } from './window.ts';

/** Noon in New York. */
const NOON_MS = Date.UTC(2024, 4, 14, 16);
const WINDOWS = [0, 1].map((day) => ({
  date: `2024-05-${15 + day}`,
  startMs: NOON_MS + 24 * day * HOUR_MS,
  stopMs: NOON_MS + 24 * (day + 1) * HOUR_MS,
}));

/** Four recordings: charging in the evening splits those of each sensor in two. */
const features = featuresOf(
  simulateSubject({
    seed: 21,
    timeZone: 'US/Eastern',
    startMs: NOON_MS + 4 * HOUR_MS,
    stopMs: NOON_MS + 11 * HOUR_MS,
    profile: { chargeHour: 19, bedHour: 22 },
  }),
);

const bytesOf = ({ seconds, sleep }: WindowResult): string =>
  Buffer.from(encodeArrays({ seconds, sleep })).toString('base64');
const analysed = (some: RecordingFeatures[]): WindowResult[] =>
  WINDOWS.map((window) => analyseWindow(window, featuresFrom(some), []));

const withHalfTheCounts = (segment: MotionSegment): MotionSegment => ({
  ...segment,
  columns: { ...segment.columns, countsX: Float32Array.from(segment.columns.countsX, (value) => value / 2) },
});

it('does not depend on the order of the recordings', () => {
  expect(features.length).toBeGreaterThanOrEqual(4);
  const expected = analysed(features).map(bytesOf);
  expect(analysed([...features].reverse()).map(bytesOf)).toEqual(expected);
  expect(analysed([...features.slice(2), ...features.slice(0, 2)]).map(bytesOf)).toEqual(expected);
});

it('does not depend on the ids that an import assigns', () => {
  const renamed = features.map((recording, i) => ({ ...recording, recordingId: `id ${features.length - i}` }));
  expect(analysed(renamed).map(bytesOf)).toEqual(analysed(features).map(bytesOf));
});

it('does not depend on ids where two sensors at one place start together', () => {
  const twins = features.map((recording) => ({
    ...recording,
    recordingId: `later ${recording.recordingId}`,
    sensors: recording.sensors.map((sensor) =>
      sensor.kind === 'motion'
        ? { ...sensor, segments: sensor.segments.map((segment) => withHalfTheCounts(segment)) }
        : { ...sensor, beats: { ...sensor.beats, timesUs: sensor.beats.timesUs.map((us) => us + 1000) } },
    ),
  }));
  const expected = analysed([...features, ...twins]).map(bytesOf);
  // Each second comes from one of the two, so it matters which.
  expect(analysed(twins).map(bytesOf)).not.toEqual(analysed(features).map(bytesOf));
  const renamed = twins.map((recording, i) => ({ ...recording, recordingId: `earlier ${i}` }));
  expect(analysed([...renamed.reverse(), ...features]).map(bytesOf)).toEqual(expected);
});

it('does not change with a recording far away in time', () => {
  const shift = 30 * 24 * HOUR_MS * 1000;
  const far = featuresOf(
    simulateSubject({
      seed: 22,
      timeZone: 'US/Eastern',
      startMs: NOON_MS + shift / 1000,
      stopMs: NOON_MS + shift / 1000 + HOUR_MS / 4,
    }),
  );
  expect(analysed([...far, ...features]).map(bytesOf)).toEqual(analysed(features).map(bytesOf));
});

it('computes a day from the windows that touch it alone', () => {
  const windows = analysed(features);
  const day = { date: '2024-05-14', startMs: NOON_MS - 12 * HOUR_MS, stopMs: NOON_MS + 12 * HOUR_MS };
  expect(dailyMetrics(day, windows)).toEqual(dailyMetrics(day, windows.slice(0, 1)));
});
