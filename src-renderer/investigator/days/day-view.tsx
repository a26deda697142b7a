/** The page of one day of a subject, with the night before it: timeline or table, totals, metrics, and why data is missing. */
import { useMemo, useState } from 'react';
import type { SubjectDetail } from '../../../src-server/api/contract/index.ts';
import { unionSpans } from '../../shared/charts/bands.ts';
import type { TimelineView } from '../../shared/charts/timeline/view.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { AnalysisNotice, useAnalysisOfDay } from '../coverage/analysis-notice.tsx';
import { DayCoverage } from '../coverage/day-coverage.tsx';
import { WhyPanel } from '../coverage/why-panel.tsx';
import { spansOf } from '../subjects/coverage.ts';
import { DayBelow } from './day-below.tsx';
import { DayChart } from './day-chart.tsx';
import type { DayOption } from './day-options.ts';
import { ClockNote, DayLoading } from './day-parts.tsx';
import styles from './days.module.css';
import { totalsOf } from './lanes/day-data.ts';
import { DayStrip } from './picker/day-picker.tsx';
import { DayTools } from './tools.tsx';
import { useDayData, useMarks, usePaths, useWindows } from './use-day.ts';
import { useDayCommands } from './use-day-commands.ts';
import { useDayNavigation } from './use-day-navigation.ts';
import { type SignalsAtCursor, useOpenSignals } from './use-open-signals.ts';

/** The part of the day in view. Another day or range shows its whole again; zooming out to the whole ends the zoom. */
function useZoom(whole: TimelineView) {
  const [zoom, setZoom] = useState<{ whole: TimelineView; view: TimelineView } | null>(null);
  return {
    view: zoom && zoom.whole === whole ? zoom.view : whole,
    setView: (next: TimelineView | null) =>
      setZoom(next && next.stopMs - next.startMs < whole.stopMs - whole.startMs ? { whole, view: next } : null),
  };
}

function SignalsButton({ signals }: { signals: SignalsAtCursor }) {
  const { t } = useWords();
  return (
    <p className={styles.signals}>
      <Button icon="ruler" isDisabled={!signals.hasSignals} onPress={signals.openAtCursor}>
        {t('days.signalsHere')}
      </Button>
      {t('days.signalsHelp')}
    </p>
  );
}

export function DayView({ subject, days, date }: { subject: SubjectDetail; days: DayOption[]; date: string }) {
  const { t } = useWords();
  const navigation = useDayNavigation(days, date);
  const { range, shownView, goTo, step, lastDate } = navigation;
  const windows = useWindows(subject, date, range);
  const { window, whole } = windows;
  const { view, setView } = useZoom(whole);

  const { coarse, data } = useDayData(subject, windows);
  const totals = useMemo(() => data && totalsOf(data, view), [data, view]);
  const { annotations, marks } = useMarks(subject, windows);
  const { paths, coverage, coverageOfDay } = usePaths(subject, windows);
  const analysis = useAnalysisOfDay(subject, date);
  const signals = useOpenSignals(subject, window.startMs);
  useDayCommands(navigation, signals);

  const hasRecording = unionSpans(spansOf(subject.recordings), window.startMs, window.stopMs).length > 0;
  const whereData = (
    <QueryView query={coverage} skeleton={null}>
      {() => <DayCoverage day={coverageOfDay} date={date} />}
    </QueryView>
  );
  const notice = analysis && <AnalysisNotice analysis={analysis} studyId={subject.studyId} date={date} />;

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
      {!analysis?.cameLater && notice}
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
              <DayChart
                {...{ subject, date, windows, data, totals, marks, paths, view, navigation, signals }}
                onView={setView}
              />
              {/* An analysis that begins while someone reads is announced below the chart, so that the chart stays put. */}
              {analysis?.cameLater && notice}
              {shownView === 'timeline' && <SignalsButton signals={signals} />}
              <ClockNote clock={subject.timezones} windows={windows} />
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
