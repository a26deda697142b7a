/** Seven days of a subject from Monday on, each from midnight to midnight, with one scale for all. */

import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { SubjectDetail } from '../../../../src-server/api/contract/index.ts';
import { MINUTE_MS } from '../../../../src-server/durations.ts';
import { channelsQuery } from '../../../shared/api/queries.ts';
import { niceRange } from '../../../shared/charts/scale.ts';
import { extent } from '../../../shared/charts/series.ts';
import { addDays, dateExists, datesBetween, type LocalDay, localDay } from '../../../shared/time/local-day.ts';
import { mondayOf } from '../../adherence/day-state.ts';
import type { DayOption } from '../day-options.ts';
import { type DayData, dayData, type Span } from '../lanes/day-data.ts';
import { recordedSpans } from '../lanes/recorded.ts';
import { useBreaks } from '../lanes/use-breaks.ts';

/** About how many steps the scale of the heart rate has: fine, so that it fits the values. */
const GRID_STEPS = 6;

export interface WeekDay {
  date: string;
  day: LocalDay;
  /** False before the first recording and after today: there is nothing to open. */
  canOpen: boolean;
  hasRecording: boolean;
  /** Absent while it loads. */
  data: DayData | undefined;
}

export function useWeek(subject: SubjectDetail, days: readonly DayOption[], date: string) {
  const { studyId, id: subjectId, timezones, recordings } = subject;
  const shown = useMemo(() => {
    const monday = mondayOf(date);
    const options = new Map(days.map((option) => [option.date, option]));
    return datesBetween(monday, addDays(monday, 6))
      .filter((one) => dateExists(one, timezones))
      .map((one) => ({
        date: one,
        day: localDay(one, timezones),
        canOpen: options.has(one),
        hasRecording: (options.get(one)?.recordedSeconds ?? 0) > 0,
      }));
  }, [date, days, timezones]);
  const queries = useQueries({
    queries: shown.map(({ day, hasRecording }) => ({
      ...channelsQuery(studyId, subjectId, day.midnightMs, day.nextMidnightMs, MINUTE_MS),
      enabled: hasRecording,
    })),
  });
  const answers = queries.map(({ data }) => data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answers themselves, whose list is new each time
  const weekOf = useCallback(
    (recorded: Span[]) =>
      shown.map((one, index): WeekDay => {
        const channels = one.hasRecording ? answers[index]?.channels : [];
        const window = { startMs: one.day.midnightMs, stopMs: one.day.nextMidnightMs };
        return { ...one, data: channels && dayData(window, channels, undefined, recorded) };
      }),
    [shown, ...answers],
  );
  const outer = useMemo(() => weekOf(recordedSpans(recordings, [])), [weekOf, recordings]);
  const wear = useMemo(() => outer.flatMap(({ data }) => data?.wear ?? []), [outer]);
  const breaks = useBreaks(studyId, recordings, wear);
  const week = useMemo(
    () => (breaks.length > 0 ? weekOf(recordedSpans(recordings, breaks)) : outer),
    [weekOf, outer, recordings, breaks],
  );
  const heartRange = useMemo(() => {
    const found = week.flatMap(({ data }) =>
      data ? (extent(data.heartRate, { ...data.window, widthPx: 1 }) ?? []) : [],
    );
    if (found.length === 0) return undefined;
    return niceRange(Math.min(...found.map(({ low }) => low)), Math.max(...found.map(({ high }) => high)), GRID_STEPS);
  }, [week]);
  return {
    week,
    heartRange,
    longestMs: Math.max(...shown.map(({ day }) => day.nextMidnightMs - day.midnightMs)),
    failed: queries.find(({ error }) => error !== null),
  };
}
