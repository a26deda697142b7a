/** One day of a subject, with the night before it: timeline or table, totals and metrics. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { SubjectDetail } from '../../../src-server/api/contract/index.ts';
import { unionSpans } from '../../shared/charts/bands.ts';
import { Timeline } from '../../shared/charts/timeline/timeline.tsx';
import type { TimelineView } from '../../shared/charts/timeline/view.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { createStore, useSelected } from '../../shared/store.ts';
import { useCommands } from '../commands/commands.ts';
import { AnalysisNotice, useAnalysisOfDay } from '../coverage/analysis-notice.tsx';
import { DayCoverage } from '../coverage/day-coverage.tsx';
import { WhyPanel } from '../coverage/why-panel.tsx';
import { recordingAt, spansOf } from '../subjects/coverage.ts';
import { DayBelow } from './day-below.tsx';
import { type DayOption, stepFrom } from './day-options.ts';
import { ClockNote, DayLoading, Legend } from './day-parts.tsx';
import { DayTable } from './day-table.tsx';
import styles from './days.module.css';
import { totalsOf } from './lanes/day-data.ts';
import { DayStrip } from './picker/day-picker.tsx';
import { DayTools } from './tools.tsx';
import { useBrackets, useDayData, useLanes, useMarks, usePaths, useTimelineWords, useWindows } from './use-day.ts';

const CURSOR_STEP_MS = 5 * 60_000;

export function DayView({ subject, days, date }: { subject: SubjectDetail; days: DayOption[]; date: string }) {
  const { t, format } = useWords();
  const { range = 'both', view: shows = 'timeline' } = useSearch({
    from: '/desk/studies/$studyId/subjects/$subjectId/days',
  });
  const navigate = useNavigate({ from: '/studies/$studyId/subjects/$subjectId/days' });
  const { timezones, studyId, id: subjectId } = subject;

  const windows = useWindows(subject, date, range);
  const { window, whole } = windows;
  const [zoom, setZoom] = useState<{ of: TimelineView; view: TimelineView } | null>(null);
  const view = zoom && zoom.of === whole ? zoom.view : whole;
  const setView = (next: TimelineView | null) =>
    setZoom(next && next.stopMs - next.startMs < whole.stopMs - whole.startMs ? { of: whole, view: next } : null);

  const { coarse, data } = useDayData(subject, windows);
  const totals = useMemo(() => data && totalsOf(data, view), [data, view]);
  const { annotations, marks } = useMarks(subject, windows);
  const { paths, coverage, coverageOfDay } = usePaths(subject, windows);
  const lanes = useLanes(data, marks, paths, view);
  const analysis = useAnalysisOfDay(subject, date);
  const brackets = useBrackets(windows);
  const words = useTimelineWords(subject, windows);

  const goTo = (next: string) => void navigate({ search: (old) => ({ ...old, date: next }), replace: true });
  const step = (direction: -1 | 1) => {
    const next = stepFrom(days, date, direction);
    if (next !== undefined) goTo(next);
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
  const setShows = (next: 'timeline' | 'table' | 'week') =>
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
    { id: 'day.week', label: t('commands.toggleWeek'), keys: ['w'], scope: 'page', run: () => setShows('week') },
  ]);

  const hasRecording = unionSpans(spansOf(subject.recordings), window.startMs, window.stopMs).length > 0;

  const whereData = (
    <QueryView query={coverage} skeleton={null}>
      {() => <DayCoverage day={coverageOfDay} date={date} />}
    </QueryView>
  );

  return (
    <div className={styles.page}>
      <DayTools
        subject={subject}
        days={days}
        date={date}
        onDate={goTo}
        onStep={step}
        zoom={hasRecording ? { view, whole, onView: setView } : undefined}
        hasRecording={hasRecording}
      />
      {days.length > 1 && <DayStrip date={date} days={days} onDate={goTo} />}
      {analysis && !analysis.cameLater && <AnalysisNotice analysis={analysis} studyId={studyId} date={date} />}
      {!hasRecording ? (
        <>
          <WhyPanel subject={subject} date={date} isMain />
          {whereData}
          {lastDate !== undefined && (
            <div>
              <Button onPress={() => goTo(lastDate)}>{t('days.lastDay')}</Button>
            </div>
          )}
        </>
      ) : (
        <QueryView query={coarse} skeleton={<DayLoading />}>
          {() => (
            <>
              <div className={panelClass}>
                {data && shows === 'timeline' && (
                  <Timeline
                    label={`${subject.displayName}, ${format.date(date)}`}
                    lanes={lanes}
                    brackets={brackets}
                    whole={whole}
                    view={view}
                    clock={timezones}
                    words={words}
                    stepMs={CURSOR_STEP_MS}
                    cursor={cursor}
                    onOpen={openSignals}
                    onView={setView}
                    onDay={step}
                  />
                )}
                {totals && shows === 'timeline' && (
                  <Legend totals={totals} hasPosture={lanes.some((lane) => lane.id === 'posture')} />
                )}
                {data && shows === 'table' && <DayTable data={data} view={view} clock={timezones} date={date} />}
              </div>
              {/* What begins while someone reads must not push the day away from under the eyes. */}
              {analysis?.cameLater && <AnalysisNotice analysis={analysis} studyId={studyId} date={date} />}
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
              <ClockNote clock={timezones} windows={windows} />
              {whereData}
              <WhyPanel subject={subject} date={date} isMain={data?.isAnalysed === false && !analysis} />
              <DayBelow subject={subject} date={date} totals={totals} annotations={annotations} marks={marks} />
            </>
          )}
        </QueryView>
      )}
    </div>
  );
}
