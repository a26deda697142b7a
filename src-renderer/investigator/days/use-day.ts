/** Data of one day of a subject: windows, channels, marks and data stages, and the lanes made of them. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { SubjectDetail } from '../../../src-server/api/contract/index.ts';
import { channelsQuery } from '../../shared/api/queries.ts';
import type { Bracket, TimelineWords } from '../../shared/charts/timeline/types.ts';
import type { TimelineView } from '../../shared/charts/timeline/view.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { preferences } from '../../shared/preferences.ts';
import { useStore } from '../../shared/store.ts';
import { localDay, zonesBetween } from '../../shared/time/local-day.ts';
import { useFaultName } from '../coverage/words.ts';
import { dayQueries, dayWindow } from './day-queries.ts';
import { dayData, type Span } from './lanes/day-data.ts';
import { type DayMark, dayMarks } from './lanes/day-marks.ts';
import { laneOrder } from './lanes/lane-styles.ts';
import { dayLanes } from './lanes/lanes.ts';
import { pathLanes, type SensorPath, sensorPaths } from './lanes/path-lanes.ts';
import { recordedSpans } from './lanes/recorded.ts';
import { useBreaks } from './lanes/use-breaks.ts';

export type Range = 'both' | 'day' | 'night';

/** Bin width of the heart rate ribbon and of short activities, which load after the data per minute. */
const FINE_INTERVAL_MS = 10_000;

/** The day with the night before it, and the chosen part of the two. */
export function useWindows({ timezones }: SubjectDetail, date: string, range: Range) {
  return useMemo(() => {
    const day = localDay(date, timezones);
    const window = dayWindow(day);
    const whole: Record<Range, TimelineView> = {
      both: window,
      day: { startMs: day.midnightMs, stopMs: day.nextMidnightMs },
      night: { startMs: day.noonBeforeMs, stopMs: day.noonMs },
    };
    return { day, window, whole: whole[range] };
  }, [timezones, date, range]);
}

export type Windows = ReturnType<typeof useWindows>;

/** Channels of a window: per minute first, then in finer bins. */
export function useDayData(subject: SubjectDetail, { day, window }: Windows) {
  const { studyId, id: subjectId, recordings } = subject;
  const coarse = useQuery(dayQueries(subject, day).perMinute);
  const fine = useQuery({
    ...channelsQuery(studyId, subjectId, window.startMs, window.stopMs, FINE_INTERVAL_MS),
    enabled: coarse.isSuccess,
  });
  const dataOf = useCallback(
    (recorded: Span[]) =>
      coarse.data &&
      dayData(
        window,
        coarse.data.channels,
        fine.data && { channels: fine.data.channels, intervalMs: FINE_INTERVAL_MS },
        recorded,
      ),
    [window, coarse.data, fine.data],
  );
  const withoutBreaks = useMemo(() => dataOf(recordedSpans(recordings, [])), [dataOf, recordings]);
  const breaks = useBreaks(studyId, recordings, withoutBreaks?.wear);
  const data = useMemo(
    () => (breaks.length > 0 ? dataOf(recordedSpans(recordings, breaks)) : withoutBreaks),
    [dataOf, withoutBreaks, recordings, breaks],
  );
  return { coarse, data };
}

export function useMarks(subject: SubjectDetail, { day, window }: Windows) {
  const queries = dayQueries(subject, day);
  const annotations = useQuery(queries.annotations);
  const equipment = useQuery(queries.equipment);
  const faultName = useFaultName();
  const { t } = useWords();
  const marks = useMemo(() => {
    const sources = [...(equipment.data?.items ?? []), ...subject.recordings.map(({ faults }) => ({ faults }))];
    const answerText = (answer: string | undefined) =>
      answer === 'YES' ? t('days.yes') : answer === 'NO' ? t('days.no') : answer;
    return dayMarks(annotations.data?.items ?? [], sources, window, answerText).map((mark) =>
      mark.kind === 'fault' ? { ...mark, name: faultName(mark.name) } : mark,
    );
  }, [annotations.data, equipment.data, subject.recordings, window, faultName, t]);
  return { annotations, marks };
}

/** Data stages by sensor over the window, and the coverage of the day itself. */
export function usePaths(subject: SubjectDetail, { day }: Windows) {
  const coverage = useQuery(dayQueries(subject, day).coverage);
  const items = coverage.data?.items;
  const paths = useMemo(() => sensorPaths(items ?? []), [items]);
  return { paths, coverage, coverageOfDay: items?.find(({ date }) => date === day.date) };
}

/** The lanes that the user chose, in the chosen order. */
export function useLanes(
  data: ReturnType<typeof dayData> | undefined,
  marks: readonly DayMark[],
  paths: readonly SensorPath[],
  view: TimelineView,
) {
  const { t, format } = useWords();
  const { laneOrder: order, hiddenLanes } = useStore(preferences);
  return useMemo(() => {
    if (!data) return [];
    const lanes = [...dayLanes(data, marks, view, t, format), ...pathLanes(paths, view, t)];
    // The lanes of all sensors are one choice, so only the part of the id before the space counts.
    const all = Map.groupBy(lanes, ({ id }) => id.split(' ')[0] ?? id);
    return laneOrder(order).flatMap((id) => (hiddenLanes.includes(id) ? [] : (all.get(id) ?? [])));
  }, [data, marks, paths, view, t, format, order, hiddenLanes]);
}

export function useBrackets({ day }: Windows): Bracket[] {
  const { t, format } = useWords();
  return useMemo(
    () => [
      {
        id: 'night',
        startMs: day.noonBeforeMs,
        stopMs: day.noonMs,
        label: t('days.nightBracket', { date: format.shortDate(day.date) }),
      },
      {
        id: 'day',
        startMs: day.midnightMs,
        stopMs: day.nextMidnightMs,
        label: t('days.dayBracket', { date: format.shortDate(day.date) }),
      },
    ],
    [day, t, format],
  );
}

export function useTimelineWords({ timezones }: SubjectDetail, { window }: Windows): TimelineWords {
  const { t, format } = useWords();
  return useMemo(
    () => ({
      cursor: t('days.cursor'),
      cursorHelp: t('days.cursorHelp'),
      timeAxis: zonesBetween(window.startMs, window.stopMs, timezones).join(' → '),
      brackets: t('metrics.title'),
      at: (reading) => t('days.atTime', reading),
      date: format.shortDate,
      tickDate: format.dayOfMonth,
      shift: ({ shiftMs, before, after, clockBefore, clockAfter, zones }) => {
        const offsets = { before, after, from: clockAfter, to: clockBefore };
        if (zones) return t('days.zoneChange', { ...offsets, zoneBefore: zones.before, zoneAfter: zones.after });
        return t(shiftMs > 0 ? 'days.clocksForward' : 'days.clocksBack', offsets);
      },
    }),
    [t, format, timezones, window],
  );
}
