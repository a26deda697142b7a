import { describe, expect, it } from 'vitest';
import type { IntradayChannel } from '../../../../src-server/api/contract/index.ts';
import { dayData, postureParts, tableRows, totalsOf } from './day-data.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const window = { startMs: 0, stopMs: 3 * HOUR };
const times = Array.from({ length: 180 }, (_, i) => i * MINUTE);
const channel = (type: string, value: (minute: number) => IntradayChannel['values'][number]): IntradayChannel => ({
  type,
  units: '',
  times,
  values: times.map((_, i) => value(i)),
});

/** Hour 0 asleep, hour 1 sitting and off the body in its second half, hour 2 not recorded. */
const channels = [
  channel('activity', (i) =>
    i < 60 ? 'SLEEPING:LYING' : i < 89 ? 'RESTING:SITTING' : i === 89 ? 'MOVING:HOPPING' : null,
  ),
  channel('heart_rate', (i) => (i < 60 ? 50 : i < 90 ? 70 : null)),
  channel('hrv', (i) => (i < 60 ? 40 : null)),
  channel('sleep_respiration', (i) => (i < 60 ? 14 : null)),
  channel('steps', (i) => (i < 90 ? (i === 89 ? 12 : 0) : null)),
];
const data = dayData(window, channels, undefined, [{ startMs: 0, stopMs: 2 * HOUR }], 3 * HOUR);

describe('a day from its channels', () => {
  it('distinguishes worn, not worn and not recorded', () => {
    expect(data.wear).toEqual([
      { startMs: 0, stopMs: 90 * MINUTE, value: 'worn' },
      { startMs: 90 * MINUTE, stopMs: 2 * HOUR, value: 'notWorn' },
    ]);
    expect(data.gaps).toEqual([{ startMs: 2 * HOUR, stopMs: 3 * HOUR }]);
  });

  it('shows an activity without a known code as unknown', () => {
    expect(data.activity.at(-1)).toMatchObject({ value: 'unknown', startMs: 89 * MINUTE });
  });

  it('shows recordings that wait for their analysis as not measured, not as not worn', () => {
    const empty = [channel('activity', () => null), channel('heart_rate', () => null)];
    const waiting = dayData(window, empty, undefined, [{ startMs: 0, stopMs: HOUR }], 3 * HOUR);
    expect(waiting.isAnalysed).toBe(false);
    expect(waiting.wear.map((band) => band.value)).toEqual(['notMeasured']);
  });

  it('takes the extremes from the fine channels and the mean from the minutes', () => {
    const fine = [{ type: 'heart_rate', units: 'bpm', times: [0, 10_000, 20_000], values: [44, 120, null] }];
    const both = dayData(window, channels, { channels: fine, intervalMs: 10_000 }, [window], 3 * HOUR);
    expect(totalsOf(both, { startMs: 0, stopMs: HOUR }).heartRate).toEqual({ low: 44, high: 120, mean: 50 });
  });
});

it('combines the posture of the trunk at rest with that of the body asleep', () => {
  const postures = dayData(
    window,
    [
      channel('resting_posture', (i) =>
        i < 60
          ? { c: 'NEUTRAL', ca: 1, s: 'NEUTRAL', sa: 2 }
          : i < 90
            ? { c: 'LEAN_LEFT', ca: 20, s: 'SLOUCHING', sa: 18 }
            : null,
      ),
      channel('sleeping_posture', (i) => (i >= 120 ? 'LYING_BACK/LYING_LEFT' : null)),
    ],
    undefined,
    [window],
    3 * HOUR,
  ).posture;
  expect(postures.map(({ startMs, value }) => [startMs / MINUTE, value])).toEqual([
    [0, 'UPRIGHT'],
    [60, 'LEAN_LEFT/SLOUCHING'],
    [120, 'LYING_BACK/LYING_LEFT'],
  ]);
  expect(postureParts('LYING_BACK/SIDEWAYS')).toEqual(['LYING_BACK', 'unknown']);
});

describe('totals of a view', () => {
  it('count only what is inside the view', () => {
    const totals = totalsOf(data, { startMs: 30 * MINUTE, stopMs: 3 * HOUR });
    expect(totals).toMatchObject({ wornSeconds: 3600, gapSeconds: 3600, asleepSeconds: 1800, steps: 12 });
    expect(totals.activity[0]).toEqual({ value: 'SLEEPING:LYING', seconds: 1800, share: 0.5 });
  });

  it('have no number where nothing was measured', () => {
    const totals = totalsOf(data, { startMs: 2 * HOUR, stopMs: 3 * HOUR });
    expect(totals.steps).toBeUndefined();
    expect(totals.heartRate).toBeUndefined();
  });
});

it('returns rows with the longest state of each', () => {
  const rows = tableRows(data, window, 30);
  expect(rows).toHaveLength(6);
  expect(rows.map((row) => row.wear)).toEqual(['worn', 'worn', 'worn', 'notWorn', 'gap', 'gap']);
  expect(rows[0]).toMatchObject({ activity: 'SLEEPING:LYING', variability: 40, respiration: 14, steps: 0 });
  expect(rows[2]).toMatchObject({ activity: 'RESTING:SITTING', steps: 12, respiration: undefined });
  expect(rows[5]).toMatchObject({ activity: undefined, heartRate: undefined, steps: undefined });
});

describe('the future', () => {
  const recorded = [{ startMs: 0, stopMs: HOUR }];

  it('is no gap, and rows of it say so', () => {
    const today = dayData(window, channels, undefined, recorded, 2 * HOUR);
    expect(today.gaps).toEqual([{ startMs: HOUR, stopMs: 2 * HOUR }]);
    expect(totalsOf(today, window)).toMatchObject({ gapSeconds: 3600, notYetSeconds: 3600 });
    expect(totalsOf(today, { startMs: 0, stopMs: HOUR }).notYetSeconds).toBe(0);
    expect(tableRows(today, window, 60).map(({ wear }) => wear)).toEqual(['worn', 'gap', 'notYet']);
  });

  it('begins after a recording whose clock was ahead, and never before the window', () => {
    expect(dayData(window, channels, undefined, recorded, HOUR / 2).untilMs).toBe(HOUR);
    expect(dayData(window, [], undefined, [], -HOUR)).toMatchObject({ untilMs: 0, gaps: [] });
    expect(dayData(window, [], undefined, [], 9 * HOUR).untilMs).toBe(window.stopMs);
  });
});
