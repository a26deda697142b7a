import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration-text.ts';

describe('a typed duration', () => {
  it.each([
    ['90', 90],
    ['0', 0],
    ['６０', 60],
    ['6 min', 360],
    ['6min.', 360],
    ['90 s', 90],
    ['1 h', 3600],
    ['1 h 30 min', 5400],
    ['1h30m15s', 5415],
    ['1.5 h', 5400],
    ['1,5 min', 90],
    ['1:30', 90],
    ['1:00:00', 3600],
    ['6分', 360],
    ['１時間３０分', 5400],
    ['45秒', 45],
    ['2分間', 120],
  ])('%s is %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', 'min', '6 apples', '-5', '1:75', '1:90:00', '30 s 1 min', '5 min 5 min', '6 min soon', '0.3 s', '1e3'])(
    'rejects "%s"',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});
