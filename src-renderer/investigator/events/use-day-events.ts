/** The events of one study on one day of this computer's time zone, with the names of their subjects. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DAY_MS } from '../../../src-server/durations.ts';
import { eventsQuery } from '../../shared/api/message-queries.ts';
import { subjectsQuery } from '../../shared/api/queries.ts';
import { fixedZone, localDay } from '../../shared/time/local-day.ts';
import { eventRows } from './event-list.ts';

/** @param studyId undefined until the studies have loaded: nothing is read before */
export function useDayEvents(studyId: string | undefined, date: string, timeZone: string) {
  const day = useMemo(() => localDay(date, fixedZone(timeZone)), [date, timeZone]);
  // The interface returns at most 24 hours at a time, so a day of 25 hours takes two requests.
  const lastMs = day.nextMidnightMs - 1;
  const splitMs = Math.min(lastMs, day.midnightMs + DAY_MS);
  const first = useQuery({ ...eventsQuery(studyId ?? '', day.midnightMs, splitMs), enabled: studyId !== undefined });
  const rest = useQuery({
    ...eventsQuery(studyId ?? '', splitMs + 1, lastMs),
    enabled: studyId !== undefined && splitMs < lastMs,
  });
  const subjects = useQuery({ ...subjectsQuery(studyId ?? ''), enabled: studyId !== undefined }).data?.items;
  const rows = useMemo(
    () =>
      eventRows(
        [...(first.data?.items ?? []), ...(rest.data?.items ?? [])],
        new Map(subjects?.map(({ id, displayName }) => [id, displayName])),
      ),
    [first.data, rest.data, subjects],
  );
  return { query: first, rows, subjects: subjects ?? [] };
}
