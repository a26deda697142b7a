import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { afterAwake } from './awake-time.ts';
import { HOUR_MS, MINUTE_MS } from './durations.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('fires after so much time, unless it is cancelled', async () => {
  const listener = vi.fn();
  afterAwake(MINUTE_MS, listener);
  afterAwake(MINUTE_MS, () => expect.unreachable())();
  await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
  expect(listener).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(listener).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(listener).toHaveBeenCalledOnce();
});

it('is not used up by a sleep, at whose end the one timer that waits is over', async () => {
  const listener = vi.fn();
  afterAwake(MINUTE_MS, listener);
  await vi.advanceTimersByTimeAsync(10_000);
  // Waking up makes one timer late, however long the sleep was.
  for (let sleeps = 0; sleeps < 5; sleeps++) vi.advanceTimersToNextTimer();
  expect(listener).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(listener).toHaveBeenCalledOnce();
});
