/** The adherence calendar of a subject: weeks as rows, with tasks and wear time; the chosen day opens beside it. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { StudyDetail, SubjectAdherence } from '../../../src-server/api/contract/index.ts';
import { fileName } from '../../shared/api/download.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { type DeskSubject, studyQuery, subjectQuery } from '../../shared/api/queries.ts';
import { subjectAdherenceQuery } from '../../shared/api/study-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { buttonClass, CsvButton, Segments } from '../../shared/kit/controls.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { addDays, datesBetween } from '../../shared/time/local-day.ts';
import { adherenceCsv } from '../adherence/adherence-csv.ts';
import { dayFacts, mondayOf, subjectDays } from '../adherence/day-state.ts';
import { Legend } from '../adherence/marks.tsx';
import { TaskCalendar } from './calendar.tsx';
import { DayDetail } from './day-detail.tsx';
import { Scores } from './scores.tsx';
import { TaskTable } from './table.tsx';
import styles from './tasks.module.css';

/** How many days of a running program the calendar shows ahead. */
const AHEAD_DAYS = 27;

function Calendar({
  study,
  subject,
  adherenceDays,
}: {
  study: StudyDetail;
  subject: DeskSubject;
  adherenceDays: SubjectAdherence['days'];
}) {
  const { t } = useWords();
  const navigate = useNavigate();
  const mayExport = usePermissions()('analytics.export', study.id);
  const { date, view } = useSearch({ from: '/desk/studies/$studyId/subjects/$subjectId/tasks' });
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  const calendar = useMemo(
    () => subjectDays(subject, adherenceDays, study.program, isRunning, Date.now()),
    [subject, adherenceDays, study.program, isRunning],
  );
  const known = adherenceDays.map((day) => day.date);
  const [begin] = [calendar.firstDate, ...known].filter((one) => one !== undefined).sort();
  if (begin === undefined) {
    return (
      <Empty icon="calendar" title={t('tasks.emptyTitle')} help={t('tasks.emptyHelp')}>
        <Link to="/studies/$studyId" params={{ studyId: study.id }} className={buttonClass('primary')}>
          {t('tasks.toStudy')}
        </Link>
      </Empty>
    );
  }
  const programEnd = calendar.firstDate
    ? addDays(calendar.firstDate, Math.max(0, study.program.days - 1))
    : calendar.today;
  const ahead = addDays(calendar.today, AHEAD_DAYS);
  const [plannedEnd = programEnd] = [programEnd, ahead].sort();
  const end = isRunning && programEnd > calendar.today ? plannedEnd : (known.at(-1) ?? begin);
  const last = end > calendar.today || !isRunning ? end : calendar.today;
  const dates = datesBetween(mondayOf(begin), addDays(mondayOf(last), 6));
  const days = dates.map((one) => dayFacts(calendar, one));
  const shown = days.filter((day) => day.date >= begin && day.date <= last);
  const chosen =
    date !== undefined && dates.includes(date) ? date : dates.includes(calendar.today) ? calendar.today : last;
  const choose = (next: string) =>
    void navigate({
      to: '/studies/$studyId/subjects/$subjectId/tasks',
      params: { studyId: study.id, subjectId: subject.id },
      search: { date: next, view },
      replace: true,
    });
  return (
    <>
      <div className={styles.tools}>
        <p>{t('tasks.help')}</p>
        <span className={styles.spacer} />
        <Segments
          label={t('tasks.view')}
          value={view ?? 'calendar'}
          options={[
            { id: 'calendar', label: t('tasks.calendar') },
            { id: 'table', label: t('tasks.table') },
          ]}
          onChange={(next) =>
            void navigate({
              to: '/studies/$studyId/subjects/$subjectId/tasks',
              params: { studyId: study.id, subjectId: subject.id },
              search: { date, view: next === 'table' ? 'table' : undefined },
              replace: true,
            })
          }
        />
        {mayExport && (
          <CsvButton
            label={t('tasks.csv')}
            fileName={fileName(subject.displayName, 'tasks.csv')}
            text={() => adherenceCsv(shown.map((day) => ({ subject, day })))}
          />
        )}
      </div>
      <div className={styles.split}>
        <div className={styles.left}>
          {view === 'table' ? (
            <TaskTable days={shown} onChoose={choose} />
          ) : (
            <TaskCalendar days={days} chosen={chosen} onChoose={choose} />
          )}
          <Legend />
          <Scores subject={subject} mayExport={mayExport} />
        </div>
        <DayDetail subject={subject} day={dayFacts(calendar, chosen)} calendar={calendar} study={study} />
      </div>
    </>
  );
}

export function Tasks() {
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId' });
  const study = useQuery(studyQuery(studyId));
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const adherence = useQuery(subjectAdherenceQuery(studyId, subjectId));
  return (
    <QueryView query={study}>
      {(data) => (
        <QueryView query={subject}>
          {(who) => (
            <QueryView query={adherence}>
              {(days) => <Calendar study={data} subject={who} adherenceDays={days} />}
            </QueryView>
          )}
        </QueryView>
      )}
    </QueryView>
  );
}
