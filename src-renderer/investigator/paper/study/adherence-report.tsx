/** Tasks and wear of every subject over three weeks on paper: two separate measures, one above the other. */
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { buttonClass } from '../../../shared/kit/controls.tsx';
import { type DayFacts, dayFacts, subjectDays } from '../../adherence/day-state.ts';
import { Legend, StateShape } from '../../adherence/marks.tsx';
import type { Content, PaperTable } from '../contents.tsx';
import { type Loaded, ReportScreen, ReportSheets } from '../report.tsx';
import { type AdherenceReport, loadAdherence } from './load-study.ts';

const FROM = '/print/studies/$studyId/adherence' as const;
/** About forty pages. */
const MOST_SUBJECTS = 500;

function Day({ day }: { day: DayFacts }) {
  const { t, format } = useWords();
  return (
    <>
      <StateShape state={day.state} />
      {day.assigned > 0 && ` ${day.completed}/${day.assigned}`}
      <small>
        {day.wearSeconds === undefined
          ? day.isFuture || day.state === 'before' || day.state === 'over'
            ? ''
            : t('paper.adherence.noWear')
          : t('adherence.hours', { value: format.number(day.wearSeconds / 3600) })}
      </small>
    </>
  );
}

function useRows({ study, dates, items, nowMs }: AdherenceReport) {
  const { format } = useWords();
  return useMemo(() => {
    const byId = new Map(items.map(({ subjectId, days }) => [subjectId, days]));
    const isRunning = study.lifecycleState === 'IN_PROGRESS';
    return study.subjects
      .filter(({ isHidden }) => !isHidden)
      .sort((a, b) => Number(a.isTest) - Number(b.isTest) || format.compare(a.displayName, b.displayName))
      .map((subject) => {
        const days = subjectDays(subject, byId.get(subject.id) ?? [], study.program, isRunning, nowMs);
        return { subject, days: dates.map((date) => dayFacts(days, date)) };
      });
  }, [study, dates, items, nowMs, format]);
}

function AdherenceSheets({ loaded }: { loaded: Loaded<AdherenceReport> }) {
  const { t, format } = useWords();
  const { data: report } = loaded;
  const { study, dates } = report;
  const rows = useRows(report);
  const contents = useMemo((): Content[] => {
    const table: PaperTable = {
      caption: t('overview.caption'),
      columns: [
        { id: 'name', label: t('subjects.name'), share: 7 },
        { id: 'sum', label: t('paper.adherence.sum'), share: 4.5 },
        ...dates.map((date) => ({
          id: date,
          label: (
            <>
              {format.weekday(date)}
              {/* On one line, also on the narrower paper. */}
              <small>{format.monthDay(date)}</small>
            </>
          ),
          share: 2.6,
        })),
      ],
      rows: rows.slice(0, MOST_SUBJECTS).map(({ subject, days }) => {
        const worn = days.flatMap(({ wearSeconds }) => wearSeconds ?? []);
        const past = days.filter(({ isFuture }) => !isFuture);
        const total = (member: 'assigned' | 'completed') => past.reduce((sum, day) => sum + day[member], 0);
        return {
          id: subject.id,
          cells: [
            <span key="name">
              {subject.displayName}
              {subject.isTest && <small>{t('subjects.test')}</small>}
            </span>,
            <span key="sum">
              {t('overview.tasksDone', {
                completed: format.number(total('completed')),
                assigned: format.number(total('assigned')),
                count: total('assigned'),
              })}
              <small>
                {worn.length > 0
                  ? t('paper.adherence.worn', {
                      duration: format.duration(worn.reduce((sum, seconds) => sum + seconds, 0)),
                      count: worn.length,
                    })
                  : t('paper.adherence.noWear')}
              </small>
            </span>,
            ...days.map((day) => <Day key={day.date} day={day} />),
          ],
        };
      }),
    };
    const cut = rows.length - MOST_SUBJECTS;
    return [
      { id: 'help', block: <p>{t('paper.adherence.help')}</p> },
      // Before the days, so that the first page explains the marks of all.
      { id: 'legend', block: <Legend /> },
      { id: 'days', table },
      ...(cut > 0 ? [{ id: 'cut', block: <p>{t('paper.more', { count: cut, value: format.number(cut) })}</p> }] : []),
    ];
  }, [rows, dates, t, format]);
  const [first, last] = [dates[0]!, dates.at(-1)!];
  return (
    <ReportSheets
      title={t('paper.adherence.title')}
      fileName={t('paper.fileOf', { title: t('paper.adherence.title'), subject: study.displayName, date: last })}
      facts={[
        { name: t('paper.study'), value: study.displayName },
        { name: t('paper.week.dates'), value: `${first} – ${last}` },
      ]}
      timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
      {...{ contents, loaded }}
    />
  );
}

export function AdherenceOnPaper() {
  const { t } = useWords();
  const { studyId } = useParams({ from: FROM });
  const { date } = useSearch({ from: FROM });
  return (
    <ReportScreen
      title={t('paper.adherence.title')}
      queryKey={['adherence', studyId, date]}
      load={(queries) => loadAdherence(queries, studyId, date)}
      back={
        <Link to="/studies/$studyId" params={{ studyId }} className={buttonClass('quiet')}>
          {t('paper.studyReport.back')}
        </Link>
      }
    >
      {(loaded) => <AdherenceSheets loaded={loaded} />}
    </ReportScreen>
  );
}
