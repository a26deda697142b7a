import { describe, expect, it } from 'vitest';
import { eventWindow } from './events.ts';

const DAY = 86_400_000;

describe('eventWindow', () => {
  it('defaults to the last 24 hours, or to 24 hours from or up to a single bound', () => {
    expect(eventWindow(undefined, undefined, 5 * DAY)).toEqual({ from: 4 * DAY, to: 5 * DAY });
    expect(eventWindow(DAY, undefined, 5 * DAY)).toEqual({ from: DAY, to: 2 * DAY });
    expect(eventWindow(undefined, 3 * DAY, 5 * DAY)).toEqual({ from: 2 * DAY, to: 3 * DAY });
  });

  it('accepts exactly 24 hours, and refuses a longer or reversed window', () => {
    expect(eventWindow(0, DAY, 0)).toEqual({ from: 0, to: DAY });
    expect(() => eventWindow(0, DAY + 1, 0)).toThrow(/24 hours/);
    expect(() => eventWindow(1, 0, 0)).toThrow(/must not be after/);
  });
});
