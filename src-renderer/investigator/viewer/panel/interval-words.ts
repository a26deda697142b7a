/** The interval between the calipers in words, for the panel and the strip. */
import type { Format } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import type { Interval } from '../data/measure.ts';

/** Returns the length in milliseconds and the rate per minute. */
export const intervalWords = ({ durationMs, perMinute }: Interval, t: Translate, format: Format): [string, string] => [
  t('viewer.ms', { value: format.number(durationMs) }),
  t('viewer.perMinute', { value: format.number(perMinute, 1) }),
];
