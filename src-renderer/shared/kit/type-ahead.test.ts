import { createElement, type KeyboardEvent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { indexOfText, useTypeAhead } from './type-ahead.ts';

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

it('knows whether a letter continues a text, for a second after the last one', () => {
  let made: ReturnType<typeof useTypeAhead>;
  renderToStaticMarkup(
    createElement(() => {
      made = useTypeAhead(2, (index) => [['AB-1', 'MX-1'][index]!]);
      return null;
    }),
  );
  const typed = (key: string, timeStamp: number) => ({ key, timeStamp }) as KeyboardEvent;
  expect(made!.isTyping(typed('x', 0))).toBe(false);
  expect(made!.find(typed('m', 0), 0)).toBe(1);
  expect(made!.isTyping(typed('x', 500))).toBe(true);
  expect(made!.find(typed('x', 500), 1)).toBe(1);
  expect(made!.isTyping(typed('x', 1_500))).toBe(false);
});
