/** Classes of the daily metrics, by their units. */
import { METRIC_NAMES } from '../../analytics/metric-names.ts';
import { type Disclosure, MEASURE, TIME_MS } from './disclosure.ts';

interface MetricDisclosure {
  shows: Disclosure;
  /** True for a sum of seconds from midnight to midnight. */
  isTimeOfDay: boolean;
}

export const METRIC_DISCLOSURES: ReadonlyMap<string, MetricDisclosure> = new Map(
  METRIC_NAMES.map(({ name, unit, state }) => [
    name,
    {
      shows: unit === 'utc_milliseconds' ? TIME_MS : MEASURE,
      isTimeOfDay: unit === 'seconds' && state !== 'SLEEPING',
    },
  ]),
);
