/** Data of one day of a subject: windows, channels, marks and data stages, and the lanes made of them. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo } from 'react';
import type { Correction, Recording } from '../../../src-server/api/contract/index.ts';
import { channelsQuery, type DeskSubject } from '../../shared/api/queries.ts';
import { useShown } from '../../shared/api/shown-query.ts';
import type { Bracket, TimelineWords } from '../../shared/charts/timeline/types.ts';
import type { TimelineView } from '../../shared/charts/timeline/view.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { preferences } from '../../shared/preferences.ts';
import { useStore } from '../../shared/store.ts';
import { localDay, zonesBetween } from '../../shared/time/local-day.ts';
import { useNow } from '../../shared/time/now.ts';
import { useFaultName } from '../coverage/words.ts';
import { dayQueries, dayWindow } from './day-queries.ts';
import { dayData, type Span } from './lanes/day-data.ts';
import { type DayMark, dayMarks } from './lanes/day-marks.ts';
import { type PersonEdit, personEdits } from './lanes/edits.ts';
import { laneOrder } from './lanes/lane-styles.ts';
import { dayLanes } from './lanes/lanes.ts';
import { pathLanes, type SensorPath, sensorPaths } from './lanes/path-lanes.ts';
import { recordedIn, recordedSpans } from './lanes/recorded.ts';
import { useBreaks } from './lanes/use-breaks.ts';

export type Range = 'both' | 'day' | 'night';

/** Bin width of the heart rate ribbon and of short activities, which load after the data per minute. */
export const FINE_INTERVAL_MS = 10_000;

/** The day with the night before it, and the chosen part of the two. */
export function useWindows({ timezones }: DeskSubject, date: string, range: Range) {
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

const NO_RECORDINGS: readonly Recording[] = [];
const NO_CORRECTIONS: readonly Correction[] = [];

/** Everything that a day's page reads, as one object that is the same until an answer arrives. */
export function useDayReads(subject: DeskSubject, windows: Windows) {
  const { studyId, id: subjectId } = subject;
  const { day, window } = windows;
  const queries = dayQueries(subject, day);
  const coarse = useShown(useQuery(queries.perMinute));
  const { data: fine } = useQuery({
    ...channelsQuery(studyId, subjectId, window.startMs, window.stopMs, FINE_INTERVAL_MS),
    enabled: coarse.data !== undefined,
  });
  const recordings = useQuery(queries.recordings).data?.items ?? NO_RECORDINGS;
  const annotations = useShown(useQuery(queries.annotations));
  const { data: corrections = NO_CORRECTIONS } = useQuery(queries.corrections);
  const equipment = useQuery(queries.equipment).data?.items;
  const coverage = useShown(useQuery(queries.coverage));
  const metrics = useShown(useQuery(queries.metrics));
  return useMemo(
    () => ({ subject, windows, coarse, fine, recordings, annotations, corrections, equipment, coverage, metrics }),
    [subject, windows, coarse, fine, recordings, annotations, corrections, equipment, coverage, metrics],
  );
}

export type DayReads = ReturnType<typeof useDayReads>;

/** Data of the window: per minute first, then in finer bins. */
export function useDayData({ subject, windows: { window }, coarse, fine, recordings }: DayReads) {
  const { studyId } = subject;
  const recorded = useMemo(() => recordedIn(subject, window), [subject, window]);
  // The data of a day that has passed stay the same while the clock runs.
  const nowMs = Math.min(useNow().nowMs, window.stopMs);
  const dataOf = useCallback(
    (recorded: Span[]) =>
      coarse.data &&
      dayData(
        window,
        coarse.data.channels,
        fine && { channels: fine.channels, intervalMs: FINE_INTERVAL_MS },
        recorded,
        nowMs,
      ),
    [window, coarse.data, fine, nowMs],
  );
  // The recordings themselves may arrive later: without breaks, they cover what the subject's own spans do.
  const withoutBreaks = useMemo(() => dataOf(recorded), [dataOf, recorded]);
  const breaks = useDeferredValue(useBreaks(studyId, recordings, withoutBreaks?.wear));
  return useMemo(
    () => (breaks.length > 0 ? dataOf(recordedSpans(recordings, breaks)) : withoutBreaks),
    [dataOf, withoutBreaks, recordings, breaks],
  );
}

export function useMarks({ windows: { window }, recordings, annotations, equipment }: DayReads) {
  const faultName = useFaultName();
  const { t } = useWords();
  return useMemo(() => {
    const sources = [...(equipment ?? []), ...recordings.map(({ faults }) => ({ faults }))];
    const answerText = (answer: string | undefined) =>
      answer === 'YES' ? t('days.yes') : answer === 'NO' ? t('days.no') : answer;
    return dayMarks(annotations.data?.items ?? [], sources, window, answerText).map((mark) =>
      mark.kind === 'fault' ? { ...mark, name: faultName(mark.name) } : mark,
    );
  }, [annotations.data, equipment, recordings, window, faultName, t]);
}

/** What people corrected of sleep and wear in the window. */
export function useEdits({ corrections }: DayReads) {
  return useMemo(() => personEdits(corrections), [corrections]);
}

/** Data stages by sensor over the window, and the coverage of the day itself. */
export function usePaths({ windows: { day }, coverage }: DayReads) {
  const items = coverage.data?.items;
  const paths = useMemo(() => sensorPaths(items ?? []), [items]);
  return { paths, coverageOfDay: items?.find(({ date }) => date === day.date) };
}

/** The lanes that the user chose, in the chosen order. */
export function useLanes(
  data: ReturnType<typeof dayData> | undefined,
  marks: readonly DayMark[],
  paths: readonly SensorPath[],
  view: TimelineView,
  edits: readonly PersonEdit[],
) {
  const { t, format } = useWords();
  const { laneOrder: order, hiddenLanes } = useStore(preferences);
  return useMemo(() => {
    if (!data) return [];
    const lanes = [...dayLanes(data, marks, view, t, format, edits), ...pathLanes(paths, view, t)];
    // The lanes of all sensors are one choice, so only the part of the id before the space counts.
    const all = Map.groupBy(lanes, ({ id }) => id.split(' ')[0] ?? id);
    return laneOrder(order).flatMap((id) => (hiddenLanes.includes(id) ? [] : (all.get(id) ?? [])));
  }, [data, marks, paths, view, edits, t, format, order, hiddenLanes]);
}

export function useBrackets({ day }: Pick<Windows, 'day'>): Bracket[] {
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

export function useTimelineWords({ timezones }: DeskSubject, window: TimelineView): TimelineWords {
  const { t, format } = useWords();
  return useMemo(
    () => ({
      cursor: t('days.cursor'),
      cursorHelp: t('days.cursorHelp'),
      timeAxis: zonesBetween(window.startMs, window.stopMs, timezones).join(' → '),
      brackets: t('metrics.title'),
      notYet: t('wear.notYet'),
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
