import { expect, it } from 'vitest';
import { intensitySiteOf } from '../../analytics/epochs/cut-points.ts';
import { bodySiteOf } from '../../analytics/motion/body-site.ts';
import type { Correction } from '../../analytics/types.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { completeParameters } from '../../vocabulary/analysis-parameters.ts';
import { isOfWholeRecording, LOCATIONS } from '../../vocabulary/placements.ts';
import { inputsHashOf } from './analyse.ts';

const SPAN = { startMs: 0, stopMs: DAY_MS };
const physicalConfig = { location: 'MEDIAL_CHEST', side: 'NONE' as const };
const recording = (sha256: string, startHour = 1) => ({
  sha256,
  startUs: startHour * HOUR_MS * 1000,
  stopUs: (startHour + 1) * HOUR_MS * 1000,
  physicalConfig,
});
const standing = { startMs: 5000, stopMs: 9000, posture: 'STANDING' as const };
const lying = { startMs: 15_000, stopMs: 19_000, posture: 'LYING' as const };

it('hashes the inputs of a result independently of their order', () => {
  const name = inputsHashOf(SPAN, [recording('a'), recording('b')], [standing, lying]);
  expect(inputsHashOf(SPAN, [recording('b'), recording('a')], [lying, standing])).toBe(name);
  // A distant recording does not affect the hash.
  expect(inputsHashOf(SPAN, [recording('a'), recording('b'), recording('c', 40)], [standing, lying])).toBe(name);
});

it('changes the hash for other samples, another body location or another label', () => {
  const name = inputsHashOf(SPAN, [recording('a')], [standing]);
  expect(inputsHashOf(SPAN, [recording('b')], [standing])).not.toBe(name);
  expect(
    inputsHashOf(SPAN, [{ ...recording('a'), physicalConfig: { ...physicalConfig, location: 'SACRUM' } }], [standing]),
  ).not.toBe(name);
  expect(inputsHashOf(SPAN, [recording('a')], [lying])).not.toBe(name);
});

it('changes the hash for a correction of the wear elsewhere in a recording of a wrist, and not of a chest', () => {
  const long = (location: string) => ({
    ...recording('a'),
    stopUs: 5 * DAY_MS * 1000,
    physicalConfig: { ...physicalConfig, location },
  });
  const correction = (kind: 'NOT_WORN' | 'AWAKE'): Correction => ({
    kind,
    startMs: 4 * DAY_MS,
    stopMs: 4 * DAY_MS + HOUR_MS,
  });
  const isChanged = (location: string, one: Correction): boolean =>
    inputsHashOf(SPAN, [long(location)], [], [one]) !== inputsHashOf(SPAN, [long(location)], []);
  expect(isChanged('WRIST', correction('NOT_WORN'))).toBe(true);
  expect(isChanged('LOWER_BACK', correction('NOT_WORN'))).toBe(true);
  expect(isChanged('MEDIAL_CHEST', correction('NOT_WORN'))).toBe(false);
  expect(isChanged('WRIST', correction('AWAKE'))).toBe(false);
});

it('knows every place of which rest and activity are computed over the whole recording', () => {
  for (const location of [...LOCATIONS, 'WAIST'])
    expect(isOfWholeRecording(location), location).toBe(intensitySiteOf(bodySiteOf(location)) !== null);
});

it('covers parameters only where they differ from the defaults', () => {
  const name = inputsHashOf(SPAN, [recording('a')], [standing]);
  const of = (given: Parameters<typeof completeParameters>[0]) =>
    inputsHashOf(SPAN, [recording('a')], [standing], [], completeParameters(given));
  expect(of({})).toBe(name);
  expect(of({ nonWear: 'van-hees-2013' })).toBe(name);
  expect(new Set([name, of({ nonWear: 'choi-2011' }), of({ rhythm: { pauseSeconds: 2 } })]).size).toBe(3);
});
