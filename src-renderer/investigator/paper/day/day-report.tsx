/** A subject's day on paper, with the night before it: timeline, totals, metrics, why data is missing, and what was noted. */
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { buttonClass } from '../../../shared/kit/controls.tsx';
import { zonesBetween } from '../../../shared/time/local-day.ts';
import { useFaultName } from '../../coverage/words.ts';
import { dayMarks } from '../../days/lanes/day-marks.ts';
import { dayLanes } from '../../days/lanes/lanes.ts';
import { pathLanes } from '../../days/lanes/path-lanes.ts';
import { useBrackets } from '../../days/use-day.ts';
import type { Content } from '../contents.tsx';
import styles from '../paper.module.css';
import { bodyOf, type Paper, PX_PER_MM } from '../papers.ts';
import { type Loaded, ReportScreen, ReportSheets } from '../report.tsx';
import { signaturesTable } from '../signatures/signatures-table.ts';
import { usePaper } from '../tools.tsx';
import { Causes, ClockNotes, DayLegend, DayTotalsList } from './day-blocks.tsx';
import { metricTables } from './day-metrics.tsx';
import { useDayState } from './day-state.ts';
import { DayTimeline, headPx } from './day-timeline.tsx';
import { laneSheets } from './lane-sheets.ts';
import { type DayReport, loadDay } from './load-day.ts';
import { marksTable } from './marks-table.tsx';

const FROM = '/print/studies/$studyId/subjects/$subjectId/day' as const;
const NAMES_MM = 36;
const MOST_MM_PER_HOUR = 6;
/** Below the lanes: the legend and the notes. */
const LEGEND_MM = 21;

/** An hour has the same width on every paper, unless a flight made the day very long. */
function mmPerHour(hours: number, paper: Paper): number {
  return Math.min(MOST_MM_PER_HOUR, (bodyOf(paper).widthMm - NAMES_MM) / hours);
}

function useDayMarks({ annotations, faultSources, window }: DayReport) {
  const { t } = useWords();
  const faultName = useFaultName();
  return useMemo(() => {
    const answerText = (answer: string | undefined) =>
      answer === 'YES' ? t('days.yes') : answer === 'NO' ? t('days.no') : answer;
    return dayMarks(annotations, faultSources, window, answerText).map((mark) =>
      mark.kind === 'fault' ? { ...mark, name: faultName(mark.name) } : mark,
    );
  }, [annotations, faultSources, window, faultName, t]);
}

function DaySheets({ loaded }: { loaded: Loaded<DayReport> }) {
  const { t, format } = useWords();
  const { paper } = usePaper();
  const { data: report } = loaded;
  const { subject, study, day, window, data } = report;
  const { timezones } = subject;
  const marks = useDayMarks(report);
  const brackets = useBrackets(report);
  const state = useDayState(report, loaded.readMs);
  const widthMm =
    ((window.stopMs - window.startMs) / HOUR_MS) * mmPerHour((window.stopMs - window.startMs) / HOUR_MS, paper);
  const contents = useMemo((): Content[] => {
    const lanes = [...dayLanes(data, marks, window, t, format, report.edits), ...pathLanes(report.paths, window, t)];
    const isEmpty = data.gaps.some(({ startMs, stopMs }) => startMs <= window.startMs && stopMs >= data.untilMs);
    const roomPx = (bodyOf(paper).heightMm - LEGEND_MM) * PX_PER_MM - headPx(brackets);
    const sheets = isEmpty ? [] : laneSheets(lanes, roomPx);
    return [
      ...sheets.map((sheet, at) => ({
        id: `timeline ${at}`,
        block: (
          <>
            <DayTimeline
              label={`${subject.displayName}, ${format.date(day.date)}`}
              lanes={sheet}
              {...{ brackets, window, widthMm }}
              untilMs={data.untilMs}
              clock={timezones}
            />
            {at === sheets.length - 1 && (
              <>
                <DayLegend report={report} />
                <ClockNotes report={report} />
              </>
            )}
          </>
        ),
      })),
      {
        id: 'totals',
        block: (
          <div className={styles.columns}>
            <DayTotalsList report={report} />
            <Causes report={report} />
          </div>
        ),
      },
      ...metricTables(report.metrics, day.date, timezones, t, format),
      ...marksTable(marks, timezones, t, format),
      ...signaturesTable(report.signatures, subject.timezone, t, format),
    ];
  }, [report, data, marks, brackets, subject, day, window, widthMm, timezones, paper, t, format]);
  const zones = zonesBetween(window.startMs, window.stopMs, timezones).join(' → ');
  return (
    <ReportSheets
      title={t('paper.day.title')}
      fileName={t('paper.fileOf', { title: t('paper.day.title'), subject: subject.displayName, date: day.date })}
      facts={[
        { name: t('paper.subject'), value: subject.displayName },
        { name: t('paper.day.date'), value: `${day.date} (${format.weekday(day.date)}), ${zones}` },
        { name: t('paper.study'), value: study.displayName, isWide: true },
        {
          name: t('paper.scale'),
          value: t('paper.day.scale', {
            value: format.number(widthMm / ((window.stopMs - window.startMs) / HOUR_MS), 1),
          }),
        },
        { name: t('paper.day.data'), value: state.sentence, isWide: true },
      ]}
      timeZone={subject.timezone}
      {...{ contents, loaded }}
    />
  );
}

export function DayOnPaper() {
  const { t } = useWords();
  const { studyId, subjectId } = useParams({ from: FROM });
  const { date } = useSearch({ from: FROM });
  return (
    <ReportScreen
      title={t('paper.day.title')}
      queryKey={['day', studyId, subjectId, date]}
      load={(queries) => loadDay(queries, studyId, subjectId, date)}
      back={
        <Link
          to="/studies/$studyId/subjects/$subjectId/days"
          params={{ studyId, subjectId }}
          search={{ date }}
          className={buttonClass('quiet')}
        >
          {t('paper.day.back')}
        </Link>
      }
    >
      {(loaded) => <DaySheets loaded={loaded} />}
    </ReportScreen>
  );
}
