import { describe, expect, it } from 'vitest';
import { formatOf } from '../../shared/i18n/format.ts';
import { differenceText } from './difference.ts';

const format = formatOf('en');

describe('a difference of metrics', () => {
  it.each([
    ['RESTING_AVG_HR', 1.25, '1.3'],
    ['RESTING_AVG_HR', -0.04, '0.0'],
    ['SLEEPING_DURATION', 90, '1.5'],
    ['SLEEPING_ONSET_TS', -120_000, '−2.0'],
    ['CALIBRATION_GAIN_X', 0.00012, '0.000'],
    ['SLEEPING_REGULARITY', 0.1234, '0.123'],
  ])('of %s %d reads %s', (name, value, text) => {
    expect(differenceText(name, value, format)).toBe(text);
  });
});
