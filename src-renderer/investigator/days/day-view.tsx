/** The page of one day of a subject, with the night before it: timeline or table, totals, metrics, and why data is missing. */
import { memo, useCallback, useDeferredValue, useMemo, useState } from 'react';
import type { DeskSubject } from '../../shared/api/queries.ts';
import type { TimelineView } from '../../shared/charts/timeline/view.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, IconButton } from '../../shared/kit/controls.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import { AnalysisNotice, type AnalysisOfDay, useAnalysisOfDay } from '../coverage/analysis-notice.tsx';
import { DayCoverage } from '../coverage/day-coverage.tsx';
import { WhyPanel } from '../coverage/why-panel.tsx';
import { labelValues } from '../metrics/label-values.ts';
import { listedOf } from '../metrics/metric.ts';
import { metricLabel } from '../metrics/metric-help.tsx';
import { QueryButton } from '../queries/query-button.tsx';
import { DayBelow } from './day-below.tsx';
import { DayChart } from './day-chart.tsx';
import type { DayOption } from './day-options.ts';
import { ClockNote, DayLoading } from './day-parts.tsx';
import styles from './days.module.css';
import { totalsOf } from './lanes/day-data.ts';
import { recordedIn } from './lanes/recorded.ts';
import { DayStrip } from './picker/day-strip.tsx';
import { DayTools } from './tools.tsx';
import { type DayReads, useDayData, useDayReads, useEdits, useMarks, usePaths, useWindows } from './use-day.ts';
import { useDayCommands } from './use-day-commands.ts';
import { type DayNavigation, useDayNavigation } from './use-day-navigation.ts';
import { type SignalsAtCursor, useOpenSignals } from './use-open-signals.ts';

/** The part of the day in view. Another day or range shows its whole again; zooming out to the whole ends the zoom. */
function useZoom(whole: TimelineView) {
  const [zoom, setZoom] = useState<{ whole: TimelineView; view: TimelineView } | null>(null);
  return {
    view: zoom && zoom.whole === whole ? zoom.view : whole,
    setView: useCallback(
      (next: TimelineView | null) =>
        setZoom(next && next.stopMs - next.startMs < whole.stopMs - whole.startMs ? { whole, view: next } : null),
      [whole],
    ),
  };
}

const SignalsButton = memo(function SignalsButton({ signals }: { signals: SignalsAtCursor }) {
  const { t } = useWords();
  return (
    <p className={styles.signals}>
      <Button icon="ruler" isDisabled={!signals.hasSignals} onPress={signals.openAtCursor}>
        {t('days.signalsHere')}
      </Button>
      {t('days.signalsHelp')}
    </p>
  );
});

interface DayBodyProps {
  reads: DayReads;
  view: TimelineView;
  onView: (view: TimelineView | null) => void;
  hasRecording: boolean;
  analysis: AnalysisOfDay | undefined;
  navigation: DayNavigation;
  signals: SignalsAtCursor;
}

/** Everything below the tools. Its props change together, a moment after the answers that they show. */
const DayBody = memo(function DayBody(props: DayBodyProps) {
  const { reads, view, onView, hasRecording, analysis, navigation, signals } = props;
  const { t } = useWords();
  const { subject, windows, coarse, annotations, coverage, metrics } = reads;
  const { date } = windows.day;
  const { goTo, lastDate, shownView } = navigation;
  const data = useDayData(reads);
  const totals = useMemo(() => data && totalsOf(data, view), [data, view]);
  const marks = useMarks(reads);
  const { paths, coverageOfDay } = usePaths(reads);
  const edits = useEdits(reads);
  const whereData = (
    <QueryView query={coverage} skeleton={null}>
      {() => <DayCoverage day={coverageOfDay} date={date} />}
    </QueryView>
  );
  const notice = analysis && <AnalysisNotice analysis={analysis} studyId={subject.studyId} date={date} />;
  if (!hasRecording)
    return (
      <>
        {!analysis?.cameLater && notice}
        <WhyPanel subject={subject} date={date} isMain />
        {whereData}
        {lastDate !== undefined && (
          <div>
            <Button onPress={() => goTo(lastDate)}>{t('days.lastDay')}</Button>
          </div>
        )}
      </>
    );
  return (
    <>
      {!analysis?.cameLater && notice}
      <QueryView query={coarse} skeleton={<DayLoading />}>
        {() => (
          <>
            <DayChart
              {...{ subject, windows, data, totals, marks, paths, edits, view, onView }}
              {...{ shownView, onDay: navigation.step, cursor: signals.cursor, onOpen: signals.open }}
            />
            {/* An analysis that begins while someone reads is announced below the chart, so that the chart stays put. */}
            {analysis?.cameLater && notice}
            {shownView === 'timeline' && <SignalsButton signals={signals} />}
            <ClockNote clock={subject.timezones} windows={windows} />
            {whereData}
            <WhyPanel subject={subject} date={date} isMain={data?.isAnalysed === false && !analysis} />
            <DayBelow {...{ subject, date, totals, annotations, metrics, marks }} />
          </>
        )}
      </QueryView>
    </>
  );
});

export function DayView({ subject, days, date }: { subject: DeskSubject; days: DayOption[]; date: string }) {
  const { t, format } = useWords();
  const navigation = useDayNavigation(days, date);
  const { range, goTo, step } = navigation;
  const windows = useWindows(subject, date, range);
  const { window, whole } = windows;
  const { view, setView } = useZoom(whole);
  const reads = useDayReads(subject, windows);
  const metricsOfDays = reads.metrics.data;
  const metrics = useMemo(() => {
    if (!metricsOfDays) return [];
    const ofDay = metricsOfDays.items.find(
      ({ dayStartMsUtc, subjectTz }) => localDate(dayStartMsUtc, subjectTz) === date,
    );
    const values = labelValues(ofDay ? [ofDay.parameters] : [], format);
    // Also those without a value: why one is missing is what a query asks most.
    return listedOf(ofDay?.metrics ?? {}).map((id) => ({ id, label: metricLabel(id, t, values) }));
  }, [metricsOfDays, date, t, format]);
  const analysis = useAnalysisOfDay(subject, date);
  const signals = useOpenSignals(subject, reads.recordings, window.startMs);
  useDayCommands(navigation, signals);
  const hasRecording = useMemo(() => recordedIn(subject, window).length > 0, [subject, window]);
  const zoom = useMemo(() => ({ view, whole, onView: setView }), [view, whole, setView]);
  // Together, so that no day is drawn with the answers of another.
  const body = useMemo(
    () => ({ reads, view, onView: setView, hasRecording, analysis, navigation, signals }),
    [reads, view, setView, hasRecording, analysis, navigation, signals],
  );
  return (
    <div className={styles.page}>
      <DayTools
        subject={subject}
        days={days}
        date={date}
        onDate={goTo}
        onStep={step}
        zoom={hasRecording ? zoom : undefined}
        hasRecording={hasRecording}
      >
        <QueryButton
          about={{ studyId: subject.studyId, subjectId: subject.id, target: 'DAY', date }}
          name={format.date(date)}
          metrics={metrics}
          isCommand
        />
        <IconButton kind="quiet" icon="page" label={t('days.print')} onPress={navigation.print} />
      </DayTools>
      {days.length > 1 && <DayStrip date={date} days={days} onDate={goTo} />}
      <DayBody {...useDeferredValue(body)} />
    </div>
  );
}
