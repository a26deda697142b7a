import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Announced, announceDelayMs } from './announced.tsx';

it('announces the beginning and the end at once, and the progress of a long run every few seconds', () => {
  expect(announceDelayMs(Number.POSITIVE_INFINITY, false)).toBeLessThan(500);
  expect(announceDelayMs(1_000, false)).toBe(4_000);
  expect(announceDelayMs(1_000, true)).toBeLessThan(500);
});

it('is in the document before its first text', () => {
  const html = renderToStaticMarkup(createElement(Announced, { text: '0 of 4 done.', isEnd: false }));
  expect(html).toBe('<span role="status" class="visually-hidden"></span>');
});
