import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { realData } from '../../testing/real-data.ts';
import { ecgSignal, evenBeats, seededRandom, syntheticEcgChunk } from '../../testing/synthetic-ecg.ts';
import { intervalsOf } from '../hrv/index.ts';
import type { SignalChunk } from '../types.ts';
import { BEAT_AFTER_GAP, BEAT_ECTOPIC, BEAT_KIND_MASK, BEAT_NORMAL, extractEcgFeatures } from './index.ts';

const EVER = 1e16;
const features = (chunks: SignalChunk[], scale?: number) => extractEcgFeatures(ecgSignal(chunks, scale), 0, EVER);
const firstFeatures = (chunks: SignalChunk[]) => features(chunks)[0]!;

/** Largest distance of found beats to the true ones, ms; the counts must be equal. */
function worstMs(found: Float64Array, beats: number[], startUs = 0): number {
  expect(found.length).toBe(beats.length);
  return Math.max(...beats.map((at, i) => Math.abs(found[i]! - startUs - at * 1e6) / 1000));
}

describe('beats', () => {
  const seconds = 60;
  const beats = evenBeats(seconds, 0.83, (t) => 0.05 * Math.sin(t));

  it.each([
    ['125 Hz', { rateHz: 125 }],
    ['130 Hz', { rateHz: 130 }],
    ['250 Hz', { rateHz: 250 }],
    ['360 Hz', { rateHz: 360 }],
    ['500 Hz', { rateHz: 500 }],
    ['1000 Hz', { rateHz: 1000 }],
    ['10 kHz', { rateHz: 10_000 }],
    ['upside down', { rateHz: 250, gain: -1000 }],
    ['low gain', { rateHz: 250, gain: 60 }],
    ['high gain and offset', { rateHz: 250, gain: 9000, offset: 12_000 }],
    ['noise of 100 uV on 1 mV', { rateHz: 250, noise: 0.1 }],
  ])('are found in any signal: %s', (_name, options) => {
    const found = firstFeatures([syntheticEcgChunk({ beats, seconds, startUs: 1.7e15, ...options })]);
    expect(worstMs(found.beats.timesUs, beats, 1.7e15)).toBeLessThan('noise' in options ? 12 : 6);
  });

  it('are timed between samples', () => {
    const found = firstFeatures([syntheticEcgChunk({ beats, seconds, rateHz: 125, noise: 0.005 })]);
    expect(worstMs(found.beats.timesUs, beats)).toBeLessThan(3);
  });

  it('are found exactly once across the overlap of two blocks and pages with a drifting clock', () => {
    const long = evenBeats(1900, 0.9);
    const whole = syntheticEcgChunk({ beats: long, seconds: 1900, rateHz: 200 });
    const pages: SignalChunk[] = [];
    for (let from = 0; from < whole.count; from += 12_000) {
      const column = whole.columns[0]!.subarray(from, from + 12_000) as Int16Array;
      pages.push({ startUs: from * 5001, periodUs: 5001, count: column.length, columns: [column] });
    }
    const found = firstFeatures(pages);
    expect(
      worstMs(
        found.beats.timesUs,
        long.map((at) => at * 1.0002),
      ),
    ).toBeLessThan(6);
  });

  it('are marked as ectopic when ventricular or premature, and no others are', () => {
    const early = [...beats];
    early[20]! -= 0.25;
    const found = firstFeatures([syntheticEcgChunk({ beats: early, seconds, rateHz: 250, ventricular: [40] })]);
    expect(found.beats.timesUs.length).toBe(early.length);
    const ectopic = [...found.beats.kinds.keys()].filter(
      (i) => (found.beats.kinds[i]! & BEAT_KIND_MASK) === BEAT_ECTOPIC,
    );
    expect(ectopic).toEqual([20, 40]);
  });

  it('stay normal when the lead changes permanently, as when an electrode is moved', () => {
    const many = evenBeats(300, 0.8);
    // From the middle onwards every complex has the shape of another lead.
    const turned = many.flatMap((at, i) => (at > 200 ? [i] : []));
    const found = firstFeatures([syntheticEcgChunk({ beats: many, seconds: 300, rateHz: 250, ventricular: turned })]);
    const ectopic = [...found.beats.kinds.keys()].filter((i) => (found.beats.kinds[i]! & BEAT_KIND_MASK) !== 0);
    // Right after the change there are too few of the new shape to recognise it.
    expect(ectopic.length).toBeLessThan(32);
  });

  it('have no interval across a gap', () => {
    const first = syntheticEcgChunk({ beats, seconds, rateHz: 250 });
    const second = syntheticEcgChunk({ beats, seconds, rateHz: 250, startUs: 65e6 });
    const found = firstFeatures([first, second]);
    const afterGap = [...found.beats.kinds.keys()].filter((i) => found.beats.kinds[i]! & BEAT_AFTER_GAP);
    expect(afterGap).toEqual([0, beats.length]);
    const { quality, contact } = found.seconds.columns;
    expect([...quality.subarray(60, 65), ...contact.subarray(60, 65)]).toEqual(new Array(10).fill(0));
    expect(Math.min(...quality.subarray(2, 58))).toBeGreaterThan(50);
  });
});

describe('a signal that begins or ends inside a complex', () => {
  const seconds = 40;
  const beats = evenBeats(seconds, 0.83, (t) => 0.05 * Math.sin(t));
  const rateHz = 130;
  const whole = syntheticEcgChunk({ beats, seconds, rateHz, noise: 0.01 });
  const wholeTimes = [...firstFeatures([whole]).beats.timesUs];

  it.each(['begins', 'ends'])('has no beat at a wrong time, and only the cut one is missing, where it %s', (side) => {
    const at = Math.round(beats[20]! * rateHz);
    for (let shift = -40; shift <= 40; shift++) {
      const from = side === 'begins' ? at + shift : 0;
      const to = side === 'begins' ? whole.count : at + shift;
      const columns = [whole.columns[0]!.slice(from, to)];
      const part = { startUs: from * whole.periodUs, periodUs: whole.periodUs, count: to - from, columns };
      const found = [...firstFeatures([part]).beats.timesUs];
      const errorsMs = found.map((us) => Math.min(...wholeTimes.map((other) => Math.abs(other - us))) / 1000);
      expect(Math.max(...errorsMs), `cut ${shift} samples from the peak`).toBeLessThan(5);
      const safe = wholeTimes.filter((us) => us > part.startUs + 60_000 && us < to * whole.periodUs - 60_000);
      expect(found.length).toBeGreaterThanOrEqual(safe.length);
    }
  });
});

/** The chunk with `wave(second, index)` counts added to every sample, clipped at the rails. */
function disturbed(chunk: SignalChunk, wave: (second: number, index: number) => number, limit = 32767): SignalChunk {
  const column = Int16Array.from(chunk.columns[0]!, (value, i) =>
    Math.max(-limit, Math.min(limit, Math.round(value + wave((i * chunk.periodUs) / 1e6, i)))),
  );
  return { ...chunk, columns: [column] };
}

/** F1 within 150 ms of the true beats, times in seconds. */
function f1(found: Float64Array, beats: number[]): number {
  const hits = beats.filter((at) => found.some((us) => Math.abs(us / 1e6 - at) < 0.15)).length;
  return (2 * hits) / (found.length + beats.length);
}

describe('beats in a disturbed signal', () => {
  const seconds = 300;
  const beats = evenBeats(seconds, 0.83, (t) => 0.05 * Math.sin(t));
  const clean = syntheticEcgChunk({ beats, seconds, rateHz: 250 });
  /** At 12 dB, signal power being an eighth of the squared QRS height (1.25 R waves of 1000 counts). */
  const noiseSd = Math.sqrt(1250 ** 2 / 8 / 10 ** 1.2);

  it.each([50, 60])('are found in mains hum of %i Hz as high as the R wave from peak to peak', (hz) => {
    const found = firstFeatures([disturbed(clean, (t) => 500 * Math.sin(2 * Math.PI * hz * t))]);
    expect(f1(found.beats.timesUs, beats)).toBeGreaterThan(0.99);
  });

  it.each([50, 60])('are found in mains hum of %i Hz twice as high as the R wave, with unchanged timing', (hz) => {
    const found = firstFeatures([disturbed(clean, (t) => 1000 * Math.sin(2 * Math.PI * hz * t))]);
    expect(f1(found.beats.timesUs, beats)).toBe(1);
    expect(worstMs(found.beats.timesUs, beats)).toBeLessThan(6);
  });

  it('are found where wide complexes clip at the rail for 60 ms', () => {
    const wide = syntheticEcgChunk({ beats, seconds, rateHz: 250, ventricular: beats.map((_at, i) => i) });
    const found = firstFeatures([disturbed(wide, () => 0, 500)]);
    expect(f1(found.beats.timesUs, beats)).toBe(1);
  });

  it('are found in baseline wander, electrode motion and muscle noise at 12 dB', () => {
    const random = seededRandom(5);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    let pull = 0;
    const noises: [string, (second: number) => number][] = [
      ['baseline wander', (t) => Math.SQRT2 * noiseSd * Math.sin(2 * Math.PI * 0.3 * t)],
      ['muscle', () => noiseSd * normal()],
      [
        'electrode motion',
        () => {
          if (random() < 0.7 / 250) pull += 2.4 * noiseSd * normal();
          pull *= Math.exp(-1 / 125);
          return pull;
        },
      ],
    ];
    for (const [name, wave] of noises) {
      const found = firstFeatures([disturbed(clean, wave)]);
      expect(f1(found.beats.timesUs, beats), name).toBeGreaterThan(0.99);
    }
  });

  it('are the QRS complexes, not the pacemaker spikes before them', () => {
    const spikes = new Set(beats.map((at) => Math.round((at - 0.06) * 250)));
    const found = firstFeatures([disturbed(clean, (_t, i) => (spikes.has(i) ? 2500 : 0))]);
    expect(found.beats.timesUs.length).toBe(beats.length);
    expect(f1(found.beats.timesUs, beats)).toBe(1);
  });

  it('are found where the R waves clip at the rail', () => {
    const found = firstFeatures([disturbed(clean, () => 0, 500)]);
    expect(f1(found.beats.timesUs, beats)).toBe(1);
  });

  it('yield no rate and no variability while a lead is off', () => {
    const off = (t: number) => (t >= 100 && t < 110) || (t >= 200 && t < 202.5);
    const column = Int16Array.from(clean.columns[0]!, (value, i) => (off(i / 250) ? 32767 : value));
    const found = firstFeatures([{ ...clean, columns: [column] }]);
    expect([...found.beats.timesUs].filter((us) => off(us / 1e6 - 0.2) && off(us / 1e6 + 0.2))).toEqual([]);
    const { contact } = found.seconds.columns;
    expect([...contact.subarray(101, 109)]).toEqual(new Array(8).fill(0));
    const series = intervalsOf([found], 0, seconds);
    expect(Math.max(...series.intervalMs)).toBeLessThan(1100);
  });
});

describe('unusable ECG input', () => {
  const chunk = (column: Int16Array, periodUs: number, startUs = 0): SignalChunk => ({
    startUs,
    periodUs,
    count: column.length,
    columns: [column],
  });

  it('yields no beats from a scale that is not a number, from 1 Hz and from two samples', () => {
    const good = syntheticEcgChunk({ beats: evenBeats(30, 0.8), seconds: 30, rateHz: 250 });
    expect(features([good], Number.NaN)).toEqual([]);
    expect(features([chunk(new Int16Array(100), 1e6)])).toEqual([]);
    const two = firstFeatures([chunk(new Int16Array([1, 2]), 4000)]);
    expect(two.beats.timesUs.length).toBe(0);
  });

  it('yields no beats, no quality and no contact from a flat line or a saturated lead', () => {
    for (const level of [0, 32767]) {
      const flat = firstFeatures([chunk(new Int16Array(5000).fill(level), 4000)]);
      expect(flat.beats.timesUs.length).toBe(0);
      expect(flat.seconds.columns.quality.some((value) => value > 0)).toBe(false);
      expect(flat.seconds.columns.contact.subarray(1).some((value) => value > 0)).toBe(false);
    }
  });

  it('takes no memory for a gap of ten years between two pages', () => {
    const beats = evenBeats(30, 0.8);
    const segments = features([
      syntheticEcgChunk({ beats, seconds: 30, rateHz: 250 }),
      syntheticEcgChunk({ beats, seconds: 30, rateHz: 250, startUs: 3.2e14 }),
    ]);
    expect(segments.map(({ seconds, beats }) => [seconds.count, beats.timesUs.length])).toEqual([
      [30, beats.length],
      [30, beats.length],
    ]);
  });

  it('yields the same features for the same input', () => {
    const good = syntheticEcgChunk({ beats: evenBeats(60, 0.8), seconds: 60, rateHz: 250, noise: 0.2 });
    expect(features([good])).toEqual(features([good]));
  });
});

interface ReferenceRecord {
  /** Sample positions of the reference beats. */
  beats: number[];
  fs: number;
  gainPerMv: number;
}

/** Features of a recording with reference beats. */
function analyseReference(path: string) {
  const { beats, fs, gainPerMv } = JSON.parse(readFileSync(path, 'utf8')) as ReferenceRecord;
  const samples = new Int16Array(new Uint8Array(gunzipSync(readFileSync(path.replace('.json', '.i16.gz')))).buffer);
  const chunk = { startUs: 0, periodUs: 1e6 / fs, count: samples.length, columns: [samples] };
  return { found: extractEcgFeatures(ecgSignal([chunk], 1e-3 / gainPerMv), -1, EVER)[0]!, beats, fs };
}

const record = realData('ecg/mitdb-100.json');
describe.runIf(record)('MIT-BIH record 100', () => {
  it('yields its 2273 beats and hardly any false one', () => {
    const { found, beats, fs } = analyseReference(record!);
    expect(Math.abs(found.beats.timesUs.length - beats.length)).toBeLessThan(4);
    const times = found.beats.timesUs;
    const missed = beats.filter((at) => !times.some((us) => Math.abs(us - (at / fs) * 1e6) < 30_000));
    expect(missed.length).toBeLessThan(3);
    const normal = found.beats.kinds.filter((kind) => (kind & BEAT_KIND_MASK) === BEAT_NORMAL).length;
    expect(normal).toBeGreaterThan(2200);
  });
});

const strap = realData('ecg/polar-h10.json');
describe.runIf(strap)('a chest strap in ventricular trigeminy', () => {
  it('uses none of the premature beats for variability and excludes hardly any normal one', () => {
    const { found, beats, fs } = analyseReference(strap!);
    const { timesUs, kinds } = found.beats;
    const isUsed = (sample: number): boolean =>
      timesUs.some(
        (us, i) => Math.abs(us - (sample / fs) * 1e6) < 150_000 && (kinds[i]! & BEAT_KIND_MASK) === BEAT_NORMAL,
      );
    // Every interval of this strap is either above 600 ms or below 520 ms.
    const early = beats.filter((at, i) => i > 0 && (at - beats[i - 1]!) / fs < 0.56);
    const normal = beats.filter((at, i) => i > 0 && (at - beats[i - 1]!) / fs >= 0.56);
    expect(early.length).toBeGreaterThan(240);
    expect(early.filter(isUsed)).toEqual([]);
    expect(normal.filter((at) => !isUsed(at)).length).toBeLessThan(0.02 * normal.length);
  });
});
