import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { GIVE_UP_AFTER_MS, nextAttemptTs } from './back-off.ts';

it('backs off for exactly 3 days, then gives up', () => {
  const giveUpTs = GIVE_UP_AFTER_MS;
  const times: number[] = [0];
  for (
    let next = nextAttemptTs(1, 0, giveUpTs);
    next !== undefined;
    next = nextAttemptTs(times.length, next, giveUpTs)
  ) {
    times.push(next);
  }
  expect(times.at(-1)).toBe(3 * DAY_MS);
  const pauses = times.slice(1).map((time, i) => time - times[i]!);
  expect(pauses[0]).toBe(5000);
  expect(pauses.slice(0, -1).every((pause, i) => i === 0 || pause >= pauses[i - 1]!)).toBe(true);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(8 * HOUR_MS);
  expect(times.length).toBeGreaterThan(10);
  expect(times.length).toBeLessThan(25);
});
