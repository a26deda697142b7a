import { describe, expect, it } from 'vitest';
import { beatEdits, correctBeats } from '../../../../src-server/analytics/corrections/index.ts';
import type { Correction } from '../../../../src-server/analytics/types.ts';
import type { Beat } from '../../../../src-server/api/contract/index.ts';
import { BEAT_CODE_NAMES } from '../../../../src-server/vocabulary/corrections.ts';
import { type Applied, withCorrections } from './overlay.ts';
import { peakNear } from './peak.ts';

const START = 1_800_000_000;
const us = (seconds: number): number => Math.round((START + seconds) * 1e6);
const USES = ['USED', 'EARLY_OR_ODD', 'DOUBTFUL'] as const;

const KINDS = [
  'BEAT_ADD',
  'BEAT_MOVE',
  'BEAT_DELETE',
  'BEAT_LABEL',
  'BEAT_LABEL',
  'EXCLUDE',
  'NOT_WORN',
  'WORN',
] as const;

/** A few of many: a step of a sequence that repeats for a seed. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

describe('beats with corrections, as they show at once', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are those that the site computes with, seed %i', (seed) => {
    const random = numbers(seed);
    const next = () => random.next().value;
    const times = Array.from({ length: 50 }, (_, i) => us(0.5 + i));
    const kinds = times.map(() => Math.floor(3 * next()));
    const detected = times.map((timeUs, i): Beat => ({ timeUs, use: USES[kinds[i]!]!, isAfterBreak: false }));
    const corrections = Array.from({ length: 25 }, (): Applied => {
      const timeUs = us(0.5 + Math.floor(50 * next())) + Math.round(100_000 * (next() - 0.5));
      const code = BEAT_CODE_NAMES[Math.floor(BEAT_CODE_NAMES.length * next())];
      const startTs = Math.floor(timeUs / 1000);
      const kind = KINDS[Math.floor(KINDS.length * next())]!;
      if (kind === 'EXCLUDE' || kind === 'WORN' || kind === 'NOT_WORN')
        return { kind, startTs, stopTs: startTs + 1500 };
      return { kind, timeUs, toUs: timeUs + 45_000, code, startTs, stopTs: startTs + 1 };
    });
    const shown = withCorrections(detected, corrections);
    const site = correctBeats(
      {
        timesUs: Float64Array.from(times),
        kinds: Uint8Array.from(kinds),
        amplitudesV: new Float32Array(times.length),
      },
      {
        startSecond: START,
        count: 60,
        columns: {
          quality: new Uint8Array(60),
          contact: new Uint8Array(60).fill(1),
          unresolved: new Uint8Array(60),
        },
      },
      beatEdits(
        corrections.map(
          ({ startTs, stopTs, ...rest }): Correction =>
            ({
              ...rest,
              ...(!rest.kind.endsWith('WORN') && { recordingId: 'r' }),
              startMs: startTs,
              stopMs: stopTs,
            }) as Correction,
        ),
        'r',
      ),
    );
    const kindOf = (i: number) => site.beats.kinds[i]! & 0x0f;
    expect(shown.beats.map(({ timeUs, use }) => [timeUs, use])).toEqual(
      Array.from(site.beats.timesUs, (timeUs, i) => [timeUs, USES[kindOf(i)]]),
    );
    expect(shown.beats.map(({ correction, code, originalUs }) => [correction, code, originalUs])).toEqual(
      Array.from(site.beats.timesUs, (_, i) => {
        const change = site.changed.get(i);
        return [change?.fate, change?.code, change?.originalUs];
      }),
    );
    const timesOf = (gone: readonly { timeUs: number }[]) => gone.map(({ timeUs }) => timeUs).sort((a, b) => a - b);
    expect(timesOf(shown.gone)).toEqual(timesOf(site.gone));
  });
});

it('a beat is added on the peak near the cursor, upright or not', () => {
  const timesMs = Float64Array.from({ length: 250 }, (_, i) => 1000 + 4 * i);
  const trace = (height: number) =>
    Float32Array.from(timesMs, (ms) => 0.2 + height * Math.exp(-(((ms - 1500) / 10) ** 2)));
  for (const height of [1, -1])
    expect(peakNear([{ timesMs, values: [trace(height)], periodMs: 4 }], 1540, 80)).toBe(1500);
  expect(peakNear([], 1540, 80)).toBeUndefined();
});
