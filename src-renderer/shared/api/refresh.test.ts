import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { refreshQueries } from './refresh.ts';

/** A read takes longer than the shortest time between two refreshes of a key. */
const READ_MS = 2_000;
const CHANGE_MS = 1_500;

let queries: QueryClient;
/** What the site holds, and what reads of it returned or threw. */
let version: number;
let reads: number;
let mostAtOnce: number;
let isFailing: boolean;

const follow = () => {
  let running = 0;
  const observer = new QueryObserver(queries, {
    queryKey: ['device', 'clinic'],
    retry: false,
    queryFn: async ({ signal }) => {
      const seen = version;
      const fails = isFailing;
      reads++;
      mostAtOnce = Math.max(mostAtOnce, ++running);
      await new Promise((resolve) => setTimeout(resolve, READ_MS));
      running--;
      if (signal.aborted || fails) throw new Error('The disk did not answer.');
      return seen;
    },
  });
  observer.subscribe(() => undefined);
  return observer;
};
const change = () => {
  version++;
  refreshQueries(queries, ['device']);
};

beforeEach(() => {
  vi.useFakeTimers();
  queries = new QueryClient();
  [version, reads, mostAtOnce, isFailing] = [1, 0, 0, false];
});
afterEach(() => {
  queries.clear();
  vi.useRealTimers();
});

it('slow reads end while changes keep coming, one at a time', async () => {
  const observer = follow();
  await vi.advanceTimersByTimeAsync(READ_MS);
  expect(observer.getCurrentResult().data).toBe(1);
  for (let index = 0; index < 20; index++) {
    change();
    await vi.advanceTimersByTimeAsync(CHANGE_MS);
  }
  expect(observer.getCurrentResult().data).toBeGreaterThan(18);
  expect(mostAtOnce).toBe(1);
});

it('the error of a slow read shows while changes keep coming', async () => {
  const observer = follow();
  await vi.advanceTimersByTimeAsync(READ_MS);
  isFailing = true;
  for (let index = 0; index < 4; index++) {
    change();
    await vi.advanceTimersByTimeAsync(CHANGE_MS);
  }
  expect(observer.getCurrentResult()).toMatchObject({ status: 'error', data: 1 });
});

it('a change during a read is read afterwards, once for all changes, also during the first read', async () => {
  const observer = follow();
  await vi.advanceTimersByTimeAsync(READ_MS / 2);
  for (let index = 0; index < 5; index++) change();
  await vi.advanceTimersByTimeAsync(READ_MS / 2);
  expect(observer.getCurrentResult().data).toBe(1);
  await vi.advanceTimersByTimeAsync(READ_MS);
  expect(observer.getCurrentResult()).toMatchObject({ data: 6, fetchStatus: 'idle' });
  await vi.advanceTimersByTimeAsync(10 * READ_MS);
  expect(reads).toBe(2);
});

it('a change while nothing is under way is read at once, and a key of another topic is left alone', async () => {
  const observer = follow();
  await vi.advanceTimersByTimeAsync(READ_MS);
  refreshQueries(queries, ['upload']);
  expect(observer.getCurrentResult().fetchStatus).toBe('idle');
  change();
  await vi.advanceTimersByTimeAsync(READ_MS);
  expect(observer.getCurrentResult()).toMatchObject({ data: 2, fetchStatus: 'idle' });
  refreshQueries(queries);
  expect(observer.getCurrentResult().fetchStatus).toBe('fetching');
});
