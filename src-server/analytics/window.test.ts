import { describe, expect, it } from 'vitest';
import { encodeArrays } from '../db/array-codec.ts';
import { ecgSignal, evenBeats, syntheticEcgChunk } from '../testing/synthetic-ecg.ts';
import { binChannels } from './channels.ts';
import { analyseRecording } from './recording.ts';
import { analyseWindow, featuresFrom } from './window.ts';

const NOON = Date.UTC(2026, 2, 9, 12);
const window = { date: '2026-03-10', startMs: NOON, stopMs: NOON + 86_400_000 };

function recordingAt(offsetSeconds: number, recordingId = 'a') {
  const startUs = (NOON + offsetSeconds * 1000) * 1000;
  const chunk = syntheticEcgChunk({ beats: evenBeats(600, 0.75), seconds: 600, rateHz: 250, startUs });
  return analyseRecording(recordingId, 'MEDIAL_CHEST', [ecgSignal([chunk])], startUs, startUs + 600e6);
}

describe('a window of an ECG alone', () => {
  const { seconds, sleep } = analyseWindow(window, featuresFrom([recordingAt(3600)]), []);

  it('holds beats and no results that need motion', () => {
    expect(seconds.count).toBe(86_400);
    expect(seconds.recorded.reduce((sum, value) => sum + value, 0)).toBe(600);
    const { values } = binChannels([seconds], 60_000, NOON + 3_660_000, NOON + 4_080_000);
    for (const rate of values.heart_rate) expect(rate).toBeCloseTo(80, 0);
    for (const rmssd of values.hrv) expect(rmssd).toBeLessThan(4);
    expect(values.steps.every((value) => value === null || value === 0)).toBe(true);
    expect(values.activity.every((value) => value === null)).toBe(true);
    expect(sleep).toEqual([]);
  });

  it('is the same to the byte each time, regardless of the order of its recordings', () => {
    const two = [recordingAt(3600, 'a'), recordingAt(9000, 'b')];
    const one = encodeArrays(analyseWindow(window, featuresFrom(two), []).seconds);
    expect(encodeArrays(analyseWindow(window, featuresFrom([...two].reverse()), []).seconds)).toEqual(one);
  });

  it('ends where the next one begins: a recording over noon is in both, each second only once', () => {
    const over = [recordingAt(86_400 - 300)];
    const next = { date: '2026-03-11', startMs: window.stopMs, stopMs: window.stopMs + 86_400_000 };
    const total = [window, next]
      .map((one) => analyseWindow(one, featuresFrom(over), []).seconds)
      .reduce((sum, columns) => sum + columns.rrCount.reduce((a, b) => a + b, 0), 0);
    expect(total).toBe(
      over[0]!.sensors.flatMap((sensor) => (sensor.kind === 'ecg' ? [...sensor.beats.timesUs] : [])).length - 1,
    );
  });

  it('without recordings is empty', () => {
    const empty = analyseWindow(window, featuresFrom([]), []);
    expect(empty.seconds.recorded.includes(1)).toBe(false);
    expect(empty.sleep).toEqual([]);
  });
});
