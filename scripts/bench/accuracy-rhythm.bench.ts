/**
 * Selection of the beats used for heart rate variability, against the reference labels: premature ventricular beats that are
 * used, and normal beats that are left out. Also the detection of flutter and fibrillation, which have no separate beats.
 */
import { BEAT_KIND_MASK, BEAT_NORMAL, extractEcgFeatures } from '../../src-server/analytics/heart/index.ts';
import { intervalsOf } from '../../src-server/analytics/hrv/index.ts';
import type { EcgFeatures } from '../../src-server/analytics/types.ts';
import { ecgSignal, evenBeats, syntheticEcgChunk } from '../../src-server/testing/synthetic-ecg.ts';
import { fibrillationWave, flutterWave, interruptedEcg } from '../../src-server/testing/synthetic-rhythm.ts';
import { type EcgRecording, ecgInput, ecgRecordings, hasEcgData } from './ecg-data.ts';
import { accuracyOf, barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

const NORMAL = 'NLRej';
const VENTRICULAR = 'VE';
const MATCH_US = 150_000;
const TYPED = '16 records of the MIT-BIH Arrhythmia Database';
const STRAP = 'a Polar H10 chest strap, premature beats by the intervals of the strap';
/** Intervals of the strap are above 600 ms or below 520 ms; a shorter one ends in a ventricular beat (every third beat). */
const STRAP_EARLY_MS = 560;
/** A longer interval between two normal beats contains a beat that the strap missed. */
const STRAP_LATE_MS = 900;

interface Count {
  used: number;
  all: number;
}

const share = ({ used, all }: Count): number => used / Math.max(1, all);
const add = (sum: Count, { used, all }: Count): void => {
  sum.used += used;
  sum.all += all;
};

/** Returns the reference beats of a record whose type is known: by label, or by interval for the strap. */
function typed(recording: EcgRecording): { timeUs: number; isVentricular: boolean; isNormal: boolean }[] {
  const { beats, labels, fs, name } = recording;
  return beats.flatMap((sample, i) => {
    const timeUs = (sample / fs) * 1e6;
    if (labels) {
      return [{ timeUs, isVentricular: VENTRICULAR.includes(labels[i]!), isNormal: NORMAL.includes(labels[i]!) }];
    }
    if (name !== 'polar-h10' || i === 0) return [];
    const isVentricular = (sample - beats[i - 1]!) / fs < STRAP_EARLY_MS / 1000;
    return [{ timeUs, isVentricular, isNormal: !isVentricular }];
  });
}

function countUsed(recording: EcgRecording, features: EcgFeatures): { ventricular: Count; leftOut: Count } {
  const { timesUs, kinds } = features.beats;
  const ventricular: Count = { used: 0, all: 0 };
  const leftOut: Count = { used: 0, all: 0 };
  let k = 0;
  for (const { timeUs, isVentricular, isNormal } of typed(recording)) {
    while (k < timesUs.length && timesUs[k]! < timeUs - MATCH_US) k++;
    const isFound = k < timesUs.length && Math.abs(timesUs[k]! - timeUs) <= MATCH_US;
    const isUsed = isFound && (kinds[k]! & BEAT_KIND_MASK) === BEAT_NORMAL;
    if (isVentricular) add(ventricular, { used: isUsed ? 1 : 0, all: 1 });
    if (isNormal) add(leftOut, { used: isUsed ? 0 : 1, all: 1 });
  }
  return { ventricular, leftOut };
}

function rmssdMs(features: EcgFeatures, seconds: number): number {
  const series = intervalsOf([features], 0, seconds);
  let squares = 0;
  let n = 0;
  for (let i = 1; i < series.endUs.length; i++) {
    if (!series.follows[i] || !series.normal[i] || !series.normal[i - 1]) continue;
    squares += (series.intervalMs[i]! - series.intervalMs[i - 1]!) ** 2;
    n++;
  }
  return Math.sqrt(squares / n);
}

/** RMSSD of the strap's own beats: differences of the two intervals between three consecutive normal beats. */
function strapRmssdMs(recording: EcgRecording): number {
  const beats = typed(recording);
  let squares = 0;
  let n = 0;
  for (let i = 2; i < beats.length; i++) {
    if (![i, i - 1, i - 2].every((index) => beats[index]!.isNormal)) continue;
    const longest = Math.max(beats[i]!.timeUs - beats[i - 1]!.timeUs, beats[i - 1]!.timeUs - beats[i - 2]!.timeUs);
    if (longest > STRAP_LATE_MS * 1000) continue;
    squares += ((beats[i]!.timeUs - 2 * beats[i - 1]!.timeUs + beats[i - 2]!.timeUs) / 1000) ** 2;
    n++;
  }
  return Math.sqrt(squares / n);
}

const unresolvedOf = ({ seconds }: EcgFeatures): number =>
  seconds.columns.unresolved!.filter((seconds: number) => seconds > 0).length;

/** Counts the beats reported within one minute of flutter or fibrillation, over several rates and sampling rates. */
function beatsInFlutter(): Count {
  const sum: Count = { used: 0, all: 0 };
  for (const rateHz of [125, 250, 500]) {
    const waves = [
      ...[180, 220, 260, 300, 350].map((rate) => flutterWave(rate, rateHz, rate)),
      ...[3.5, 4.5, 5.5, 6.5, 7.5].map((hz) => fibrillationWave(hz, rateHz, 10 * hz)),
    ];
    for (const wave of waves) {
      const { chunk } = interruptedEcg(wave, { seconds: 180, rateHz, fromSecond: 60, toSecond: 120 });
      const [found] = extractEcgFeatures(ecgSignal([chunk]), 0, 1e16);
      const inside = found!.beats.timesUs.filter((us) => us > 60.2e6 && us < 119.8e6).length;
      add(sum, { used: inside, all: 1 });
    }
  }
  return sum;
}

/** Counts the detected beats of narrow QRS complexes at 180 to 220 per minute. */
function fastBeats(): Count {
  const sum: Count = { used: 0, all: 0 };
  for (const rate of [180, 190, 200, 210, 220]) {
    for (const noise of [0.02, 0.1]) {
      const beats = evenBeats(180, 60 / rate, (t) => 0.01 * Math.sin(t));
      const chunk = syntheticEcgChunk({ beats, seconds: 180, rateHz: 250, noise, seed: rate });
      const [found] = extractEcgFeatures(ecgSignal([chunk]), 0, 1e16);
      add(sum, { used: found!.beats.timesUs.length, all: beats.length });
    }
  }
  return sum;
}

/** Rates to which recordings at rest are sped up: those of narrow-complex tachycardia or hard exercise. */
const FAST_RATES = [180, 200, 220];

/** Speeds up a real ECG. Its complexes become narrower too, unlike in a tachycardia, so this is only a regression check. */
function playedFast(recording: EcgRecording, samples: Int16Array): { found: Count; unresolved: number } {
  const perMinute = (60 * recording.beats.length * recording.fs) / samples.length;
  const found: Count = { used: 0, all: 0 };
  let unresolved = 0;
  for (const rate of FAST_RATES) {
    const fast = { ...recording, fs: (recording.fs * rate) / perMinute };
    const [features] = extractEcgFeatures(ecgInput(fast, samples), -1, 1e16);
    add(found, { used: Math.min(features!.beats.timesUs.length, recording.beats.length), all: recording.beats.length });
    unresolved += unresolvedOf(features!);
  }
  return { found, unresolved };
}

export async function run(): Promise<BenchRow[]> {
  if (!hasEcgData()) return [];
  const ventricular: Count = { used: 0, all: 0 };
  const leftOut: Count = { used: 0, all: 0 };
  const rows: BenchRow[] = [];
  const played: Count = { used: 0, all: 0 };
  let unresolved = 0;
  for (const { recording, samples } of ecgRecordings()) {
    const [features] = extractEcgFeatures(ecgInput(recording, samples), -1, 1e16);
    unresolved += unresolvedOf(features!);
    if (recording.name.startsWith('marsh')) {
      const fast = playedFast(recording, samples);
      add(played, fast.found);
      unresolved += fast.unresolved;
    }
    const counts = countUsed(recording, features!);
    if (counts.leftOut.all === 0) continue;
    const { ventricular: v, leftOut: n } = counts;
    rows.push({
      name: `${recording.name}: ventricular beats used, ${v.used} of ${v.all}; normal beats left out, ${n.used} of ${n.all}`,
      value: 100 * share(n),
      unit: '% of normal',
      pass: true,
    });
    if (recording.labels) {
      add(ventricular, v);
      add(leftOut, n);
      continue;
    }
    const seconds = Math.ceil(samples.length / recording.fs);
    const apart = Math.abs(rmssdMs(features!, seconds) - strapRmssdMs(recording));
    rows.push(
      {
        ...barRow('trigeminy on a chest strap: ventricular beats used', 100 * share(v), '%', 1),
        accuracy: accuracyOf('rmssd', STRAP),
      },
      {
        ...barRow('trigeminy on a chest strap: RMSSD against that of the normal beats', apart, 'ms', 5),
        accuracy: accuracyOf('rmssd', STRAP),
      },
    );
  }
  const inFlutter = beatsInFlutter();
  return [
    ...rows,
    {
      ...barRow('ventricular beats used for variability', 100 * share(ventricular), '%', 1.5),
      accuracy: accuracyOf('rmssd', TYPED),
    },
    {
      ...barRow('normal beats left out of variability', 100 * share(leftOut), '%', 3),
      accuracy: accuracyOf('rmssd', TYPED),
    },
    barRow('seconds without beats in recordings that have none', unresolved, 's', 0),
    {
      ...barRow(
        'beats reported per minute of ventricular flutter and fibrillation',
        inFlutter.used / inFlutter.all,
        '/min',
        1,
      ),
      accuracy: accuracyOf('heart_rate', 'synthetic signals, 180 to 450 per minute, between normal beats'),
    },
    barRow('beats found in real ECGs played at 180 to 220 per minute', 100 * share(played), '%', 98, true),
    {
      ...barRow('beats found at 180 to 220 per minute with narrow complexes', 100 * share(fastBeats()), '%', 99, true),
      accuracy: accuracyOf('heart_rate', 'synthetic signals'),
    },
  ];
}
