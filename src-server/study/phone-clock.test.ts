import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { type ClaimedClock, judgeClock } from './phone-clock.ts';

const NOW = Date.UTC(2026, 2, 10, 12);
const span = { fromMs: NOW - 20 * DAY_MS, nowMs: NOW };
const claim = (offsetMs: number, state: ClaimedClock['state'] = 'MEASURED'): ClaimedClock => ({
  offsetMs,
  uncertaintyMs: 100,
  state,
});
/** @param past offsets that the site measured at earlier contacts */
const judge = (of: ClaimedClock, rawTs: number, presentMs?: number, past: number[] = []) =>
  judgeClock(
    of,
    [rawTs],
    {
      presentMs,
      hadNear: async (offsetMs, toleranceMs) => past.some((one) => Math.abs(one - offsetMs) <= toleranceMs),
    },
    span,
  );

describe('the clock that a phone claims', () => {
  it('is used when it is what the site measures now', async () => {
    expect(await judge(claim(3 * HOUR_MS), NOW - 4 * HOUR_MS, 3 * HOUR_MS + 500)).toEqual(claim(3 * HOUR_MS));
  });

  it('is used when it is what the site measured at an earlier contact, whatever the clock shows now', async () => {
    const raw = NOW - 5 * DAY_MS;
    expect(await judge(claim(-3 * HOUR_MS), raw, 0, [-3 * HOUR_MS])).toEqual(claim(-3 * HOUR_MS));
  });

  it('is replaced by the present measurement where it contradicts all, and marked', async () => {
    expect(await judge(claim(5 * HOUR_MS), NOW - 6 * HOUR_MS, 0, [HOUR_MS])).toEqual({
      offsetMs: 0,
      // The refused offset lies within it.
      uncertaintyMs: 5 * HOUR_MS + 100,
      state: 'DISPUTED',
      claimedOffsetMs: 5 * HOUR_MS,
    });
    expect((await judge(claim(2 * MINUTE_MS + 101), NOW - HOUR_MS, 0)).state).toBe('DISPUTED');
    expect((await judge(claim(2 * MINUTE_MS + 99), NOW - HOUR_MS, 0)).state).toBe('MEASURED');
  });

  it('cannot be made plausible by a large uncertainty', async () => {
    const vague = { ...claim(HOUR_MS), uncertaintyMs: DAY_MS };
    expect((await judge(vague, NOW - 2 * HOUR_MS, 0)).state).toBe('DISPUTED');
  });

  it('is not used where it would put what was done into the future', async () => {
    const raw = NOW - MINUTE_MS;
    expect(await judge(claim(3 * HOUR_MS), raw, 0, [3 * HOUR_MS])).toMatchObject({ offsetMs: 0, state: 'DISPUTED' });
  });

  it('is an estimate after the clock was set: used within 36 hours, and never certain', async () => {
    const estimate = claim(-DAY_MS, 'CHANGED');
    expect(await judge(estimate, NOW - HOUR_MS, 0)).toEqual(estimate);
    expect(await judge(claim(-3 * DAY_MS, 'CHANGED'), NOW - HOUR_MS, 0)).toMatchObject({
      offsetMs: 0,
      state: 'CHANGED',
      claimedOffsetMs: -3 * DAY_MS,
    });
  });

  it('between two settings that the site measured is used as an estimate with its own small uncertainty', async () => {
    expect(await judge(claim(-3 * HOUR_MS, 'CHANGED'), NOW - HOUR_MS, -2 * HOUR_MS, [0])).toEqual(
      claim(-3 * HOUR_MS, 'CHANGED'),
    );
    // A phone that calls it measured gains nothing by it.
    expect(await judge(claim(-3 * HOUR_MS), NOW - HOUR_MS, -2 * HOUR_MS, [0])).toMatchObject({
      offsetMs: -2 * HOUR_MS,
      uncertaintyMs: HOUR_MS + 100,
      state: 'DISPUTED',
    });
  });

  it('stays within the range of numbers however little is known', async () => {
    const vague = { ...claim(0, 'UNKNOWN'), uncertaintyMs: 8.64e15 };
    expect((await judge(vague, NOW - HOUR_MS, 4000_000)).uncertaintyMs).toBe(8.64e15);
  });

  it('stays uncertain when the phone does not know it, even where it is right', async () => {
    expect(await judge(claim(0, 'UNKNOWN'), NOW - HOUR_MS, 0)).toMatchObject({ offsetMs: 0, state: 'UNKNOWN' });
    expect(await judge(claim(0, 'UNKNOWN'), NOW - HOUR_MS, 4000_000)).toMatchObject({ state: 'UNKNOWN' });
  });

  it('after a reset to 1970 is taken from the only claim that makes the time possible', async () => {
    const offsetMs = NOW - 5 * DAY_MS;
    expect(await judge(claim(offsetMs, 'CHANGED'), DAY_MS, 0)).toEqual(claim(offsetMs, 'CHANGED'));
    expect((await judge(claim(offsetMs), DAY_MS)).state).toBe('DISPUTED');
  });
});
