import { expect, it } from 'vitest';
import { indexOfText } from './type-ahead.ts';

const days = [
  ['Sun, May 31, 2026', '2026-05-31', '31'],
  ['Mon, June 1, 2026', '2026-06-01', '1'],
  ['Tue, June 2, 2026', '2026-06-02', '2'],
  ['Mon, June 8, 2026', '2026-06-08', '8'],
];
const find = (text: string, first: number) => indexOfText(text, first, days.length, (index) => days[index]!);

it('goes to the next item whose name begins with the text, and around the end', () => {
  expect(find('mon', 0)).toBe(1);
  expect(find('mon', 2)).toBe(3);
  expect(find('sun', 2)).toBe(0);
  expect(find('2026-06-02', 0)).toBe(2);
  expect(find('8', 0)).toBe(3);
  expect(find('x', 0)).toBeUndefined();
  expect(indexOfText('a', 0, 0, () => [])).toBeUndefined();
});
