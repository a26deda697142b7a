import { expect, it } from 'vitest';
import { BANNED_PHRASES, RETIRED_NAMES } from './banned.ts';
import { bannedUses } from './check.ts';

it('finds no banned phrase and no retired name in code, texts and documents', () => {
  const uses = bannedUses().map(({ file, line, text, instead }) => `${file}:${line}: ${text} (instead: ${instead})`);
  expect(uses).toEqual([]);
});

it.each([
  'The device is told to stop.',
  'The upload goes on where it stopped.',
  'Whoever asks first wins.',
  'The item was put off until tomorrow.',
  'The file is no JSON.',
])('rejects: %s', (text) => {
  expect(BANNED_PHRASES.some(({ pattern }) => pattern.test(text))).toBe(true);
});

it.each([
  'The site tells devices to stop.',
  'There is no file with this name.',
  'A study is no longer active.',
  'The order does not matter.',
])('accepts: %s', (text) => {
  expect(BANNED_PHRASES.filter(({ pattern }) => pattern.test(text))).toEqual([]);
});

it('gives a replacement for every entry', () => {
  expect([...BANNED_PHRASES, ...RETIRED_NAMES].filter(({ instead }) => instead.length < 5)).toEqual([]);
});
