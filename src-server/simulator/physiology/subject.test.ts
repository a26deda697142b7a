import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ACTIVITIES, LYING_POSTURES } from '../../analytics/types.ts';
import type { SignalPage } from '../../signals/types.ts';
import { BEAT_PREMATURE_ATRIAL, BEAT_PREMATURE_VENTRICULAR, BEAT_SINUS } from './body-state.ts';
import { ECG_SCALE_V } from './ecg-signal.ts';
import { ACCEL_SCALE_G } from './motion-signal.ts';
import type { SimulationOptions } from './options.ts';
import type { SimulatedRecording } from './sensor-recordings.ts';
import { simulateSubject } from './subject.ts';

const HOUR = 3_600_000;
/** 07:00 in New York on an ordinary day. */
const MORNING = Date.UTC(2024, 4, 14, 11);

const simulate = (options: Partial<SimulationOptions> = {}) =>
  simulateSubject({
    seed: 7,
    timeZone: 'US/Eastern',
    startMs: MORNING,
    stopMs: MORNING + 2 * HOUR,
    dailyCharging: false,
    dropoutsPerDay: 0,
    ...options,
  });

const digest = (recordings: SimulatedRecording[]): string => {
  const hash = createHash('sha256');
  for (const recording of recordings) {
    hash.update(JSON.stringify(recording.header));
    for (const page of recording.pages()) {
      hash.update(`${page.channel} ${page.startUs} ${page.periodUs} ${page.count}`);
      for (const column of page.columns)
        hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
    }
  }
  return hash.digest('hex');
};

const chestOf = (recordings: SimulatedRecording[]): SimulatedRecording => {
  const chest = recordings.find(({ header }) => header.physicalConfig.location === 'MEDIAL_CHEST');
  if (!chest) throw new Error('The default sensors have one at the chest.');
  return chest;
};

const pagesOf = (recording: SimulatedRecording, type: string): SignalPage[] => {
  const channel = recording.header.channels.findIndex((c) => c.type === type);
  return [...recording.pages()].filter((page) => page.channel === channel);
};

test('the same seed gives the same bytes, in any order of reading; another seed gives others', () => {
  const options = { stopMs: MORNING + 20 * 60_000 };
  const first = simulate(options);
  const reference = digest(first.recordings);
  expect(digest([...first.recordings])).toBe(reference);
  expect(digest(simulate(options).recordings)).toBe(reference);
  expect(digest(simulate({ ...options, seed: 8 }).recordings)).not.toBe(reference);
});

test('an empty span is refused', () => {
  expect(() => simulate({ stopMs: MORNING })).toThrow(/start and a later stop/);
});

test('every sinus beat of the truth stands in the signal as the highest point around it', () => {
  const profile = { mainsV: 1e-6, ecgNoiseV: 5e-6, prematureAtrialPerHour: 40, prematureVentricularPerHour: 40 };
  const { truth, recordings } = simulate({ profile });
  const pages = pagesOf(chestOf(recordings), 'ECG');
  const resting = new Set(
    ['RESTING:SITTING', 'RESTING:STANDING', 'RESTING:LYING'].map((name) => ACTIVITIES.indexOf(name as never)),
  );
  let checked = 0;
  let squares = 0;
  let beat = 0;
  for (const page of pages) {
    const volts = page.columns[0]!;
    const stopUs = page.startUs + page.count * page.periodUs;
    for (; beat < truth.beatTimesUs.length && truth.beatTimesUs[beat]! < stopUs - 100_000; beat++) {
      const timeUs = truth.beatTimesUs[beat]!;
      const second = Math.floor((timeUs / 1000 - truth.startMs) / 1000);
      if (
        timeUs < page.startUs + 100_000 ||
        truth.beatKinds[beat] !== BEAT_SINUS ||
        !resting.has(truth.activity[second]!)
      )
        continue;
      const centre = Math.round((timeUs - page.startUs) / page.periodUs);
      let peak = centre - 15;
      for (let i = centre - 15; i <= centre + 15; i++) if (volts[i]! > volts[peak]!) peak = i;
      squares += ((peak * page.periodUs + page.startUs - timeUs) / 1000) ** 2;
      expect(volts[peak]! * ECG_SCALE_V).toBeGreaterThan(0.0005);
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(2000);
  expect(Math.sqrt(squares / checked)).toBeLessThan(3);
});

test('premature beats come early and are followed by a pause', () => {
  const { truth } = simulate({ profile: { prematureVentricularPerHour: 60, prematureAtrialPerHour: 60 } });
  const { beatTimesUs: times, beatKinds: kinds } = truth;
  const counts = { [BEAT_PREMATURE_VENTRICULAR]: 0, [BEAT_PREMATURE_ATRIAL]: 0 } as Record<number, number>;
  for (let i = 2; i < times.length - 1; i++) {
    if (kinds[i] === BEAT_SINUS) continue;
    counts[kinds[i]!]!++;
    expect(times[i]! - times[i - 1]!).toBeLessThan(times[i + 1]! - times[i]!);
  }
  expect(counts[BEAT_PREMATURE_VENTRICULAR]).toBeGreaterThan(50);
  expect(counts[BEAT_PREMATURE_ATRIAL]).toBeGreaterThan(50);
});

test('steps happen only while walking or running, at a human cadence', () => {
  const { truth } = simulate({ stopMs: MORNING + 12 * HOUR, profile: { runningChance: 1 } });
  const moving = ['MOVING:WALKING', 'MOVING:RUNNING'].map((name) => ACTIVITIES.indexOf(name as never));
  for (const timeUs of truth.stepTimesUs) {
    expect(moving).toContain(truth.activity[Math.floor((timeUs / 1000 - truth.startMs) / 1000)]);
  }
  const walked = truth.activity.reduce((sum, code) => sum + (code === moving[0] ? 1 : 0), 0);
  const stepsWalking = truth.steps.reduce((sum, steps, i) => sum + (truth.activity[i] === moving[0] ? steps : 0), 0);
  expect(stepsWalking / walked).toBeGreaterThan(1.4);
  expect(stepsWalking / walked).toBeLessThan(2.3);
  expect(truth.activity).toContain(moving[1]);
});

test('a sensor at rest reads 1 g, turned with the body', () => {
  const night = Date.UTC(2024, 4, 14, 5);
  const { truth, recordings } = simulate({ startMs: night, stopMs: night + 3 * HOUR });
  const pages = pagesOf(chestOf(recordings), 'ACCEL');
  let forwardOnBack = 0;
  let seconds = 0;
  for (const page of pages) {
    const x = page.columns[0]!;
    const y = page.columns[1]!;
    const z = page.columns[2]!;
    for (let i = 0; i < page.count; i += 31) {
      const second = Math.floor((page.startUs / 1000 - truth.startMs + (i * page.periodUs) / 1000) / 1000);
      if (truth.activity[second] !== ACTIVITIES.indexOf('SLEEPING:LYING')) continue;
      expect(Math.hypot(x[i]!, y[i]!, z[i]!) * ACCEL_SCALE_G).toBeGreaterThan(0.6);
      if (LYING_POSTURES[truth.lyingPosture[second]!] === 'LYING_BACK') {
        forwardOnBack += z[i]! * ACCEL_SCALE_G;
        seconds++;
      }
    }
  }
  expect(seconds).toBeGreaterThan(300);
  expect(forwardOnBack / seconds).toBeGreaterThan(0.75);
});

test('clocks drift as a whole sensor, page by page, with whole microseconds and no overlap', () => {
  const { recordings } = simulate({ stopMs: MORNING + HOUR });
  const chest = chestOf(recordings);
  const ecg = pagesOf(chest, 'ECG');
  const motion = pagesOf(chest, 'ACCEL');
  const rateOf = (pages: SignalPage[]) => {
    const last = pages[pages.length - 1]!;
    const samples = pages.reduce((sum, page) => sum + page.count, 0);
    return (samples * 1e6) / (last.startUs + last.count * last.periodUs - pages[0]!.startUs);
  };
  expect(rateOf(ecg)).toBeGreaterThan(244.5);
  expect(rateOf(ecg)).toBeLessThan(252.5);
  expect(Math.abs(rateOf(ecg) - 250)).toBeGreaterThan(0.05);
  expect(rateOf(ecg) / rateOf(motion)).toBeCloseTo(8, 2);
  expect(new Set(ecg.map((page) => page.periodUs)).size).toBeGreaterThan(30);
  for (const pages of [ecg, motion]) {
    pages.forEach((page, i) => {
      expect(Number.isInteger(page.startUs)).toBe(true);
      expect(page.columns[0]).toHaveLength(page.count);
      const before = pages[i - 1];
      if (before) expect(page.startUs).toBeGreaterThanOrEqual(before.startUs + before.count * before.periodUs);
    });
  }
  // Times of pages are true ones: a site that corrects them by these readings must change nothing.
  for (const { sensorUs, hostUs } of chest.header.syncPoints) expect(sensorUs).toBe(hostUs);
});

test('no sample lies in a gap on request or in a lost stretch', () => {
  const gap = { startMs: MORNING + 20 * 60_000, stopMs: MORNING + 35 * 60_000 };
  const { truth, recordings } = simulate({ gaps: [gap], dropoutsPerDay: 60 });
  const chest = chestOf(recordings);
  expect(chest.dropouts.length).toBeGreaterThan(0);
  const holes = [...chest.dropouts, { startUs: gap.startMs * 1000, stopUs: gap.stopMs * 1000 }];
  for (const page of chest.pages()) {
    const lastUs = page.startUs + (page.count - 1) * page.periodUs;
    for (const hole of holes) expect(lastUs < hole.startUs || page.startUs >= hole.stopUs).toBe(true);
  }
  expect(truth.worn.subarray(20 * 60, 35 * 60).every((worn) => worn === 0)).toBe(true);
});

test('off the body the ECG runs to the rail of its input and the accelerometer lies still', () => {
  const off = { startMs: MORNING + 10 * 60_000, stopMs: MORNING + 20 * 60_000 };
  const { recordings } = simulate({ offBody: [off], stopMs: MORNING + 30 * 60_000 });
  const chest = chestOf(recordings);
  const inside = (page: SignalPage) =>
    page.startUs > (off.startMs + 120_000) * 1000 &&
    page.startUs + page.count * page.periodUs < (off.stopMs - 10_000) * 1000;
  const ecg = pagesOf(chest, 'ECG');
  for (const page of ecg.filter(inside)) expect(page.columns[0]!.every((count) => count === 32767)).toBe(true);
  expect(ecg[1]!.columns[0]!.every((count) => Math.abs(count) < 2000)).toBe(true);
  for (const page of pagesOf(chest, 'ACCEL').filter(inside)) {
    const z = page.columns[2]!;
    expect((Math.max(...z) - Math.min(...z)) * ACCEL_SCALE_G).toBeLessThan(0.02);
  }
});

test('a charger splits a day into recordings with sensors off before and after it', () => {
  const { truth, recordings } = simulate({ stopMs: MORNING + 40 * HOUR, dailyCharging: true });
  expect(truth.charging).toHaveLength(2);
  expect(recordings.length).toBe(6);
  for (const { startMs, stopMs } of truth.charging) {
    for (const recording of recordings) {
      expect(recording.stopUs <= startMs * 1000 || recording.startUs >= stopMs * 1000).toBe(true);
    }
    expect(truth.offBody.some((span) => span.stopMs === startMs)).toBe(true);
  }
  expect(new Set(recordings.map(({ header }) => header.recordingId)).size).toBe(6);
});

test.each([
  ['Asia/Tokyo', Date.UTC(2024, 4, 13, 15)],
  ['Europe/Berlin', Date.UTC(2024, 2, 30, 23)],
])('in %s people sleep at night, also when the clock changes', (timeZone, startMs) => {
  const { truth } = simulate({ timeZone, startMs, stopMs: startMs + 23 * HOUR });
  const wake = Math.max(...truth.sleep.filter((span) => span.stopMs < startMs + 15 * HOUR).map((span) => span.stopMs));
  const hour = Number(new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit' }).format(wake));
  expect(hour).toBeGreaterThanOrEqual(5);
  expect(hour).toBeLessThanOrEqual(8);
  expect(truth.asleep.subarray(2 * 3600, 4 * 3600).reduce((sum, asleep) => sum + asleep, 0)).toBeGreaterThan(4000);
});
