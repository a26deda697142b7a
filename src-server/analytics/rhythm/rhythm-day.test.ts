import { beforeAll, describe, expect, it } from 'vitest';
import { ecgSignal, evenBeats, seededRandom, syntheticEcgChunk } from '../../testing/synthetic-ecg.ts';
import { flutterWave } from '../../testing/synthetic-rhythm.ts';
import { binFurtherChannels, type FurtherBins } from '../further-channels.ts';
import { analyseRecording } from '../recording.ts';
import type { SignalChunk, WindowResult } from '../types.ts';
import { analyseWindow, featuresFrom } from '../window.ts';
import { rhythmOfDay } from './day.ts';
import { AF_STATES, NO_ECG } from './settings.ts';

const RATE_HZ = 125;
const MINUTE = 60_000;
const NOON = Date.UTC(2026, 2, 9, 12);
const window = { date: '2026-03-10', startMs: NOON, stopMs: NOON + 86_400_000 };
const START = NOON + 3_600_000;

/** Intervals of a recording, seconds: the expected figures follow from these alone. */
const intervals: number[] = [];
/** Beats of ventricular shape, by their place. */
const ventricular: number[] = [];
const times = (): number => intervals.reduce((sum, seconds) => sum + seconds, 0.6);
const untilMinute = (minute: number, seconds: number): void => {
  while (times() < 60 * minute) intervals.push(seconds);
};

// Sinus rhythm of 75 per minute, in which an early beat of another shape follows every minute for ten minutes.
for (let minute = 1; minute <= 10; minute++) {
  untilMinute(minute, 0.8);
  intervals.push(0.5, 1.1);
  ventricular.push(intervals.length - 1);
}
// Early beats of the usual shape are not ventricular.
for (let minute = 11; minute <= 14; minute++) {
  untilMinute(minute, 0.8);
  intervals.push(0.55, 1.05);
}
// Two pauses, of which 2.6 s is too short to be one; 40 s of 44 per minute; 24 s of it are no episode.
untilMinute(15, 0.8);
intervals.push(3.6, 0.8, 0.8, 2.6);
untilMinute(18, 0.8);
for (let i = 0; i < 30; i++) intervals.push(1.36);
untilMinute(21, 0.8);
for (let i = 0; i < 18; i++) intervals.push(1.36);
// 45 s of 120 per minute.
untilMinute(24, 0.8);
for (let i = 0; i < 90; i++) intervals.push(0.5);
untilMinute(90, 0.8);

const SECONDS = 90 * 60;
const FLUTTER = { from: 30 * 60, to: 30 * 60 + 90 };
const NOISE = { from: 40 * 60, to: 40 * 60 + 120 };

function madeSignal(): SignalChunk {
  let at = 0.6;
  const beats = [at, ...intervals.map((seconds) => (at += seconds))];
  const chunk = syntheticEcgChunk({
    beats,
    seconds: SECONDS,
    rateHz: RATE_HZ,
    startUs: START * 1000,
    ventricular,
  });
  const column = chunk.columns[0] as Int16Array;
  const wave = flutterWave(240, RATE_HZ);
  for (let i = FLUTTER.from * RATE_HZ; i < FLUTTER.to * RATE_HZ; i++) column[i] = Math.round(wave(i));
  const random = seededRandom(5);
  for (let i = NOISE.from * RATE_HZ; i < NOISE.to * RATE_HZ; i++) column[i] = Math.round(600 * (random() - 0.5));
  return chunk;
}

describe('the rhythm of a made ECG with known beats', () => {
  let result: WindowResult;
  let bins: FurtherBins;
  let metrics: Record<string, number>;
  let validSeconds: Record<string, number>;

  beforeAll(() => {
    const recording = analyseRecording(
      'a',
      'MEDIAL_CHEST',
      [ecgSignal([madeSignal()])],
      START * 1000,
      (START + 1000 * SECONDS) * 1000,
    );
    result = analyseWindow(window, featuresFrom([recording]), []);
    bins = binFurtherChannels([result.seconds], MINUTE, START, START + SECONDS * 1000 - 1);
    ({ metrics, validSeconds } = rhythmOfDay({ startMs: NOON, stopMs: NOON + 86_400_000 }, [result]));
  });

  it('counts the ventricular beats, in the minutes in which they lie, and no early beats of the usual shape', () => {
    expect(bins.values.ectopic_ventricular.slice(0, 15)).toEqual([0, ...new Array(10).fill(1), 0, 0, 0, 0]);
  });

  it('counts the early beats of the usual shape as supraventricular, in the minutes in which they lie', () => {
    const expected = [...new Array(11).fill(0), 1, 1, 1, 1];
    expect(bins.values.ectopic_supraventricular.slice(0, 15)).toEqual(expected);
    expect(metrics.HEART_ECTOPIC_SUPRAVENTRICULAR).toBe(4);
    expect(metrics.HEART_ECTOPIC_SUPRAVENTRICULAR_RATE).toBeCloseTo((3600 * 4) / validSeconds.HEART_READABLE!, 9);
    expect(metrics.HEART_SUPRAVENTRICULAR_RUNS).toBe(0);
  });

  it('shows no atrial fibrillation in sinus rhythm with P waves', () => {
    expect(metrics.HEART_AF_BURDEN).toBe(0);
    expect(metrics.HEART_AF_BURDEN_LOWER).toBe(0);
    expect(metrics.HEART_AF_BURDEN_UPPER).toBeLessThan(3);
    expect(metrics.HEART_AF_ANALYSABLE_DURATION).toBe(validSeconds.HEART_AF);
    expect(bins.values.atrial_fibrillation[5]).toBe('NONE');
    expect(bins.values.atrial_fibrillation[FLUTTER.from / 60]).toBeNull();
  });

  it('counts nothing in noise, but for a peak at either edge of it', () => {
    expect(metrics.HEART_ECTOPIC_VENTRICULAR).toBeGreaterThanOrEqual(10);
    expect(metrics.HEART_ECTOPIC_VENTRICULAR).toBeLessThanOrEqual(12);
    const shift = (START - NOON) / 1000;
    const inNoise = result.seconds.rhythm!.ventricular.subarray(shift + NOISE.from + 6, shift + NOISE.to - 6);
    expect(inNoise.includes(1)).toBe(false);
  });

  it('has the one pause of 3 s or more, and its length', () => {
    expect(metrics.HEART_PAUSES).toBe(1);
    expect(metrics.HEART_LONGEST_PAUSE).toBeCloseTo(3600, -1);
    const paused = bins.values.longest_pause.flatMap((ms, minute) => (ms === null ? [] : [minute]));
    expect(paused).toEqual([15]);
  });

  it('has the episodes of slow and of fast rate that last 30 s', () => {
    expect(metrics.HEART_BRADYCARDIA_EPISODES).toBe(1);
    expect(metrics.HEART_BRADYCARDIA_DURATION).toBeGreaterThan(38);
    expect(metrics.HEART_BRADYCARDIA_DURATION).toBeLessThan(46);
    expect(metrics.HEART_TACHYCARDIA_EPISODES).toBe(1);
    expect(metrics.HEART_TACHYCARDIA_DURATION).toBeGreaterThan(43);
    expect(metrics.HEART_TACHYCARDIA_DURATION).toBeLessThan(50);
    expect(bins.values.rate_episode[18]).toBe('BRADYCARDIA');
    expect(bins.values.rate_episode[21]).toBeNull();
    expect(bins.values.rate_episode[24]).toBe('TACHYCARDIA');
  });

  it('tells flutter and noise from a readable ECG; both have no rate, and no quality', () => {
    expect(metrics.HEART_UNRESOLVED_DURATION).toBeGreaterThan(84);
    expect(metrics.HEART_UNRESOLVED_DURATION).toBeLessThan(96);
    expect(metrics.HEART_UNREADABLE_DURATION).toBeGreaterThan(90);
    expect(metrics.HEART_UNREADABLE_DURATION).toBeLessThan(126);
    expect(bins.values.ecg_state[30]).toBe('UNRESOLVED');
    expect(bins.values.ecg_state[40]).toBe('UNREADABLE');
    expect(bins.values.ecg_state.filter((state) => state === 'READABLE')).toHaveLength(90 - 4);
    expect(bins.values.signal_quality[30]).toBe(0);
    expect(bins.values.signal_quality[40]).toBeLessThan(20);
    expect(bins.values.signal_quality[50]).toBeGreaterThan(90);
    expect(bins.values.ectopic_ventricular[30]).toBeNull();
    const { rrCount } = result.seconds;
    const shift = (START - NOON) / 1000;
    expect(rrCount.slice(shift + FLUTTER.from + 5, shift + FLUTTER.to - 5).every((beats) => beats === 0)).toBe(true);
  });

  it('says how many seconds stand behind the counts', () => {
    expect(validSeconds.HEART_SIGNAL).toBe(SECONDS);
    expect(validSeconds.HEART_READABLE).toBeGreaterThan(SECONDS - 230);
    expect(validSeconds.HEART_READABLE).toBeLessThan(SECONDS - 190);
  });

  it('gives no counts of less than an hour, and nothing without a heart', () => {
    const short = rhythmOfDay({ startMs: START, stopMs: START + 50 * MINUTE }, [result]);
    expect(short.metrics).not.toHaveProperty('HEART_ECTOPIC_VENTRICULAR');
    expect(short.metrics).not.toHaveProperty('HEART_PAUSES');
    expect(short.metrics.HEART_BRADYCARDIA_EPISODES).toBe(1);
    const empty = analyseWindow(window, featuresFrom([]), []);
    expect(empty.seconds.rhythm).toBeUndefined();
    expect(rhythmOfDay({ startMs: NOON, stopMs: window.stopMs }, [empty])).toEqual({ metrics: {}, validSeconds: {} });
  });
});

describe('the burden of atrial fibrillation', () => {
  /** A day with so many seconds of each state. */
  const burdenOf = (states: Partial<Record<'NONE' | 'AF' | 'UNDECIDED', number>>): Record<string, number> => {
    const columns = analyseWindow(window, featuresFrom([]), []).seconds;
    const { count } = columns;
    columns.recorded.fill(1);
    columns.rhythm = {
      quality: new Uint8Array(count).fill(NO_ECG),
      ventricular: new Uint8Array(count),
      supraventricular: new Uint8Array(count),
      supraventricularRuns: new Uint8Array(count),
      pauseMs: new Float32Array(count),
      rateEpisode: new Uint8Array(count),
      ecgState: new Uint8Array(count),
      afState: new Uint8Array(count),
    };
    let at = 0;
    for (const [state, seconds] of Object.entries(states)) {
      columns.rhythm.afState.fill(AF_STATES.indexOf(state as 'AF'), at, at + seconds);
      at += seconds;
    }
    const result = { window, seconds: columns, sleep: [] };
    const found = rhythmOfDay({ startMs: NOON, stopMs: window.stopMs }, [result]).metrics;
    return Object.fromEntries(Object.entries(found).filter(([name]) => name.startsWith('HEART_AF')));
  };

  it('is the share of decided time, between the bounds with undecided time as none and as all', () => {
    expect(burdenOf({ NONE: 6000, AF: 2000, UNDECIDED: 2000 })).toEqual({
      HEART_AF_BURDEN: 25,
      HEART_AF_BURDEN_LOWER: 20,
      HEART_AF_BURDEN_UPPER: 40,
      HEART_AF_ANALYSABLE_DURATION: 10_000,
    });
  });

  it('has bounds alone where less than an hour is decided, and nothing of less than an hour', () => {
    expect(burdenOf({ NONE: 1000, AF: 1000, UNDECIDED: 2000 })).toEqual({
      HEART_AF_BURDEN_LOWER: 25,
      HEART_AF_BURDEN_UPPER: 75,
      HEART_AF_ANALYSABLE_DURATION: 4000,
    });
    expect(burdenOf({ NONE: 3000, AF: 599 })).toEqual({});
  });
});

it('adds up noise to a falling quality', () => {
  const beats = evenBeats(300, 0.8);
  const qualities = [0.02, 0.12, 0.25, 0.5].map((noise) => {
    const chunk = syntheticEcgChunk({ beats, seconds: 300, rateHz: 250, startUs: START * 1000, noise });
    const recording = analyseRecording('a', 'MEDIAL_CHEST', [ecgSignal([chunk])], START * 1000, START * 1000 + 300e6);
    const { seconds } = analyseWindow(window, featuresFrom([recording]), []);
    return binFurtherChannels([seconds], MINUTE, START + MINUTE, START + MINUTE).values.signal_quality[0] as number;
  });
  expect(qualities[0]).toBeGreaterThan(95);
  for (let i = 1; i < qualities.length; i++) expect(qualities[i]).toBeLessThanOrEqual(qualities[i - 1]!);
  expect(qualities[3]).toBeLessThan(50);
});
