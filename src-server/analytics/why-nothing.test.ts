import { expect, it } from 'vitest';
import { ecgSignal, evenBeats, syntheticEcgChunk } from '../testing/synthetic-ecg.ts';
import { memoryStore } from './array-store.ts';
import { StoredRecording } from './stored-features.ts';
import type { SignalInput } from './types.ts';
import { whyNothing } from './why-nothing.ts';

const beats = evenBeats(30, 0.8);
const good = ecgSignal([syntheticEcgChunk({ beats, seconds: 30, rateHz: 250 })]);
const flat = ecgSignal([{ startUs: 0, periodUs: 4000, count: 5000, columns: [new Int16Array(5000)] }]);
const flutter = ecgSignal([
  {
    startUs: 0,
    periodUs: 4000,
    count: 5000,
    columns: [Int16Array.from({ length: 5000 }, (_value, i) => 1000 * Math.sin((2 * Math.PI * 4 * i) / 250))],
  },
]);
const slow = {
  ...ecgSignal([{ startUs: 0, periodUs: 1e6, count: 100, columns: [new Int16Array(100)] }]),
  nominalRateHz: 1,
};
const accel: SignalInput = {
  type: 'ACCEL',
  location: 'MEDIAL_CHEST',
  scale: [1, 1, 0],
  offset: [0, 0, 0],
  nominalRateHz: 50,
  chunks: [],
};

it.each([
  ['beats', good, []],
  ['a flat line', flat, [/No heartbeat/]],
  ['ventricular flutter', flutter, [/^In 20 s of the ECG the rhythm cannot be resolved into beats/]],
  ['one sample a second', slow, [/1 Hz; the analysis needs at least 60 Hz/]],
  ['a scale that is not a number', { ...good, scale: [Number.NaN] }, [/ECG has no usable scale/]],
  ['an axis without scale', accel, [/acceleration has no usable scale/]],
  ['no samples', { ...accel, scale: [1, 1, 1] }, [/too short/]],
] as [string, SignalInput, RegExp[]][])('explains a recording without results: %s', (_name, signal, reasons) => {
  const recording = new StoredRecording('one', signal.location, [signal], memoryStore);
  for (const chunk of signal.chunks) recording.add(0, chunk);
  recording.finish(0, 1e12);
  expect(whyNothing([signal], recording.found)).toEqual(reasons.map((reason) => expect.stringMatching(reason)));
});
