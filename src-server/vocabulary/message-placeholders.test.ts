import { expect, it } from 'vitest';
import { dateInWords, filledText, unknownPlaceholders } from './message-placeholders.ts';

it('fills each placeholder, and leaves other braces and values alone', () => {
  const values = { name: '{date}', date: '3 March 2026', study: 'Sleep' };
  expect(filledText('{name}, {date}: {study} { } {other}', values)).toBe('{date}, 3 March 2026: Sleep { } {other}');
});

it('finds typing errors in placeholders', () => {
  expect(unknownPlaceholders('Hello {nmae}, on {date} { x }')).toEqual(['nmae']);
  expect(unknownPlaceholders('{name} {study}')).toEqual([]);
});

it('writes dates in the language of the message', () => {
  expect(dateInWords('2026-03-03', 'en')).toBe('3 March 2026');
  expect(dateInWords('2026-03-03', 'ja')).toBe('2026年3月3日');
});
