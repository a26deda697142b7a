import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
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
