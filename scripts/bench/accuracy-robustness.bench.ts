/**
 * Beats of the MIT-BIH records in spoilt forms: other sampling rates, gains, polarity, offset, mains hum, rails, pacing
 * spikes and noise. Each row is what is lost of the F1 of the untouched records, in points of a hundred.
 */
import { extractEcgFeatures } from '../../src-server/analytics/heart/index.ts';
import { type EcgRecording, ecgDataThere, ecgInput, ecgRecordings } from './ecg-data.ts';
import { NOISES, withNoise } from './ecg-noise.ts';
import { match, realBeats } from './heart-score.ts';
import { barRow, of } from './rows.ts';
import type { BenchRow } from './types.ts';

interface Signal {
  recording: EcgRecording;
  samples: Int16Array;
}

type Spoil = (signal: Signal) => Signal;

/** Counts of an eleven-bit record have room above: this many of ours to one of the source. */
const ROOM = 16;

const scaled = (of_: (value: number, second: number, index: number) => number): Spoil => {
  return ({ recording, samples }) => ({
    recording: { ...recording, gainPerMv: recording.gainPerMv * ROOM },
    samples: Int16Array.from(samples, (value, i) =>
      Math.max(-32768, Math.min(32767, Math.round(of_((value - 1024) * ROOM, i / recording.fs, i)))),
    ),
  });
};

/** Linear interpolation of a signal that has been smoothed over the new period first when that is longer. */
const resampled = (rateHz: number): Spoil => {
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

const mains = (hz: number): Spoil =>
  scaled((value, second) => value + 0.5 * 200 * ROOM * Math.sin(2 * Math.PI * hz * second));

/** A pacemaker's spike of 2 ms and 5 mV, 60 ms before each beat that has one in three. */
const paced: Spoil = (signal) => {
  const { fs, beats } = signal.recording;
  const spikes = new Set(beats.filter((_at, i) => i % 3 !== 0).map((at) => Math.round(at - 0.06 * fs)));
  return scaled((value, _second, i) => value + (spikes.has(i) ? 5 * 200 * ROOM : 0))(signal);
};

/** The converter's rail this many millivolts from the middle of the record. */
const railed = (millivolts: number): Spoil => {
  return (signal) => {
    const middle = signal.samples.filter((_value, i) => i % 100 === 0).sort();
    const level = (middle[middle.length >> 1]! - 1024) * ROOM;
    const reach = millivolts * 200 * ROOM;
    return scaled((value) => Math.max(-reach, Math.min(reach, value - level)))(signal);
  };
};

const noisy = (kind: (typeof NOISES)[number], ratioDb: number): Spoil => {
  return ({ recording, samples }) => ({
    recording,
    samples: withNoise(samples, recording.fs, recording.beats, kind, ratioDb, 77),
  });
};

const FORMS: [name: string, spoil: Spoil, limitPoints?: number][] = [
  ['125 Hz', resampled(125), 1],
  ['250 Hz', resampled(250), 1],
  ['500 Hz', resampled(500), 1],
  ['1000 Hz', resampled(1000), 1],
  ['upside down', scaled((value) => -value), 1],
  ['a tenth of the gain', scaled((value) => value / ROOM / 10), 1],
  ['an offset of 8 mV', scaled((value) => value + 1600 * ROOM), 1],
  ['50 Hz mains of 1 mV from peak to peak', mains(50), 1],
  ['60 Hz mains of 1 mV from peak to peak', mains(60), 1],
  ['pacing spikes of 5 mV before two beats of three', paced, 1],
  ['a rail at 1 mV', railed(1), 1],
  ['a rail at 0.6 mV', railed(0.6)],
  ...NOISES.map((kind): [string, Spoil] => [`${kind} at 6 dB`, noisy(kind, 6)]),
];

function f1(spoil: Spoil, signals: Signal[]): number {
  let hits = 0;
  let wrong = 0;
  for (const signal of signals) {
    const { recording, samples } = spoil(signal);
    const beatsUs = recording.beats.map((sample) => (sample / recording.fs) * 1e6);
    const features = extractEcgFeatures(ecgInput(recording, samples), -1, 1e15);
    const matched = match(beatsUs, realBeats(features));
    hits += matched.hits;
    wrong += matched.missed.length + matched.falseBeats.length;
  }
  return (2 * hits) / (2 * hits + wrong);
}

/** Without a limit the figure is only told: a harder case than anyone promises. */
const lostRow = (name: string, value: number, limit?: number): BenchRow =>
  limit === undefined ? { name, value, unit: 'points', pass: true } : barRow(name, value, 'points', limit);

export async function run(): Promise<BenchRow[]> {
  if (!ecgDataThere()) return [];
  const signals = [...ecgRecordings()].filter(({ recording }) => recording.name.startsWith('mitdb'));
  const clean = f1((signal) => signal, signals);
  return FORMS.map(([name, spoil, limit]) => ({
    ...lostRow(`beats, F1 lost: ${name}`, 100 * (clean - f1(spoil, signals)), limit),
    accuracy: of('heart_rate', '16 records of the MIT-BIH Arrhythmia Database, changed so'),
  }));
}
