/** One day of a subject, with the night before it: timeline, totals and metrics. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { SubjectDetail } from '../../../src-server/api/contract/index.ts';
import { annotationsQuery, channelsQuery, metricsQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useRole } from '../../shared/api/session.ts';
import { unionSpans } from '../../shared/charts/bands.ts';
import { Timeline, type TimelineWords } from '../../shared/charts/timeline.tsx';
import { type TimelineView, zoomed } from '../../shared/charts/view.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, IconButton, Segments } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { Delayed, Empty, QueryView, Skeleton } from '../../shared/kit/state.tsx';
import { preferences } from '../../shared/preferences.ts';
import { createStore, useSelected, useStore } from '../../shared/store.ts';
import { addDays, datesBetween, localDate, localDay } from '../../shared/time/local-day.ts';
import { useCommands } from '../commands/commands.ts';
import { WhyPanel } from '../coverage/why-panel.tsx';
import { useFaultName } from '../coverage/words.ts';
import { DayMetrics } from '../metrics/day-metrics.tsx';
import { recordingAt } from '../recordings/recording-at.ts';
import { spansOf } from '../subjects/coverage.ts';
import { dayData, totalsOf } from './day-data.ts';
import { dayMarks } from './day-marks.ts';
import { DayCsv, Legend, Totals } from './day-parts.tsx';
import { type DayOption, DayPicker, DayStrip, dayToOpen } from './day-picker.tsx';
import { DayTable } from './day-table.tsx';
import styles from './days.module.css';
import { LaneMenu } from './lane-menu.tsx';
import { dayLanes, laneOrder } from './lanes.ts';
import { MarkList } from './mark-list.tsx';

/** The ribbon and short activities come from bins of this width, once they have arrived. */
const FINE_INTERVAL_MS = 10_000;
const MINUTE_MS = 60_000;

function DayView({ subject, days, date }: { subject: SubjectDetail; days: DayOption[]; date: string }) {
  const { t, format } = useWords();
  const { range = 'both', view: shows = 'timeline' } = useSearch({
    from: '/desk/studies/$studyId/subjects/$subjectId/days',
  });
  const navigate = useNavigate({ from: '/studies/$studyId/subjects/$subjectId/days' });
  const mayExport = useRole() !== 'MONITOR';
  const { timezone: timeZone, studyId, id: subjectId } = subject;

  const day = useMemo(() => localDay(date, timeZone), [date, timeZone]);
  const window = useMemo(() => ({ startMs: day.noonBeforeMs, stopMs: day.nextMidnightMs }), [day]);
  const whole = useMemo((): TimelineView => {
    if (range === 'day') return { startMs: day.midnightMs, stopMs: day.nextMidnightMs };
    if (range === 'night') return { startMs: day.noonBeforeMs, stopMs: day.noonMs };
    return window;
  }, [range, day, window]);
  const [zoom, setZoom] = useState<{ of: TimelineView; view: TimelineView } | null>(null);
  const view = zoom && zoom.of === whole ? zoom.view : whole;
  const setView = (next: TimelineView | null) =>
    setZoom(next && next.stopMs - next.startMs < whole.stopMs - whole.startMs ? { of: whole, view: next } : null);

  const coarse = useQuery(channelsQuery(studyId, subjectId, window.startMs, window.stopMs, MINUTE_MS));
  const fine = useQuery({
    ...channelsQuery(studyId, subjectId, window.startMs, window.stopMs, FINE_INTERVAL_MS),
    enabled: coarse.isSuccess,
  });
  const metrics = useQuery(metricsQuery(studyId, subjectId));
  const recorded = useMemo(() => spansOf(subject.recordings), [subject.recordings]);
  const data = useMemo(
    () =>
      coarse.data &&
      dayData(
        window,
        coarse.data.channels,
        fine.data && { channels: fine.data.channels, intervalMs: FINE_INTERVAL_MS },
        recorded,
      ),
    [window, coarse.data, fine.data, recorded],
  );
  const totals = useMemo(() => data && totalsOf(data, view), [data, view]);
  const annotations = useQuery(annotationsQuery(studyId, subjectId));
  const faultName = useFaultName();
  const marks = useMemo(
    () =>
      dayMarks(annotations.data?.items ?? [], subject.recordings, window).map((mark) =>
        mark.kind === 'fault' ? { ...mark, name: faultName(mark.name) } : mark,
      ),
    [annotations.data, subject.recordings, window, faultName],
  );
  const chosen = useStore(preferences);
  const lanes = useMemo(() => {
    if (!data) return [];
    const all = new Map(dayLanes(data, marks, view, t, format).map((lane) => [lane.id, lane]));
    return laneOrder(chosen.laneOrder).flatMap((id) => {
      const lane = all.get(id);
      return lane && !chosen.hiddenLanes.includes(id) ? [lane] : [];
    });
  }, [data, marks, view, t, format, chosen.laneOrder, chosen.hiddenLanes]);
  const brackets = useMemo(
    () => [
      {
        id: 'night',
        startMs: day.noonBeforeMs,
        stopMs: day.noonMs,
        label: t('days.nightBracket', { date: format.shortDate(date) }),
      },
      {
        id: 'day',
        startMs: day.midnightMs,
        stopMs: day.nextMidnightMs,
        label: t('days.dayBracket', { date: format.shortDate(date) }),
      },
    ],
    [day, date, t, format],
  );
  const words = useMemo(
    (): TimelineWords => ({
      cursor: t('days.cursor'),
      cursorHelp: t('days.cursorHelp'),
      timeAxis: timeZone,
      brackets: t('metrics.title'),
      at: (reading) => t('days.atTime', reading),
      date: format.shortDate,
      tickDate: format.dayOfMonth,
      shift: ({ shiftMs, before, after }) =>
        t(shiftMs > 0 ? 'days.clocksForward' : 'days.clocksBack', { before, after }),
    }),
    [t, format, timeZone],
  );

  const goTo = (next: string) => void navigate({ search: (old) => ({ ...old, date: next }), replace: true });
  const step = (direction: -1 | 1) => {
    const next = addDays(date, direction);
    if (next >= days[0].date && next <= days.at(-1)!.date) goTo(next);
  };
  const lastDate = days.findLast((option) => option.recordedSeconds > 0)?.date;
  const [cursor] = useState(() => createStore<number | null>(null));
  const toSignals = useNavigate();
  const openSignals = (ms: number) => {
    const recording = recordingAt(subject.recordings, ms);
    if (!recording) return;
    void toSignals({
      to: '/studies/$studyId/subjects/$subjectId/recordings/$recordingId',
      params: { studyId, subjectId, recordingId: recording.id },
      search: { at: Math.round(ms) },
    });
  };
  const hasSignals = useSelected(cursor, (ms) => ms !== null && recordingAt(subject.recordings, ms) !== undefined);
  const setShows = (next: 'timeline' | 'table') =>
    void navigate({ search: (old) => ({ ...old, view: next }), replace: true });

  useCommands([
    { id: 'day.previous', label: t('commands.previousDay'), keys: [','], scope: 'page', run: () => step(-1) },
    { id: 'day.next', label: t('commands.nextDay'), keys: ['.'], scope: 'page', run: () => step(1) },
    {
      id: 'day.signals',
      label: t('days.signalsHere'),
      scope: 'page',
      isEnabled: hasSignals,
      run: () => openSignals(cursor.get() ?? window.startMs),
    },
    {
      id: 'day.last',
      label: t('commands.lastDay'),
      scope: 'page',
      isEnabled: lastDate !== undefined,
      run: () => lastDate && goTo(lastDate),
    },
    {
      id: 'day.table',
      label: t('commands.toggleTable'),
      keys: ['t'],
      scope: 'page',
      run: () => setShows(shows === 'timeline' ? 'table' : 'timeline'),
    },
  ]);

  const hours = (day.nextMidnightMs - day.midnightMs) / 3_600_000;
  const item = metrics.data?.items.find((candidate) => localDate(candidate.dayStartMsUtc, timeZone) === date);
  const hasRecording = unionSpans(recorded, window.startMs, window.stopMs).length > 0;
  const middle = (view.startMs + view.stopMs) / 2;

  return (
    <div className={styles.page}>
      <div className={styles.tools}>
        <DayPicker date={date} days={days} onDate={goTo} onStep={step} />
        <Segments
          label={t('days.range')}
          value={range}
          options={[
            { id: 'both', label: t('days.rangeBoth') },
            { id: 'night', label: t('days.rangeNight') },
            { id: 'day', label: t('days.rangeDay') },
          ]}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, range: next }), replace: true })}
        />
        <span className={styles.spacer} />
        <IconButton
          kind="quiet"
          icon="plus"
          label={t('days.zoomIn')}
          onPress={() => setView(zoomed(view, whole, middle, 0.5))}
        />
        <IconButton
          kind="quiet"
          icon="minus"
          label={t('days.zoomOut')}
          isDisabled={view === whole}
          onPress={() => setView(zoomed(view, whole, middle, 2))}
        />
        <IconButton
          kind="quiet"
          icon="fit"
          label={t('days.zoomReset')}
          isDisabled={view === whole}
          onPress={() => setView(null)}
        />
        {shows === 'timeline' && <LaneMenu />}
        <Segments
          label={t('days.view')}
          value={shows}
          options={[
            { id: 'timeline', label: t('days.timeline') },
            { id: 'table', label: t('days.table') },
          ]}
          onChange={setShows}
        />
        {mayExport && hasRecording && (
          <DayCsv studyId={studyId} subjectId={subjectId} subjectName={subject.displayName} date={date} />
        )}
      </div>
      {days.length > 1 && <DayStrip date={date} days={days} onDate={goTo} />}
      {!hasRecording ? (
        <>
          <WhyPanel subject={subject} date={date} isMain />
          {lastDate !== undefined && (
            <div>
              <Button onPress={() => goTo(lastDate)}>{t('days.lastDay')}</Button>
            </div>
          )}
        </>
      ) : (
        <QueryView
          query={coarse}
          skeleton={
            <Delayed>
              <div
                className={`${panelClass} ${styles.loading}`}
                role="status"
                aria-busy="true"
                aria-label={t('app.loading')}
              >
                <Skeleton height="3rem" />
                <Skeleton height="4rem" />
                <Skeleton height="6rem" />
                <Skeleton height="3.5rem" />
                <Skeleton height="3rem" />
              </div>
            </Delayed>
          }
        >
          {() => (
            <>
              {data && !data.isAnalysed && (
                <Empty icon="play" title={t('days.pendingTitle')} help={t('days.pendingHelp')} />
              )}
              <div className={panelClass}>
                {data && shows === 'timeline' && (
                  <Timeline
                    label={`${subject.displayName}, ${format.date(date)}`}
                    lanes={lanes}
                    brackets={brackets}
                    whole={whole}
                    view={view}
                    timeZone={timeZone}
                    words={words}
                    stepMs={5 * MINUTE_MS}
                    cursor={cursor}
                    onOpen={openSignals}
                    onView={setView}
                    onDay={step}
                  />
                )}
                {totals && shows === 'timeline' && (
                  <Legend totals={totals} hasPosture={lanes.some((lane) => lane.id === 'posture')} />
                )}
                {data && shows === 'table' && <DayTable data={data} view={view} timeZone={timeZone} date={date} />}
              </div>
              {shows === 'timeline' && (
                <p className={styles.signals}>
                  <Button
                    icon="ruler"
                    isDisabled={!hasSignals}
                    onPress={() => openSignals(cursor.get() ?? window.startMs)}
                  >
                    {t('days.signalsHere')}
                  </Button>
                  {t('days.signalsHelp')}
                </p>
              )}
              <p className={styles.note}>
                {t('days.bracketHelp')}{' '}
                {hours !== 24 && (
                  <strong>{t(hours < 24 ? 'days.hours23' : 'days.hours25', { hours: format.number(hours) })}</strong>
                )}
              </p>
              <WhyPanel subject={subject} date={date} isMain={false} />
              <div className={styles.below}>
                <div className={styles.beside}>
                  {totals && (
                    <section className={`${panelClass} ${styles.panel}`} aria-label={t('days.inView')}>
                      <h2>{t('days.inView')}</h2>
                      <p className={styles.summary}>
                        {t('days.summary', {
                          date: format.date(date),
                          zone: timeZone,
                          worn: format.duration(totals.wornSeconds),
                          asleep: format.duration(totals.asleepSeconds),
                          heartRate: totals.heartRate
                            ? t('days.summaryHeart', {
                                low: format.number(totals.heartRate.low),
                                high: format.number(totals.heartRate.high),
                                mean: format.number(totals.heartRate.mean),
                              })
                            : t('days.summaryNoHeart'),
                          steps: format.number(totals.steps ?? 0),
                          gap: format.duration(totals.gapSeconds),
                        })}
                      </p>
                      <Totals totals={totals} />
                    </section>
                  )}
                  <QueryView query={annotations}>{() => <MarkList marks={marks} timeZone={timeZone} />}</QueryView>
                </div>
                <QueryView query={metrics}>
                  {() => <DayMetrics item={item} date={date} timeZone={timeZone} />}
                </QueryView>
              </div>
            </>
          )}
        </QueryView>
      )}
    </div>
  );
}

/** A study that ended long ago must not show a year of empty days. */
const MAX_EMPTY_DAYS = 60;

/**
 * Local dates from the first recording (or enrolment) to today, each with the time that recordings cover: what is missing
 * since the last recording is what one comes to look for.
 */
function dayOptions(subject: SubjectDetail, nowMs: number): DayOption[] {
  const { timezone, createdTs } = subject;
  const spans = unionSpans(spansOf(subject.recordings), Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  const today = localDate(nowMs, timezone);
  const lastStopMs = spans.at(-1)?.stopMs;
  const lastData = lastStopMs === undefined ? undefined : localDate(lastStopMs - 1, timezone);
  const earliest = addDays(today, -MAX_EMPTY_DAYS);
  const begin = localDate(spans[0]?.startMs ?? createdTs, timezone);
  const first = lastData === undefined && begin < earliest ? earliest : begin;
  const reachesToday = lastData === undefined || lastData >= earliest;
  const last = reachesToday && (lastData ?? '') < today ? today : (lastData ?? today);
  return datesBetween(first, last).map((date) => {
    const { midnightMs, nextMidnightMs } = localDay(date, timezone);
    const seconds = unionSpans(spans, midnightMs, nextMidnightMs).reduce(
      (sum, span) => sum + (span.stopMs - span.startMs) / 1000,
      0,
    );
    return { date, recordedSeconds: seconds };
  });
}

export function Days() {
  const params = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/days' });
  const { date } = useSearch({ from: '/desk/studies/$studyId/subjects/$subjectId/days' });
  const subject = useQuery(subjectQuery(params.studyId, params.subjectId));
  const days = useMemo(() => (subject.data ? dayOptions(subject.data, Date.now()) : []), [subject.data]);
  if (!subject.data) return null;
  return <DayView subject={subject.data} days={days} date={date ?? dayToOpen(days)} />;
}
