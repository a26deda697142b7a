/** One day of a subject: its tasks with their times, its other records, and a link to its signals. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { StudyDetail, TaskReport } from '../../../src-server/api/contract/index.ts';
import type { DeskSubject } from '../../shared/api/queries.ts';
import { programAuditQuery, taskReportsQuery } from '../../shared/api/study-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { buttonClass, Pill } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import { type DayFacts, plannedTasks, type SubjectDays } from '../adherence/day-state.ts';
import { useDaySentence } from '../adherence/marks.tsx';
import { DayRecords } from './day-records.tsx';
import styles from './tasks.module.css';

interface DueTask {
  id: string;
  displayName: string;
  completed: boolean;
}

const TIMES = ['intendedTs', 'openedTs', 'completedTs', 'reportedTs'] as const;

function Times({ report, subject, date }: { report: TaskReport; subject: DeskSubject; date: string }) {
  const { t, format } = useWords();
  const known = TIMES.flatMap((name) => {
    const ms = report[name];
    return ms === undefined ? [] : [{ name, ms }];
  });
  return (
    <dl className={styles.times}>
      {known.map(({ name, ms }) => (
        <div key={name}>
          <dt>{t(`tasks.${name}`)}</dt>
          <dd title={format.dateTime(ms, subject.timezone)}>
            {localDate(ms, subject.timezone) === date
              ? format.clock(ms, subject.timezone)
              : format.moment(ms, subject.timezone)}
          </dd>
        </div>
      ))}
      {report.scores && (
        <div>
          <dt>{t('tasks.scoreValue')}</dt>
          <dd>
            {report.scores.map(({ questionnaireId, name, value, min, max, answered, items }) => (
              <span key={questionnaireId} className={styles.question}>
                {value === undefined
                  ? t('tasks.scoreMissing', { name, answered, items })
                  : t('tasks.score', {
                      name,
                      value: format.number(value),
                      min: format.number(min),
                      max: format.number(max),
                    })}
              </span>
            ))}
          </dd>
        </div>
      )}
      <PhoneClock report={report} />
      {report.skipped && (
        <div>
          <dt>{t('tasks.skipped')}</dt>
          <dd>
            {report.skipped.map(({ questionId, text }) => (
              <span key={questionId} className={styles.question}>
                {text}
              </span>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** A smaller difference is that of any two clocks, and is not worth a line. */
const LEAST_DIFFERENCE_MS = 2000;

/** By how much the phone's clock differed, and whether the times are certain. */
function PhoneClock({ report: { phoneClock } }: { report: TaskReport }) {
  const { t, format } = useWords();
  if (!phoneClock) return null;
  const { offsetMs, state, claimedOffsetMs } = phoneClock;
  const isUncertain = state !== 'MEASURED';
  if (!isUncertain && Math.abs(offsetMs) < LEAST_DIFFERENCE_MS) return null;
  const duration = format.duration(Math.round(Math.abs(offsetMs) / 1000));
  const difference =
    Math.abs(offsetMs) < LEAST_DIFFERENCE_MS
      ? t('tasks.clockRight')
      : t(offsetMs > 0 ? 'tasks.clockBehind' : 'tasks.clockAhead', { duration });
  const claimed = claimedOffsetMs !== undefined && format.duration(Math.round(Math.abs(claimedOffsetMs) / 1000));
  return (
    <div>
      <dt>{t('tasks.phoneClock')}</dt>
      <dd>
        {difference}
        {isUncertain && (
          <span className={styles.question}>
            <Pill tone="warn">{t('tasks.uncertain')}</Pill> {t(`tasks.clockState.${state}`)}
            {claimed && ` ${t('tasks.clockClaimed', { duration: claimed })}`}
          </span>
        )}
      </dd>
    </div>
  );
}

/** Whether a task was done in its window. */
function Timing({ reports }: { reports: readonly TaskReport[] }) {
  const { t } = useWords();
  const timings = reports.map(({ timing }) => timing);
  // Once in the window is enough, however often the task was repeated.
  const timing = timings.includes('IN_WINDOW') ? 'IN_WINDOW' : timings[0];
  if (timing === undefined) return null;
  return <Pill tone={timing === 'IN_WINDOW' ? 'neutral' : 'info'}>{t(`tasks.timing.${timing}`)}</Pill>;
}

export function DayDetail({
  study,
  subject,
  day,
  calendar,
}: {
  study: StudyDetail;
  subject: DeskSubject;
  day: DayFacts;
  calendar: SubjectDays;
}) {
  const { t, format } = useWords();
  const sentence = useDaySentence();
  const audit = useQuery(programAuditQuery(study.id, subject.id));
  const reports = useQuery(taskReportsQuery(study.id, subject.id));
  const names = new Map([...study.activities, ...study.diaries].map((task) => [task.id, task.displayName]));
  const isFuture = day.date > calendar.today;
  const dueOf = (days: { date: string; tasks: DueTask[] }[]): DueTask[] =>
    isFuture
      ? (plannedTasks(calendar, day.date) ?? []).map((id) => ({
          id,
          displayName: names.get(id) ?? '',
          completed: false,
        }))
      : (days.find((one) => one.date === day.date)?.tasks ?? []);
  return (
    <aside className={`${panelClass} ${styles.detail}`} aria-label={t('tasks.ofDay', { date: format.date(day.date) })}>
      <h2>{format.date(day.date)}</h2>
      <p role="status">{sentence(day)}</p>
      <QueryView query={audit}>
        {({ items }) => {
          const due = dueOf(items);
          const dayReports = (reports.data?.items ?? []).filter(
            (report) => localDate(report.startTs, subject.timezone) === day.date,
          );
          const extra = dayReports.filter((report) => !due.some((task) => task.id === report.taskId));
          if (due.length === 0 && extra.length === 0) return <p className={styles.faint}>{t('tasks.noneDue')}</p>;
          return (
            <ul className={styles.tasks}>
              {due.map((task) => (
                <li key={task.id}>
                  <strong>{task.displayName}</strong>
                  <span className={styles.pills}>
                    <Timing reports={dayReports.filter((report) => report.taskId === task.id)} />
                    <Pill tone={task.completed ? 'good' : isFuture || day.isToday ? 'neutral' : 'warn'}>
                      {t(
                        task.completed ? 'tasks.completed' : isFuture || day.isToday ? 'tasks.notYet' : 'tasks.missed',
                      )}
                    </Pill>
                  </span>
                  {dayReports
                    .filter((report) => report.taskId === task.id)
                    .map((report) => (
                      <Times key={report.id} report={report} subject={subject} date={day.date} />
                    ))}
                </li>
              ))}
              {extra.map((report) => (
                <li key={report.id}>
                  <strong>{report.displayName}</strong>
                  <Pill tone="info">{t('tasks.extra')}</Pill>
                  <Times report={report} subject={subject} date={day.date} />
                </li>
              ))}
            </ul>
          );
        }}
      </QueryView>
      {!isFuture && <DayRecords subject={subject} date={day.date} />}
      <Link
        to="/studies/$studyId/subjects/$subjectId/days"
        params={{ studyId: study.id, subjectId: subject.id }}
        search={{ date: day.date }}
        className={buttonClass()}
      >
        {t('tasks.openDay')}
      </Link>
    </aside>
  );
}
