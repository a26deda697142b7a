import { beforeEach, expect, it, vi } from 'vitest';
import { DAY_MS } from '../../../src-server/durations.ts';
import { dropUnanswered, keepUnanswered, unansweredOf } from './unanswered.ts';

let stored: string | null = null;
beforeEach(() => {
  stored = null;
  vi.stubGlobal('localStorage', {
    getItem: () => stored,
    setItem: (_: string, text: string) => {
      stored = text;
    },
    removeItem: () => {
      stored = null;
    },
  });
});

it('keeps the requests without an answer, with their ids, until each has come', () => {
  keepUnanswered('ana', 'note', { a: '1', b: '2' }, 0);
  keepUnanswered('ana', 'group', { c: '3' }, 0);
  dropUnanswered('ana', 'note', 'a');
  expect(unansweredOf('ana', 'note', 1)).toEqual({ b: '2' });
  expect(unansweredOf('ana', 'group', 1)).toEqual({ c: '3' });
  dropUnanswered('ana', 'note', 'b');
  dropUnanswered('ana', 'group');
  expect(stored).toBeNull();
});

it('shows them to the person who sent them, for a day', () => {
  keepUnanswered('ana', 'note', { a: '1' }, 0);
  expect(unansweredOf('ben', 'note', 1)).toEqual({});
  expect(unansweredOf('ana', 'note', DAY_MS)).toEqual({});
});

it('survives storage that holds something else', () => {
  stored = '{"userId":"ana","runs":null}';
  expect(() => unansweredOf('ana', 'note', 1)).not.toThrow();
  stored = 'no JSON';
  expect(() => unansweredOf('ana', 'note', 1)).not.toThrow();
});
