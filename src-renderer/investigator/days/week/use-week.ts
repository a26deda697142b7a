/** The week of a subject: seven days from Monday, each from midnight to midnight, on one common scale. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Recording } from '../../../../src-server/api/contract/index.ts';
import { MINUTE_MS } from '../../../../src-server/durations.ts';
import { channelsQuery, type DeskSubject, recordingsBetweenQuery } from '../../../shared/api/queries.ts';
import { niceRange } from '../../../shared/charts/scale.ts';
import { extent } from '../../../shared/charts/series.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import {
  addDays,
  dateExists,
  datesBetween,
  type LocalDay,
  localDateAt,
  localDay,
} from '../../../shared/time/local-day.ts';
import { useNow } from '../../../shared/time/now.ts';
import { mondayOf } from '../../adherence/day-state.ts';
import type { DayOption } from '../day-options.ts';
import { type DayData, dayData, type Span } from '../lanes/day-data.ts';
import { recordedIn, recordedSpans } from '../lanes/recorded.ts';
import { useBreaks } from '../lanes/use-breaks.ts';

/** Approximate number of steps on the heart rate scale; many, so that the range fits the values closely. */
const GRID_STEPS = 6;
const NO_RECORDINGS: readonly Recording[] = [];

export interface WeekDay {
  date: string;
  day: LocalDay;
  /** False before the first recording and after today. */
  canOpen: boolean;
  hasRecording: boolean;
  /** Undefined while it loads. */
  data: DayData | undefined;
}

/** One heart rate scale for all days; undefined without a value. */
export function heartRangeOf(week: readonly WeekDay[]): ReturnType<typeof niceRange> | undefined {
  const found = week.flatMap(({ data }) =>
    data ? (extent(data.heartRate, { ...data.window, widthPx: 1 }) ?? []) : [],
  );
  if (found.length === 0) return undefined;
  return niceRange(Math.min(...found.map(({ low }) => low)), Math.max(...found.map(({ high }) => high)), GRID_STEPS);
}

export function useWeek(subject: DeskSubject, days: readonly DayOption[], date: string) {
  const { studyId, id: subjectId, timezones } = subject;
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
  const nowMs = Math.min(useNow().nowMs, shown.at(-1)?.day.nextMidnightMs ?? 0);
  const channelSets = queries.map(({ data }) => data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on each set, since their array is new every render
  const weekOf = useCallback(
    (recorded: Span[]) =>
      shown.map((one, index): WeekDay => {
        const channels = one.hasRecording ? channelSets[index]?.channels : [];
        const window = { startMs: one.day.midnightMs, stopMs: one.day.nextMidnightMs };
        return { ...one, data: channels && dayData(window, channels, undefined, recorded, nowMs) };
      }),
    [shown, nowMs, ...channelSets],
  );
  const span = useMemo(
    () => ({ startMs: shown[0]?.day.midnightMs ?? 0, stopMs: shown.at(-1)?.day.nextMidnightMs ?? 0 }),
    [shown],
  );
  const found = useQuery(recordingsBetweenQuery(studyId, subjectId, span.startMs, span.stopMs));
  const recordings = found.data?.items ?? NO_RECORDINGS;
  const withoutBreaks = useMemo(() => weekOf(recordedIn(subject, span)), [weekOf, subject, span]);
  const wear = useMemo(() => withoutBreaks.flatMap(({ data }) => data?.wear ?? []), [withoutBreaks]);
  const breaks = useBreaks(studyId, recordings, wear);
  const week = useMemo(
    () => (breaks.length > 0 ? weekOf(recordedSpans(recordings, breaks)) : withoutBreaks),
    [weekOf, withoutBreaks, recordings, breaks],
  );
  const heartRange = useMemo(() => heartRangeOf(week), [week]);
  return {
    week,
    heartRange,
    longestMs: Math.max(...shown.map(({ day }) => day.nextMidnightMs - day.midnightMs)),
    failed: queries.find(({ error }) => error !== null),
  };
}

export function useWeekTitle(week: readonly WeekDay[]): string {
  const { t, format } = useWords();
  const [first, last] = [week[0], week.at(-1)];
  if (!first || !last) return '';
  const span = format.span(first.date, last.date);
  return t('week.title', { from: span.first, to: span.last });
}

/** Why a day of the week cannot be opened: it lies in the future, or before the first recording. */
export function useUnavailableText({ timezones }: DeskSubject): (date: string) => string {
  const { t } = useWords();
  return (date) => t(date > localDateAt(Date.now(), timezones) ? 'week.toCome' : 'week.before');
}
