/** A subject's week on paper: seven days on one scale with their main metrics, and the same days in numbers. */
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { withUnit } from '../../../shared/i18n/format.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { buttonClass } from '../../../shared/kit/controls.tsx';
import { zonesBetween } from '../../../shared/time/local-day.ts';
import { ACTIVITIES, activitySeconds } from '../../days/week/week-rows.ts';
import type { Content, PaperTable } from '../contents.tsx';
import { DayLegend } from '../day/day-blocks.tsx';
import { dayState } from '../day/day-state.ts';
import paperStyles from '../paper.module.css';
import { type Loaded, ReportScreen, ReportSheets } from '../report.tsx';
import { signaturesTable } from '../signatures/signatures-table.ts';
import { loadWeek, type WeekReport } from './load-week.ts';
import { ClockNotes, MM_PER_HOUR, WeekStrips } from './week-strips.tsx';

const FROM = '/print/studies/$studyId/subjects/$subjectId/week' as const;

/** Totals of each day, and what they are based on. */
function useNumbers({ rows, week }: WeekReport, readMs: number): PaperTable {
  const { t, format } = useWords();
  return useMemo(() => {
    const present = ACTIVITIES.filter((activity) => rows.some((row) => (activitySeconds(row, activity) ?? 0) > 0));
    return {
      caption: t('paper.week.numbers'),
      columns: [
        { id: 'date', label: t('metrics.date'), share: 5 },
        { id: 'data', label: t('paper.day.data'), share: 9 },
        {
          id: 'heart',
          label: t('table.withNote', { name: t('lanes.heartRate'), aside: t('week.heart') }),
          share: 5,
          isNumber: true,
        },
        ...present.map((activity) => ({
          id: activity,
          label: t(`activity.${activity}`),
          share: 4,
          isNumber: true,
        })),
        { id: 'gap', label: t('wear.gap'), share: 4, isNumber: true },
      ],
      rows: rows.map((row, index) => {
        const { data } = week[index]!;
        const { totals, date } = row;
        const missing = row.canOpen && (
          <span key="missing" className={paperStyles.muted}>
            {t(totals ? 'days.noValue' : 'wear.gap')}
          </span>
        );
        const heart = totals?.heartRate;
        return {
          id: date,
          cells: [
            `${date} (${format.weekday(date)})`,
            data && totals
              ? dayState(data, totals, readMs, t, format).sentence
              : t(row.canOpen ? 'paper.day.none' : 'paper.week.outside'),
            heart
              ? withUnit(
                  `${format.number(heart.mean)} (${format.number(heart.low)}–${format.number(heart.high)})`,
                  t('lanes.units.bpm'),
                )
              : missing,
            ...present.map((activity) => {
              const seconds = activitySeconds(row, activity);
              return seconds === undefined ? missing : format.duration(seconds);
            }),
            row.canOpen && format.duration(totals ? totals.gapSeconds : row.passedSeconds),
          ],
        };
      }),
    };
  }, [rows, week, readMs, t, format]);
}

function WeekSheets({ loaded }: { loaded: Loaded<WeekReport> }) {
  const { t, format } = useWords();
  const { data: report } = loaded;
  const { subject, study, span, week } = report;
  const numbers = useNumbers(report, loaded.readMs);
  const contents = useMemo((): Content[] => {
    const activity = week.flatMap(({ data }) => data?.activity ?? []);
    return [
      {
        id: 'strips',
        block: (
          <>
            <WeekStrips report={report} />
            <DayLegend report={{ data: { activity, posture: [] } }} />
            <p className={paperStyles.muted}>{t('week.heartNote')}</p>
            <ClockNotes report={report} />
          </>
        ),
      },
      { id: 'numbers', table: numbers },
      { id: 'note', block: <p className={paperStyles.muted}>{t('paper.week.note')}</p> },
      ...signaturesTable(report.signatures, subject.timezone, t, format),
    ];
  }, [report, week, numbers, subject, t, format]);
  const [first, last] = [week[0]!.date, week.at(-1)!.date];
  return (
    <ReportSheets
      title={t('paper.week.title')}
      fileName={t('paper.fileOf', { title: t('paper.week.title'), subject: subject.displayName, date: first })}
      facts={[
        { name: t('paper.subject'), value: subject.displayName },
        {
          name: t('paper.week.dates'),
          value: `${first} – ${last}, ${zonesBetween(span.startMs, span.stopMs, subject.timezones).join(' → ')}`,
        },
        { name: t('paper.study'), value: study.displayName, isWide: true },
        { name: t('paper.scale'), value: t('paper.day.scale', { value: format.number(MM_PER_HOUR, 1) }) },
      ]}
      timeZone={subject.timezone}
      {...{ contents, loaded }}
    />
  );
}

export function WeekOnPaper() {
  const { t } = useWords();
  const { studyId, subjectId } = useParams({ from: FROM });
  const { date } = useSearch({ from: FROM });
  return (
    <ReportScreen
      title={t('paper.week.title')}
      queryKey={['week', studyId, subjectId, date]}
      load={(queries) => loadWeek(queries, studyId, subjectId, date)}
      back={
        <Link
          to="/studies/$studyId/subjects/$subjectId/days"
          params={{ studyId, subjectId }}
          search={{ date, view: 'week' }}
          className={buttonClass('quiet')}
        >
          {t('paper.week.back')}
        </Link>
      }
    >
      {(loaded) => <WeekSheets loaded={loaded} />}
    </ReportScreen>
  );
}
