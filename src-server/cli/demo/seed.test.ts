import { describe, expect, it } from 'vitest';
import { DemoClock } from './seed.ts';

describe('the demo clock', () => {
  it('moves as set, never backwards or ahead of real time, and follows real time once released', () => {
    let realMs = 10_000;
    const clock = new DemoClock(1000, () => realMs);
    const readings = [4000, 3000, 99_000].map((ms) => {
      clock.moveTo(ms);
      return clock.now();
    });
    expect(readings).toEqual([4000, 4000, 10_000]);
    clock.release();
    realMs = 12_000;
    expect(clock.now()).toBe(12_000);
  });
});
