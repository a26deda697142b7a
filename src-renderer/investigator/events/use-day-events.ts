/** The events of one study on one day of this computer's time zone, with the names of their subjects. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DAY_MS } from '../../../src-server/durations.ts';
import { loadPages } from '../../shared/api/list-queries.ts';
import { useListAround } from '../../shared/api/long-list.ts';
import { eventPagesQuery, fetchEvents } from '../../shared/api/message-queries.ts';
import { subjectsQuery } from '../../shared/api/queries.ts';
import { fixedZone, localDay } from '../../shared/time/local-day.ts';
import { eventRows } from './event-list.ts';

/**
 * @param studyId undefined until the studies have loaded: nothing is read before
 * @param shownSequence number of an event of the day to begin with
 */
export function useDayEvents(
  studyId: string | undefined,
  date: string,
  timeZone: string,
  shownSequence: string | undefined,
) {
  const windows = useMemo(() => dayWindows(studyId ?? '', date, timeZone), [studyId, date, timeZone]);
  const list = useListAround(shownSequence, (around) => eventPagesQuery(windows.first, around), studyId !== undefined);
  const { rest } = windows;
  const last = useQuery({
    queryKey: ['event', studyId, rest?.fromMs, rest?.toMs],
    queryFn: ({ signal }) => loadPages(true, (page) => fetchEvents(rest!, page, signal)),
    enabled: rest !== undefined,
  }).data?.items;
  const subjects = useQuery({ ...subjectsQuery(studyId ?? ''), enabled: studyId !== undefined }).data?.items;
  const names = useMemo(() => new Map(subjects?.map(({ id, displayName }) => [id, displayName])), [subjects]);
  const rows = useMemo(() => eventRows([...(last ?? []), ...list.items], names), [last, list.items, names]);
  return {
    list,
    rows,
    shownKey: list.shownIndex < 0 ? undefined : rows[(last?.length ?? 0) + list.shownIndex]?.key,
    /** Of the study; undefined until they have loaded. */
    subjects,
    /** All events of the day, also those that have not been read. */
    readAll: async () => {
      const parts = [...(rest ? [rest] : []), windows.first];
      const events = await Promise.all(parts.map((part) => loadPages(true, (page) => fetchEvents(part, page))));
      return eventRows(
        events.flatMap(({ items }) => items),
        names,
      );
    },
  };
}

/** The interface returns at most 24 hours at a time, so a day of 25 hours has two windows. */
function dayWindows(studyId: string, date: string, timeZone: string) {
  const { midnightMs, nextMidnightMs } = localDay(date, fixedZone(timeZone));
  const lastMs = nextMidnightMs - 1;
  const splitMs = Math.min(lastMs, midnightMs + DAY_MS);
  return {
    first: { studyId, fromMs: midnightMs, toMs: splitMs },
    rest: splitMs < lastMs ? { studyId, fromMs: splitMs + 1, toMs: lastMs } : undefined,
  };
}
