import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { holdPage, isFree, whenFree } from './free.ts';

let hash = '';
const page = new EventTarget();
beforeEach(() => {
  vi.stubGlobal('location', {
    get hash() {
      return hash;
    },
  });
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
});
afterEach(() => vi.unstubAllGlobals());

const go = (to: string) => {
  hash = to;
  page.dispatchEvent(new Event('hashchange'));
};

it('loads a page again where nothing is typed alone', () => {
  const free = ['', '#/', '#/today', '#/done/2026-11-20/a', '#/waiting'];
  const busy = [
    '#/draft/a/2',
    '#/task/2026-11-20/a',
    '#/messages',
    '#/problem/S',
    '#/record/S',
    '#/type',
    '#/confirm',
    '#1&t=A',
  ];
  for (const [hashes, expected] of [
    [free, true],
    [busy, false],
  ] as const)
    for (const one of hashes) {
      hash = one;
      expect([one, isFree()]).toEqual([one, expected]);
    }
});

it('waits for the end of a survey, and of a recording', () => {
  const act = vi.fn();
  hash = '#/draft/a/2';
  whenFree(act);
  go('#/draft/a/3');
  const release = holdPage();
  go('#/today');
  expect(act).not.toHaveBeenCalled();
  release();
  release();
  expect(act).toHaveBeenCalledOnce();
  go('#/more');
  expect(act).toHaveBeenCalledOnce();
  expect(isFree()).toBe(true);
});
