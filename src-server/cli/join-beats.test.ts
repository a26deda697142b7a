import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { BEAT_AFTER_GAP, BEAT_ARTEFACT, BEAT_ECTOPIC, BEAT_NORMAL } from '../analytics/index.ts';
import { seededRandom } from '../testing/synthetic-ecg.ts';
import { joinBeats } from './join-beats.ts';

const START_SECOND = 1_700_000_000;

function randomSegments(count: number, random: () => number) {
  return Array.from({ length: count }, () => {
    const startSecond = START_SECOND + Math.floor(20_000 * random());
    const beats: { us: number; kind: number }[] = [];
    for (let us = startSecond * 1e6; beats.length < 3000 * random(); us += 1e6 * (0.3 + random())) {
      const kinds = [BEAT_NORMAL, BEAT_ECTOPIC, BEAT_ARTEFACT, BEAT_ARTEFACT | BEAT_AFTER_GAP];
      beats.push({ us, kind: kinds[Math.floor(random() * kinds.length)]! });
    }
    const length = 1 + Math.floor(900 * random());
    const pieces = Array.from({ length: Math.ceil(beats.length / length) + 1 }, (_, i) => {
      const own = beats.slice(i * length, (i + 1) * length);
      return {
        timesUs: Float64Array.from(own, ({ us }) => us),
        kinds: Uint8Array.from(own, ({ kind }) => kind),
      };
    });
    return { startSecond, beats, pieces: () => pieces.values() };
  });
}

it.each([0, 1, 2, 9, 40])('joins %i segments to the beats of all in order, each once', (count) => {
  const segments = randomSegments(count, seededRandom(randomInt(2 ** 31)));
  const real = segments.flatMap(({ beats }) => beats.filter(({ kind }) => (kind & ~BEAT_AFTER_GAP) !== BEAT_ARTEFACT));
  const times = real.map(({ us }) => Math.round(us / 1000)).sort((a, b) => a - b);
  const expected = count === 1 ? times : times.filter((ms, i) => i === 0 || ms - times[i - 1]! > 150);
  expect([...joinBeats(segments)].flatMap((piece) => [...piece])).toEqual(expected);
});
