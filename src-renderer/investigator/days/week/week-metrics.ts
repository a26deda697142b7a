/** Daily metrics beside the days of a week, and the median of each over the whole study. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type DeskSubject, metricsQuery } from '../../../shared/api/queries.ts';
import { localDate } from '../../../shared/time/local-day.ts';
import type { SingleName } from '../../metrics/metric.ts';

/** The metrics that have a column in the strips and in the table of a week. */
export const WEEK_METRICS: readonly SingleName[] = [
  'SENSOR_WEAR_DURATION',
  'SLEEPING_DURATION',
  'RESTING_AVG_HR',
  'MOVING_STEPS',
];

/** Fewer days have no meaningful median; the page of the metrics uses the same bound. */
export const MIN_MEDIAN_DAYS = 5;

export function useMetricsByDate(subject: DeskSubject) {
  const metrics = useQuery(metricsQuery(subject.studyId, subject.id, WEEK_METRICS));
  return useMemo(() => {
    const items = metrics.data?.items ?? [];
    const sortedValues = (name: SingleName) => items.flatMap((item) => item.metrics[name] ?? []).sort((a, b) => a - b);
    return {
      byDate: new Map(items.map((item) => [localDate(item.dayStartMsUtc, item.subjectTz), item.metrics])),
      sorted: new Map(WEEK_METRICS.map((name) => [name, sortedValues(name)])),
      count: items.length,
      isKnown: metrics.data !== undefined,
      query: metrics,
    };
  }, [metrics]);
}

export type WeekMetrics = ReturnType<typeof useMetricsByDate>;
