import { describe, expect, it } from 'vitest';
import { eventWindow } from './events.ts';

const DAY = 86_400_000;

describe('eventWindow', () => {
  it('is the last 24 hours by default, or 24 hours from the one bound given', () => {
    expect(eventWindow(undefined, undefined, 5 * DAY)).toEqual({ from: 4 * DAY, to: 5 * DAY });
    expect(eventWindow(DAY, undefined, 5 * DAY)).toEqual({ from: DAY, to: 2 * DAY });
    expect(eventWindow(undefined, 3 * DAY, 5 * DAY)).toEqual({ from: 2 * DAY, to: 3 * DAY });
  });

  it('takes exactly 24 hours and refuses a millisecond more, or less than none', () => {
    expect(eventWindow(0, DAY, 0)).toEqual({ from: 0, to: DAY });
    expect(() => eventWindow(0, DAY + 1, 0)).toThrow(/24 hours/);
    expect(() => eventWindow(1, 0, 0)).toThrow(/must not be after/);
  });
});
