/** The queries of a day's page, shared with its prefetch. */
import type { QueryClient } from '@tanstack/react-query';
import { MINUTE_MS } from '../../../src-server/durations.ts';
import { coverageQuery } from '../../shared/api/attention-queries.ts';
import { correctionsBetweenQuery } from '../../shared/api/correction-queries.ts';
import { everHeldQuery } from '../../shared/api/equipment-queries.ts';
import {
  annotationsBetweenQuery,
  channelsQuery,
  type DeskSubject,
  metricsBetweenQuery,
  recordingsBetweenQuery,
  subjectQuery,
} from '../../shared/api/queries.ts';
import { addDays, type LocalDay, localDay } from '../../shared/time/local-day.ts';
import { dayOptions, dayToOpen } from './day-options.ts';

/** The window of a day's page: from noon of the day before to midnight. */
export const dayWindow = ({ noonBeforeMs, nextMidnightMs }: LocalDay) => ({
  startMs: noonBeforeMs,
  stopMs: nextMidnightMs,
});

export function dayQueries({ studyId, id }: Pick<DeskSubject, 'studyId' | 'id'>, day: LocalDay) {
  const { startMs, stopMs } = dayWindow(day);
  return {
    perMinute: channelsQuery(studyId, id, startMs, stopMs, MINUTE_MS),
    recordings: recordingsBetweenQuery(studyId, id, startMs, stopMs),
    annotations: annotationsBetweenQuery(studyId, id, startMs, stopMs),
    corrections: correctionsBetweenQuery(studyId, id, startMs, stopMs),
    metrics: metricsBetweenQuery(studyId, id, day.date, day.date),
    equipment: everHeldQuery(studyId, id),
    coverage: coverageQuery(studyId, id, { from: addDays(day.date, -1), to: day.date }),
  };
}

/** Prefetches a day while its screen loads. A failure is ignored here: the screen fetches again and shows the error. */
export async function prefetchDay(queries: QueryClient, studyId: string, subjectId: string, date?: string) {
  const query = subjectQuery(studyId, subjectId);
  await queries.prefetchQuery(query);
  const subject = queries.getQueryData(query.queryKey);
  if (!subject) return;
  const day = localDay(date ?? dayToOpen(dayOptions(subject, Date.now())), subject.timezones);
  const { perMinute, recordings, annotations, equipment, coverage } = dayQueries(subject, day);
  void queries.prefetchQuery(perMinute);
  void queries.prefetchQuery(recordings);
  void queries.prefetchQuery(annotations);
  void queries.prefetchQuery(equipment);
  void queries.prefetchQuery(coverage);
}
