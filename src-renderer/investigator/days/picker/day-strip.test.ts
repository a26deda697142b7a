import { expect, it } from 'vitest';
import { daysInView } from './day-strip.tsx';

it('renders the days in view and some around them, however many there are', () => {
  for (const count of [30, 365, 3650]) {
    const { first, last } = daysInView(count, count - 20, count - 1);
    expect(first).toBeLessThanOrEqual(Math.max(0, count - 20));
    expect(last).toBe(count);
    expect(last - first).toBeLessThan(60);
  }
  expect(daysInView(365, -20, 20).first).toBe(0);
});

it('keeps its range while the strip scrolls by a day or two', () => {
  expect(daysInView(365, 101, 125)).toEqual(daysInView(365, 103, 127));
});
