import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../durations.ts';
import { SimulatedWrist, type SimulatedWristOptions } from '../../testing/simulated-wrist.ts';
import { completeParameters, DEFAULT_ANALYSIS_PARAMETERS } from '../../vocabulary/analysis-parameters.ts';
import { binChannels } from '../channels.ts';
import { SubjectCorrections } from '../corrections/index.ts';
import { dailyMetrics } from '../daily.ts';
import { binFurtherChannels } from '../further-channels.ts';
import { analyseRecording } from '../recording.ts';
import type { Correction, DailyMetrics, WindowResult } from '../types.ts';
import { analyseWindow, featuresFrom } from '../window.ts';

const NOON_MS = Date.UTC(2024, 4, 14, 12);
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function makeRecording(options: Partial<SimulatedWristOptions>) {
  const wrist = new SimulatedWrist({ startMs: NOON_MS, hours: 48, rateHz: 25, ...options });
  const { input, startUs, stopUs } = wrist;
  return { wrist, stopUs, between: featuresFrom([analyseRecording('one', input.location, [input], startUs, stopUs)]) };
}

const made = new Map<string, ReturnType<typeof makeRecording>>();

/** A simulated wrist and its features, made once for the tests that want the same: that takes most of their time. */
function recordingOf(options: Partial<SimulatedWristOptions>): ReturnType<typeof makeRecording> {
  const key = JSON.stringify(options);
  const recording = made.get(key) ?? makeRecording(options);
  made.set(key, recording);
  return recording;
}

/** The windows of a simulated wrist from noon to noon, and the whole days in them. */
function analysed(options: Partial<SimulatedWristOptions>, settings = DEFAULT_ANALYSIS_PARAMETERS) {
  const { wrist, stopUs, between } = recordingOf(options);
  const windows: WindowResult[] = [];
  for (let startMs = NOON_MS; startMs * 1000 < stopUs; startMs += 24 * HOUR_MS) {
    const stopMs = startMs + 24 * HOUR_MS;
    windows.push(analyseWindow({ date: dateOf(stopMs), startMs, stopMs }, between, [], new Map(), settings));
  }
  const days: DailyMetrics[] = [];
  for (let startMs = NOON_MS + 12 * HOUR_MS; (startMs + 24 * HOUR_MS) * 1000 <= stopUs; startMs += 24 * HOUR_MS)
    days.push(dailyMetrics({ date: dateOf(startMs), startMs, stopMs: startMs + 24 * HOUR_MS }, windows)!);
  return { wrist, windows, days };
}

// Days of samples: on a busy computer more than the usual limit.
describe('a wrist alone', { timeout: 120_000 }, () => {
  it('gives intensity, sleep and rhythm, and nothing that a wrist cannot know', () => {
    const { days, windows, wrist } = analysed({ hours: 96 });
    const { metrics } = days[1]!;
    expect(Object.keys(metrics).filter((name) => /^(MOVING|RESTING)_/.test(name))).toEqual([]);
    expect(metrics).not.toHaveProperty('SLEEPING_POSTURE_TRANSITIONS');
    const walking = wrist.minutes.slice(36 * 60, 60 * 60).filter((state) => state === 'walking').length;
    expect(metrics.INTENSITY_MVPA_DURATION! / 60).toBeGreaterThan(0.8 * walking);
    expect(metrics.INTENSITY_MVPA_DURATION! / 60).toBeLessThan(1.2 * walking);
    expect(
      metrics.INTENSITY_MVPA_DURATION! + metrics.INTENSITY_LIGHT_DURATION! + metrics.INTENSITY_SEDENTARY_DURATION!,
    ).toBe(86_400);
    expect(Math.abs(metrics.SLEEPING_PERIOD_DURATION! - 8 * 3600)).toBeLessThan(900);
    expect(metrics.SLEEPING_EFFICIENCY).toBeGreaterThan(95);
    expect(metrics.SLEEPING_REGULARITY).toBeGreaterThan(95);
    expect(metrics.RHYTHM_INTERDAILY_STABILITY).toBeGreaterThan(0.8);
    expect(new Date(metrics.RHYTHM_L5_TS!).getUTCHours()).toBeLessThan(3);
    expect(metrics.RHYTHM_RELATIVE_AMPLITUDE).toBeGreaterThan(0.8);
    const { dayStartMs, dayStopMs } = days[1]!;
    const request = [windows.map(({ seconds }) => seconds), 60_000, dayStartMs, dayStopMs - 1] as const;
    const bins = binChannels(...request);
    expect(bins.values.steps.every((value) => value === null)).toBe(true);
    expect(bins.values.activity.filter((value) => value !== null && value !== 'SLEEPING:LYING')).toEqual([]);
    const further = binFurtherChannels(...request).values;
    expect(further.intensity.filter((value) => value === 'MODERATE').length).toBeGreaterThan(0.8 * walking);
    expect(further.enmo.filter((value) => value === null)).toEqual([]);
    for (const type of ['sleep_sadeh', 'sleep_cole_kripke'] as const) {
      const states = further[type];
      expect(states.every((value) => value === 'ASLEEP' || value === 'AWAKE')).toBe(true);
      // From midnight to seven the wearer sleeps; walking is awake.
      expect(states.slice(0, 7 * 60).filter((value) => value === 'ASLEEP').length).toBeGreaterThan(0.95 * 7 * 60);
      expect(states.filter((value) => value === 'AWAKE').length).toBeGreaterThan(walking);
    }
    expect(further.counts_vm3[0]).toBeCloseTo(
      Math.hypot(...[further.counts_x[0], further.counts_y[0], further.counts_z[0]].map(Number)),
      2,
    );
  });

  it('is calibrated before ENMO is computed, and says so', () => {
    const right = analysed({}).days[0]!.metrics;
    const offsetG = [0.03, -0.02, 0.04] as const;
    const wrong = analysed({ offsetG, gain: [1.01, 0.99, 1.02] }).days[0]!.metrics;
    expect(wrong.CALIBRATION_ERROR_BEFORE).toBeGreaterThan(15);
    expect(wrong.CALIBRATION_ERROR_AFTER).toBeLessThan(2);
    for (const [index, axis] of ['X', 'Y', 'Z'].entries())
      expect(wrong[`CALIBRATION_OFFSET_${axis}`]).toBeCloseTo(1000 * offsetG[index]!, -1);
    expect(wrong.CALIBRATION_GAIN_Z).toBeCloseTo(1.02, 2);
    expect(wrong.ACCELERATION_AVG_ENMO).toBeCloseTo(right.ACCELERATION_AVG_ENMO!, 0);
  });

  it('is not calibrated by too little data', () => {
    const { windows } = analysed({ hours: 0.1 });
    const { calibration } = windows[0]!.seconds.epochs!.details;
    expect(calibration).toMatchObject({ fault: 'TOO_FEW_WINDOWS', offsetG: [0, 0, 0], gain: [1, 1, 1] });
  });

  it('does not count time off the wrist, nor time without samples', () => {
    const off = analysed({ off: [22, 25] }).days[0]!.metrics;
    expect(Math.abs(off.SENSOR_NON_WEAR_DURATION! - 3 * 3600)).toBeLessThanOrEqual(900);
    expect(off.SENSOR_WEAR_DURATION! + off.SENSOR_NON_WEAR_DURATION!).toBe(86_400);
    const gap = analysed({ gap: [22, 25] }).days[0]!.metrics;
    expect(gap.SENSOR_WEAR_DURATION).toBe(21 * 3600);
    expect(gap.SENSOR_NON_WEAR_DURATION).toBe(0);
    expect(
      gap.INTENSITY_MVPA_DURATION! + gap.INTENSITY_LIGHT_DURATION! + gap.INTENSITY_SEDENTARY_DURATION!,
    ).toBeLessThanOrEqual(21 * 3600);
  });

  it('uses the rules that a study chose', () => {
    const settings = completeParameters({ cutPoints: { wrist: 'migueles-older-wrist' }, nonWear: 'choi-2011' });
    const { days, windows } = analysed({ off: [22, 25] }, settings);
    const { metrics } = days[0]!;
    expect(windows[0]!.seconds.epochs!.details).toMatchObject({
      cutPoints: 'migueles-older-wrist',
      nonWear: 'choi-2011',
    });
    expect(metrics).not.toHaveProperty('INTENSITY_VIGOROUS_DURATION');
    expect(metrics.INTENSITY_MVPA_DURATION).toBeGreaterThan(analysed({}).days[0]!.metrics.INTENSITY_MVPA_DURATION!);
    expect(Math.abs(metrics.SENSOR_NON_WEAR_DURATION! - 3 * 3600)).toBeLessThanOrEqual(3600);
  });
});

describe('what is computed of more than a day', () => {
  const HOURS = 96;
  const recordingsOf = (...locations: string[]) =>
    locations.map((location) => {
      const { input, startUs, stopUs } = new SimulatedWrist({ startMs: NOON_MS, hours: HOURS, rateHz: 12, location });
      return analyseRecording(location, location, [input], startUs, stopUs);
    });
  let wrist: ReturnType<typeof recordingsOf>;
  beforeAll(() => {
    wrist = recordingsOf('WRIST');
  }, 120_000);
  /** The second whole day. */
  const DAY_MS = NOON_MS + 36 * HOUR_MS;

  function dayOf(
    recordings: ReturnType<typeof recordingsOf>,
    corrections: Correction[] = [],
    settings = DEFAULT_ANALYSIS_PARAMETERS,
  ) {
    const between = featuresFrom(recordings);
    const edits = corrections.length > 0 ? new SubjectCorrections(corrections) : undefined;
    const windows = [24, 48].map((hour) => {
      const startMs = NOON_MS + hour * HOUR_MS;
      const stopMs = startMs + 24 * HOUR_MS;
      return analyseWindow({ date: dateOf(stopMs), startMs, stopMs }, between, [], new Map(), settings, edits);
    });
    return dailyMetrics({ date: dateOf(DAY_MS), startMs: DAY_MS, stopMs: DAY_MS + 24 * HOUR_MS }, windows)!;
  }

  it('follows the wear and the sleep that people gave, also of another day', { timeout: 120_000 }, () => {
    const { metrics: found } = dayOf(wrist);
    const span = (kind: Correction['kind'], fromHour: number, toHour: number): Correction => ({
      kind,
      startMs: DAY_MS + fromHour * HOUR_MS,
      stopMs: DAY_MS + toHour * HOUR_MS,
    });
    const off = dayOf(wrist, [span('NOT_WORN', 10, 12)]).metrics;
    const offOnAnother = dayOf(wrist, [span('NOT_WORN', 34, 36)]).metrics;
    for (const name of ['RHYTHM_INTERDAILY_STABILITY', 'RHYTHM_INTRADAILY_VARIABILITY']) {
      expect(off[name], name).not.toBe(found[name]);
      expect(offOnAnother[name], name).not.toBe(found[name]);
    }
    expect(off.RHYTHM_M10_ENMO).not.toBe(found.RHYTHM_M10_ENMO);
    expect(offOnAnother.RHYTHM_M10_ENMO).toBe(found.RHYTHM_M10_ENMO);
    const regularity = found.SLEEPING_REGULARITY!;
    expect(dayOf(wrist, [span('AWAKE', -3, 9)]).metrics.SLEEPING_REGULARITY).toBeLessThan(regularity - 20);
    expect(dayOf(wrist, [span('AWAKE', -27, -15)]).metrics.SLEEPING_REGULARITY).toBeLessThan(regularity - 20);
    // Sleep by day in both windows agrees with itself; in one it does not.
    const naps = [span('ASLEEP', -12, -9), span('ASLEEP', -36, -33)];
    expect(dayOf(wrist, naps).metrics.SLEEPING_REGULARITY).toBeCloseTo(regularity, 6);
    expect(dayOf(wrist, naps.slice(1)).metrics.SLEEPING_REGULARITY).toBeLessThan(regularity - 10);
  });

  it('follows the rule of wear that a study chose', { timeout: 120_000 }, () => {
    const { metrics: found } = dayOf(wrist);
    const { metrics: other } = dayOf(wrist, [], { ...DEFAULT_ANALYSIS_PARAMETERS, nonWear: 'choi-2011' });
    expect(other.RHYTHM_INTERDAILY_STABILITY).not.toBe(found.RHYTHM_INTERDAILY_STABILITY);
    expect(other.RHYTHM_INTERDAILY_STABILITY).toBeLessThanOrEqual(1);
  });

  it('fills the sleep period alike whatever sensor finds it, and says which did', { timeout: 120_000 }, () => {
    const chest = recordingsOf('MEDIAL_CHEST');
    const source = (of: ReturnType<typeof dayOf>) =>
      Object.keys(of.validSeconds).filter((name) => name.startsWith('SLEEPING_BY_'));
    const byWrist = dayOf(wrist);
    const byChest = dayOf(chest);
    const byBoth = dayOf([...wrist, ...chest]);
    for (const { metrics } of [byWrist, byChest, byBoth]) {
      const { SLEEPING_PERIOD_DURATION: period = 0, SLEEPING_WASO_DURATION: awake = 0 } = metrics;
      expect(period).toBeGreaterThan(3 * 3600);
      expect(metrics.SLEEPING_EFFICIENCY).toBeCloseTo((100 * (period - awake)) / period, 6);
      expect(period).toBe((metrics.SLEEPING_WAKE_TS! - metrics.SLEEPING_ONSET_TS!) / 1000);
    }
    expect(byBoth.metrics.SLEEPING_EFFICIENCY).toBe(byChest.metrics.SLEEPING_EFFICIENCY);
    expect([byWrist, byChest, byBoth].map(source)).toEqual([
      ['SLEEPING_BY_WRIST'],
      ['SLEEPING_BY_CHEST'],
      ['SLEEPING_BY_CHEST'],
    ]);
  });
});

it('gives a hip its own cut points, and counts per minute by the vertical axis', { timeout: 120_000 }, () => {
  const settings = completeParameters({ cutPoints: { waist: 'freedson-adults-hip' } });
  const { windows, days } = analysed({ location: 'HIP' }, settings);
  expect(windows[0]!.seconds.epochs!.details).toMatchObject({ site: 'waist', cutPoints: 'freedson-adults-hip' });
  expect(days[0]!.metrics.INTENSITY_MVPA_DURATION).toBeGreaterThan(3600);
  expect(days[0]!.metrics).toHaveProperty('MOVING_STEPS');
});
