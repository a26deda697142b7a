import { describe, expect, it } from 'vitest';
import { DemoClock } from './seed.ts';

describe('the clock of the story', () => {
  it('goes by what is told, never backwards and never ahead of real time, and is the real one afterwards', () => {
    let realMs = 10_000;
    const clock = new DemoClock(1000, () => realMs);
    const told = [4000, 3000, 99_000].map((ms) => {
      clock.moveTo(ms);
      return clock.now();
    });
    expect(told).toEqual([4000, 4000, 10_000]);
    clock.endOfStory();
    realMs = 12_000;
    expect(clock.now()).toBe(12_000);
  });
});
