import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src-server/durations.ts';
import { beginRun, dropUnanswered, interruptedOf, isUnderWay, rowsUnderWay, unansweredOf } from './unanswered.ts';

const stored = new Map<string, string>();
beforeEach(() => {
  vi.useFakeTimers({ now: 10 * DAY_MS });
  stored.clear();
  vi.stubGlobal('localStorage', {
    get length() {
      return stored.size;
    },
    key: (index: number) => [...stored.keys()][index] ?? null,
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const begin = (kind: string, requestIds: Record<string, string>) => beginRun('ana', kind, requestIds, Date.now());
const interrupted = (kind: string) => interruptedOf('ana', kind, Date.now());
const unanswered = (kind: string) => unansweredOf('ana', kind, Date.now());

it('keeps the requests without an answer, with their ids, until each has come', () => {
  const note = begin('note', { a: '1', b: '2' });
  const group = begin('group', { c: '3' });
  note.ends('a', true);
  note.ends('b', false);
  expect(unanswered('note')).toEqual({ b: '2' });
  expect(unanswered('group')).toEqual({ c: '3' });
  note.ends('b', true);
  group.ends('c', true);
  expect(stored.size).toBe(0);
  note.over();
  group.over();
  expect(stored.size).toBe(0);
});

it('keeps an earlier run of the same kind, as another tab has one, and does not offer it while it runs', () => {
  const first = begin('note', { a: '1', b: '2' });
  const second = begin('note', { c: '3' });
  second.over();
  expect(unanswered('note')).toEqual({ a: '1', b: '2', c: '3' });
  expect(interrupted('note')).toEqual(['c']);
  vi.advanceTimersByTime(10 * MINUTE_MS);
  expect(interrupted('note')).toEqual(['c']);
  first.over();
  expect(interrupted('note').sort()).toEqual(['a', 'b', 'c']);
});

it('offers the rows of a tab that ended without a word, once its heartbeat is missing', () => {
  begin('note', { a: '1' });
  vi.clearAllTimers();
  expect(interrupted('note')).toEqual([]);
  vi.advanceTimersByTime(3 * MINUTE_MS);
  expect(interrupted('note')).toEqual(['a']);
});

it('offers the rows of a closed page at once', () => {
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  begin('note', { a: '1' });
  page.dispatchEvent(new Event('pagehide'));
  expect(interrupted('note')).toEqual(['a']);
});

it('dismisses the rows that are shown, and no others', () => {
  begin('note', { a: '1', b: '2' }).over();
  dropUnanswered('ana', 'note', ['a'], Date.now());
  expect(unanswered('note')).toEqual({ b: '2' });
});

it('drops a row of an earlier run when its repeated request is answered, and not a request of another id', () => {
  begin('note', { a: '1', b: '2' }).over();
  const repeated = begin('note', { a: '1', b: 'other' });
  repeated.ends('a', true);
  repeated.ends('b', true);
  expect(unanswered('note')).toEqual({ b: '2' });
});

it('knows the rows whose request is under way, also after a dialog was closed', () => {
  const run = begin('note', { a: '1' });
  run.begins('a');
  expect(isUnderWay(rowsUnderWay.get(), 'note', 'a')).toBe(true);
  expect(isUnderWay(rowsUnderWay.get(), 'group', 'a')).toBe(false);
  run.ends('a', false);
  expect(isUnderWay(rowsUnderWay.get(), 'note', 'a')).toBe(false);
});

it('shows them to the person who sent them, for a day', () => {
  begin('note', { a: '1' }).over();
  expect(unansweredOf('ben', 'note', Date.now())).toEqual({});
  expect(unansweredOf('ana', 'note', Date.now() + DAY_MS)).toEqual({});
  vi.advanceTimersByTime(DAY_MS);
  const next = begin('note', { b: '2' });
  expect(stored.size).toBe(1);
  next.over();
});

it('survives storage that is blocked, full, or holds something else', () => {
  stored.set('outpost.unanswered.x', '{"userId":"ana","requestIds":null}');
  stored.set('outpost.unanswered.y', 'no JSON');
  expect(unanswered('note')).toEqual({});
  vi.stubGlobal('localStorage', {
    length: 0,
    setItem: () => {
      throw new Error('full');
    },
    removeItem: () => undefined,
  });
  const run = begin('note', { a: '1' });
  run.over();
  expect(interrupted('note')).toEqual(['a']);
  run.ends('a', true);
  expect(interrupted('note')).toEqual([]);
  vi.unstubAllGlobals();
  vi.stubGlobal('localStorage', undefined);
  expect(unanswered('note')).toEqual({});
});
