import { describe, expect, it } from 'vitest';
import { requireModestJson } from './json-bounds.ts';

const isRefused = (value: unknown): boolean => {
  try {
    requireModestJson(typeof value === 'string' ? value : JSON.stringify(value));
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_JSON' });
    return true;
  }
};
const objects = (count: number, members: number, nameOf: (i: number, k: number) => string) =>
  Array.from({ length: count }, (_, i) =>
    Object.fromEntries(Array.from({ length: members }, (_unused, k) => [nameOf(i, k), 1])),
  );

describe('the bounds of a JSON text', () => {
  it('let pass as many objects as fit, as long as they are alike', () => {
    expect(isRefused(objects(50_000, 12, (_i, k) => `member${k}`))).toBe(false);
    expect(isRefused({ text: '{"a":'.repeat(5000), more: '\\"\\\\":"{[' })).toBe(false);
  });

  it.each([
    ['a member each of another name', objects(3000, 1, (i) => `k${i}`)],
    ['one object of many members', objects(1, 3000, (_i, k) => `k${k}`)],
    [
      'the same names in ever other orders',
      objects(3000, 12, (i, k) => `k${(k * (1 + (i % 11)) + i) % 13}_${(i >> k) & 1}`),
    ],
    ['escaped and spaced names', `[${Array.from({ length: 3000 }, (_, i) => `{"\\u0061${i}" \n:1}`).join(',')}]`],
  ])('refuse objects that all differ: %s', (_name, value) => {
    expect(isRefused(value)).toBe(true);
  });

  it('refuse deep nesting, and bear texts that are no JSON', () => {
    expect(isRefused(`${'['.repeat(65)}1${']'.repeat(65)}`)).toBe(true);
    expect(isRefused(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`)).toBe(false);
    expect(isRefused(']]]}}}"')).toBe(false);
  });
});
