/**
 * Robustness of beat detection: the MIT-BIH records at other sampling rates and gains, with inverted polarity, offset, mains
 * hum, clipping, pacing spikes and noise. Each row is the loss of F1 against the original records, in percentage points.
 */
import { extractEcgFeatures } from '../../src-server/analytics/heart/index.ts';
import { type EcgRecording, ecgInput, ecgRecordings, hasEcgData } from './ecg-data.ts';
import { NOISES, withNoise } from './ecg-noise.ts';
import { match, realBeats } from './heart-score.ts';
import { accuracyOf, barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

interface Signal {
  recording: EcgRecording;
  samples: Int16Array;
}

type Distortion = (signal: Signal) => Signal;

/** An eleven-bit record leaves headroom in 16 bits: each source count becomes this many. */
const HEADROOM = 16;

const mapped = (convert: (value: number, second: number, index: number) => number): Distortion => {
  return ({ recording, samples }) => ({
    recording: { ...recording, gainPerMv: recording.gainPerMv * HEADROOM },
    samples: Int16Array.from(samples, (value, i) =>
      Math.max(-32768, Math.min(32767, Math.round(convert((value - 1024) * HEADROOM, i / recording.fs, i)))),
    ),
  });
};

/** Resamples by linear interpolation, after smoothing over the new period when it is longer. */
const resampled = (rateHz: number): Distortion => {
  return ({ recording, samples }) => {
    const step = recording.fs / rateHz;
    const reach = Math.max(1, Math.round(step));
    const out = new Int16Array(Math.floor((samples.length - reach - 1) / step));
    for (let i = 0; i < out.length; i++) {
      const at = i * step;
      const first = Math.floor(at);
      let sum = 0;
      for (let k = 0; k < reach; k++) {
        const j = Math.max(0, first + k - (reach >> 1));
        sum += samples[j]! + (at - first) * ((samples[j + 1]! ?? samples[j]!) - samples[j]!);
      }
      out[i] = Math.round(sum / reach);
    }
    const beats = recording.beats.map((sample) => sample / step).filter((sample) => sample < out.length);
    return { recording: { ...recording, fs: rateHz, beats }, samples: out };
  };
};

const mains = (hz: number): Distortion =>
  mapped((value, second) => value + 0.5 * 200 * HEADROOM * Math.sin(2 * Math.PI * hz * second));

/** Adds a pacemaker spike of 5 mV, 60 ms before two of every three beats. */
const paced: Distortion = (signal) => {
  const { fs, beats } = signal.recording;
  const spikes = new Set(beats.filter((_at, i) => i % 3 !== 0).map((at) => Math.round(at - 0.06 * fs)));
  return mapped((value, _second, i) => value + (spikes.has(i) ? 5 * 200 * HEADROOM : 0))(signal);
};

/** Clips the signal this many millivolts from the middle of the record. */
const clipped = (millivolts: number): Distortion => {
  return (signal) => {
    const middle = signal.samples.filter((_value, i) => i % 100 === 0).sort();
    const level = (middle[middle.length >> 1]! - 1024) * HEADROOM;
    const reach = millivolts * 200 * HEADROOM;
    return mapped((value) => Math.max(-reach, Math.min(reach, value - level)))(signal);
  };
};

const noisy = (kind: (typeof NOISES)[number], ratioDb: number): Distortion => {
  return ({ recording, samples }) => ({
    recording,
    samples: withNoise(samples, recording.fs, recording.beats, kind, ratioDb, 77),
  });
};

const FORMS: [name: string, distort: Distortion, limitPoints?: number][] = [
  ['125 Hz', resampled(125), 1],
  ['250 Hz', resampled(250), 1],
  ['500 Hz', resampled(500), 1],
  ['1000 Hz', resampled(1000), 1],
  ['inverted polarity', mapped((value) => -value), 1],
  ['a tenth of the gain', mapped((value) => value / HEADROOM / 10), 1],
  ['an offset of 8 mV', mapped((value) => value + 1600 * HEADROOM), 1],
  ['50 Hz mains of 1 mV from peak to peak', mains(50), 1],
  ['60 Hz mains of 1 mV from peak to peak', mains(60), 1],
  ['pacing spikes of 5 mV before two beats of three', paced, 1],
  ['clipping at 1 mV', clipped(1), 1],
  ['clipping at 0.6 mV', clipped(0.6)],
  ...NOISES.map((kind): [string, Distortion] => [`${kind} at 6 dB`, noisy(kind, 6)]),
];

function f1(distort: Distortion, signals: Signal[]): number {
  let hits = 0;
  let wrong = 0;
  for (const signal of signals) {
    const { recording, samples } = distort(signal);
    const beatsUs = recording.beats.map((sample) => (sample / recording.fs) * 1e6);
    const features = extractEcgFeatures(ecgInput(recording, samples), -1, 1e15);
    const matched = match(beatsUs, realBeats(features));
    hits += matched.hits;
    wrong += matched.missed.length + matched.falseBeats.length;
  }
  return (2 * hits) / (2 * hits + wrong);
}

/** Without a limit, the figure is informative only. */
const lostRow = (name: string, value: number, limit?: number): BenchRow =>
  limit === undefined ? { name, value, unit: 'points', pass: true } : barRow(name, value, 'points', limit);

export async function run(): Promise<BenchRow[]> {
  if (!hasEcgData()) return [];
  const signals = [...ecgRecordings()].filter(({ recording }) => recording.name.startsWith('mitdb'));
  const clean = f1((signal) => signal, signals);
  return FORMS.map(([name, distort, limit]) => ({
    ...lostRow(`beats, F1 lost: ${name}`, 100 * (clean - f1(distort, signals)), limit),
    accuracy: accuracyOf('heart_rate', '16 records of the MIT-BIH Arrhythmia Database, modified'),
  }));
}
