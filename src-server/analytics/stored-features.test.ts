import { createHash, randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { seededRandom, syntheticEcgChunk } from '../testing/synthetic-ecg.ts';
import { type Episode, syntheticMotion } from '../testing/synthetic-motion.ts';
import { type ArrayStore, memoryStore } from './array-store.ts';
import { analyseRecording } from './recording.ts';
import { featuresAround, type PieceLengths, StoredRecording } from './stored-features.ts';
import type { NoonWindow, SignalChunk, SignalInput } from './types.ts';
import { analyseWindow, featuresFrom } from './window.ts';

const HOUR_SECONDS = 3600;
const START_US = 1_700_000_000_000_000;
const ALWAYS = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

/** The same value with a hash in place of every array, so that a difference is one line. */
const hashed = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, one: unknown) => {
      if (!ArrayBuffer.isView(one)) return one;
      const bytes = new Uint8Array(one.buffer, one.byteOffset, one.byteLength);
      return `${one.constructor.name} ${one.byteLength} ${createHash('sha256').update(bytes).digest('hex')}`;
    }),
  );

/** Random pages of one chunk: up to a minute, a few lost, some before a gap of seconds or hours, some sent twice or too late. */
function randomPages(chunk: SignalChunk, random: () => number): SignalChunk[] {
  const pages: SignalChunk[] = [];
  let shiftUs = 0;
  for (let first = 0; first < chunk.count; ) {
    const count = Math.min(chunk.count - first, 1 + Math.floor((random() * 60e6) / chunk.periodUs));
    const page = {
      startUs: chunk.startUs + first * chunk.periodUs + shiftUs,
      periodUs: chunk.periodUs,
      count,
      columns: chunk.columns.map((column) => column.slice(first, first + count)),
    };
    const chance = random();
    if (chance >= 0.03) pages.push(page);
    if (chance > 0.97) pages.push(pages[Math.floor(random() * pages.length)]!);
    if (chance > 0.94 && chance < 0.96) shiftUs += 1e6 * (random() < 0.1 ? 2 * HOUR_SECONDS : 30 * random());
    first += count;
  }
  return pages;
}

/** A heart with ectopic beats and noise by spells. */
function randomEcg(seconds: number, rateHz: number, random: () => number): SignalChunk {
  const beats: number[] = [];
  for (let time = 0.6; time < seconds - 1; ) {
    beats.push(time);
    time += random() < 0.02 ? 0.35 : 0.6 + 0.1 * Math.sin(time / 40) + 0.02 * random();
  }
  const ventricular = beats.flatMap((_time, i) => (random() < 0.01 ? [i] : []));
  const chunk = syntheticEcgChunk({ beats, seconds, rateHz, ventricular, startUs: START_US });
  for (let spell = 0; spell < seconds; spell += 600 * random()) {
    const from = Math.floor(spell * rateHz);
    const noisy = chunk.columns[0]!.subarray(from, from + Math.floor(20 * random() * rateHz));
    const flat = random() < 0.3;
    for (let i = 0; i < noisy.length; i++) noisy[i] = flat ? 0 : Math.round(2000 * (random() - 0.5));
  }
  return chunk;
}

/** Walks of up to two minutes, each followed by rest. */
function randomEpisodes(seconds: number, longestRestSeconds: number, random: () => number): Episode[] {
  const rests = ['sit', 'stand', 'lieBack', 'lieLeft', 'off'] as const;
  const episodes: Episode[] = [];
  for (let time = 0; time < seconds; time += episodes.at(-2)!.seconds + episodes.at(-1)!.seconds) {
    episodes.push(
      { doing: random() < 0.2 ? 'run' : 'walk', seconds: 5 + 115 * random() },
      { doing: rests[Math.floor(random() * rests.length)]!, seconds: 40 + longestRestSeconds * random() },
    );
  }
  return episodes;
}

/** One chunk of acceleration; `syntheticMotion` makes one page of all where its pages are long enough. */
function randomMotion(site: 'chest' | 'thigh', episodes: Episode[], rateHz: number): SignalInput {
  return syntheticMotion({ site, episodes, rateHz, startUs: START_US, pageSeconds: 1e6 });
}

function storedOf(signals: readonly SignalInput[], store: ArrayStore, lengths?: PieceLengths): StoredRecording {
  const recording = new StoredRecording('one', 'MEDIAL_CHEST', signals, store, lengths);
  for (const [index, { chunks }] of signals.entries()) for (const chunk of chunks) recording.add(index, chunk);
  const pages = signals.flatMap(({ chunks }) => [...chunks]);
  const stops = pages.map(({ startUs, count, periodUs }) => startUs + count * periodUs);
  recording.finish(Math.min(...pages.map(({ startUs }) => startUs)), Math.max(...stops));
  return recording;
}

function countingStore(): ArrayStore & { pieces: number } {
  const store = { ...memoryStore, pieces: 0 };
  store.put = (arrays) => {
    store.pieces++;
    return memoryStore.put(arrays);
  };
  return store;
}

it.each([1, 2, 3, randomInt(2 ** 31)])('finds the same features in pieces as in one pass, seed %i', (seed) => {
  const random = seededRandom(seed);
  const ecg = randomPages(randomEcg(4000, 100 + 100 * random(), random), random);
  const motionAt = (rateHz: number) => {
    const signal = randomMotion(random() < 0.5 ? 'chest' : 'thigh', randomEpisodes(1500, 60, random), rateHz);
    return { ...signal, chunks: [...signal.chunks].flatMap((chunk) => randomPages(chunk, random)) };
  };
  const other = motionAt(31.25);
  const published = motionAt(50);
  const last = published.chunks.at(-1)!;
  const laterUs = last.startUs + last.count * last.periodUs - other.chunks[0]!.startUs;
  // Starts with a rate for which the counts have a published resampling, and continues without a gap at one that has none.
  const changing = {
    ...other,
    chunks: [...published.chunks, ...other.chunks.map((page) => ({ ...page, startUs: page.startUs + laterUs }))],
  };
  const heart: SignalInput = {
    type: 'ECG',
    location: 'MEDIAL_CHEST',
    scale: [1e-6],
    offset: [0],
    nominalRateHz: 128,
    chunks: ecg,
  };
  const signals = [heart, other, published, changing];
  const whole = analyseRecording('one', 'MEDIAL_CHEST', signals, ...ALWAYS);
  const unlimited = storedOf(signals, memoryStore, { ecgBeats: Infinity, motionSeconds: Infinity });
  const store = countingStore();
  const inPieces = storedOf(signals, store, { ecgBeats: 300, motionSeconds: 60 + Math.floor(100 * random()) });
  const sensorsOf = (recording: StoredRecording) => hashed(recording.around(0, 1e15).whole!());
  expect(sensorsOf(unlimited)).toEqual(hashed(whole.sensors));
  expect(sensorsOf(inPieces)).toEqual(hashed(whole.sensors));
  expect(store.pieces).toBeGreaterThan(20);
  const beats = whole.sensors.flatMap((sensor) => (sensor.kind === 'ecg' ? [...sensor.beats.timesUs] : []));
  expect(beats.length).toBeGreaterThan(3000);
  const pieces = inPieces.beatSegments().flatMap((segment) => [...segment.pieces()]);
  expect(pieces.flatMap(({ timesUs }) => [...timesUs])).toEqual(beats);
});

it.each([randomInt(2 ** 31)])(
  'computes the same windows from the features around them as from all, seed %i',
  (seed) => {
    const random = seededRandom(seed);
    const seconds = 13 * HOUR_SECONDS;
    const motionOf = (site: 'chest' | 'thigh', rateHz: number): SignalInput => {
      const { chunks, ...source } = randomMotion(site, randomEpisodes(seconds, 2 * HOUR_SECONDS, random), rateHz);
      return { ...source, chunks: [...chunks].flatMap((chunk) => randomPages(chunk, random)) };
    };
    const beats: SignalInput = {
      type: 'ECG',
      location: 'MEDIAL_CHEST',
      scale: [1e-6],
      offset: [0],
      nominalRateHz: 64,
      chunks: randomPages(randomEcg(2 * HOUR_SECONDS, 64, random), random),
    };
    const signals = [beats, motionOf('chest', 10), motionOf('thigh', 10)];
    const recording = storedOf(signals, memoryStore, { ecgBeats: 300, motionSeconds: 900 });
    const whole = {
      ...analyseRecording('one', 'MEDIAL_CHEST', signals, ...ALWAYS),
      startUs: recording.startUs,
      stopUs: recording.stopUs,
    };
    const startMs = START_US / 1000;
    const windows = [0, 5.5, 11.9].map(
      (hours): NoonWindow => ({
        date: `${hours}`,
        startMs: startMs + hours * HOUR_SECONDS * 1000,
        stopMs: startMs + (hours + 1) * HOUR_SECONDS * 1000,
      }),
    );
    let recordedSeconds = 0;
    for (const window of windows) {
      const expected = analyseWindow(window, featuresFrom([whole]), []);
      recordedSeconds += expected.seconds.recorded.reduce((sum, one) => sum + one, 0);
      expect(hashed(analyseWindow(window, featuresAround([recording]), []))).toEqual(hashed(expected));
    }
    // A single window can lie in a gap of hours.
    expect(recordedSeconds).toBeGreaterThan(1000);
    const { sensors } = recording.around(windows[2]!.startMs, windows[2]!.stopMs);
    const rowsOf = (all: typeof sensors): number =>
      all.reduce(
        (sum, one) => sum + (one.kind === 'motion' ? one.segments.reduce((n, { count }) => n + count, 0) : 0),
        0,
      );
    expect(rowsOf(sensors)).toBeLessThan(0.8 * rowsOf(whole.sensors));
  },
);
