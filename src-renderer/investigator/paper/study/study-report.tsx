/** A study on paper: how many take part, what was done and recorded, and each subject in one row. */
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { buttonClass } from '../../../shared/kit/controls.tsx';
import { localDate } from '../../../shared/time/local-day.ts';
import { usePlacement } from '../../recordings/sensor-words.ts';
import type { Content, PaperTable } from '../contents.tsx';
import styles from '../paper.module.css';
import { type Loaded, moment, ReportScreen, ReportSheets } from '../report.tsx';
import { signaturesTable } from '../signatures/signatures-table.ts';
import { loadStudy, type StudyReport } from './load-study.ts';

const FROM = '/print/studies/$studyId' as const;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The totals of the desk, which leave test subjects out, and what the study is made of. */
function Totals({ report: { study, stats, faults, daily } }: { report: StudyReport }) {
  const { t, format } = useWords();
  const placement = usePlacement();
  const people = study.subjects.filter(({ isTest }) => !isTest);
  const hidden = people.filter(({ isHidden }) => isHidden).length;
  const tests = study.subjects.length - people.length;
  const counted = (count: number) => ({ count, value: format.number(count) });
  const assigned = sum(stats.map(({ tasksAssigned }) => tasksAssigned));
  const named = (names: readonly string[]) => (names.length > 0 ? format.list([...names]) : t('study.none'));
  const facts: [string, string][] = [
    [
      t('overview.enrolled'),
      [
        t('overview.people', counted(people.length)),
        hidden > 0 && t('overview.hidden', { count: hidden }),
        tests > 0 && t('overview.test', { count: tests }),
      ]
        .filter(Boolean)
        .join(', '),
    ],
    [
      t('overview.tasks'),
      assigned > 0
        ? t('overview.tasksDone', {
            completed: format.number(sum(stats.map(({ tasksCompleted }) => tasksCompleted))),
            assigned: format.number(assigned),
            count: assigned,
          })
        : t('overview.noTasks'),
    ],
    [
      t('overview.recordings'),
      `${t('overview.recordingCount', counted(sum(daily.map(({ countRecordings }) => countRecordings))))}, ${t(
        'overview.recorded',
        { duration: format.duration(sum(daily.map(({ sumDurationMs }) => sumDurationMs)) / 1000) },
      )}`,
    ],
    [t('overview.faults'), t('overview.faultTotal', counted(sum(faults.map(({ countFaults }) => countFaults))))],
    [t('study.activities'), named(study.activities.map(({ displayName }) => displayName))],
    [t('study.diaries'), named(study.diaries.map(({ displayName }) => displayName))],
    [t('study.placements'), named(study.deviceConfigs.map(({ physicalConfig }) => placement(physicalConfig)))],
    [
      t('study.program'),
      study.program.tasks.length > 0 ? t('study.programDays', { count: study.program.days }) : t('study.none'),
    ],
  ];
  return (
    <section>
      <h3>{t('paper.studyReport.totals')}</h3>
      <table className={styles.table}>
        <colgroup>
          <col style={{ width: '20%' }} />
          <col />
        </colgroup>
        <tbody>
          {facts.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function useSubjectTable({ subjects, faults }: StudyReport): PaperTable {
  const { t, format } = useWords();
  return useMemo(() => {
    const faultsOf = new Map(faults.map(({ subjectId, countFaults }) => [subjectId, countFaults]));
    const state = ({ isHidden, isTest, summary }: (typeof subjects.items)[number]) =>
      isHidden
        ? t('subjects.hidden')
        : isTest
          ? t('subjects.test')
          : t(summary?.countRecordings === 0 ? 'subjects.enrolled' : 'subjects.active');
    return {
      caption: t('overview.participants'),
      columns: [
        { id: 'name', label: t('subjects.name'), share: 9 },
        { id: 'state', label: t('subjects.state'), share: 3 },
        { id: 'first', label: t('paper.studyReport.first'), share: 4 },
        { id: 'last', label: t('subjects.lastRecording'), share: 5 },
        { id: 'hours', label: t('subjects.hours'), share: 4, isNumber: true },
        { id: 'days', label: t('subjects.days'), share: 3, isNumber: true },
        { id: 'recordings', label: t('subjects.recordings'), share: 3, isNumber: true },
        { id: 'faults', label: t('overview.faults'), share: 3, isNumber: true },
        { id: 'zone', label: t('subjects.zone'), share: 5 },
      ],
      rows: [...subjects.items]
        .sort((a, b) => format.compare(a.displayName, b.displayName))
        .map((subject) => {
          const { summary, timezone } = subject;
          const none = (
            <span key="none" className={styles.muted}>
              {t('studies.noRecording')}
            </span>
          );
          return {
            id: subject.id,
            cells: [
              subject.displayName,
              state(subject),
              summary?.firstDataTs === undefined ? none : localDate(summary.firstDataTs, timezone),
              summary?.lastDataTs === undefined ? none : moment(summary.lastDataTs, timezone),
              summary && format.duration(summary.coveredMs / 1000),
              summary && format.number(summary.countDays),
              summary && format.number(summary.countRecordings),
              format.number(faultsOf.get(subject.id) ?? 0),
              timezone,
            ],
          };
        }),
    };
  }, [subjects, faults, t, format]);
}

function StudySheets({ loaded }: { loaded: Loaded<StudyReport> }) {
  const { t, format } = useWords();
  const { data: report } = loaded;
  const { study, subjects } = report;
  const table = useSubjectTable(report);
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const contents = useMemo((): Content[] => {
    const cut = study.subjects.length - subjects.items.length;
    return [
      { id: 'totals', block: <Totals report={report} /> },
      { id: 'subjects', table },
      ...(subjects.hasMore
        ? [{ id: 'cut', block: <p>{t('paper.more', { count: cut, value: format.number(cut) })}</p> }]
        : []),
      ...signaturesTable(report.signatures, timeZone, t, format),
    ];
  }, [report, study, subjects, table, timeZone, t, format]);
  return (
    <ReportSheets
      title={t('paper.studyReport.title')}
      fileName={t('paper.fileOf', {
        title: t('paper.studyReport.title'),
        subject: study.displayName,
        date: localDate(loaded.readMs, timeZone),
      })}
      facts={[
        { name: t('paper.study'), value: study.displayName },
        {
          name: t('paper.studyReport.state'),
          value: [t(`studies.lifecycle.${study.lifecycleState}`), study.isArchived && t('studies.archived')]
            .filter(Boolean)
            .join(', '),
        },
        { name: t('paper.studyReport.name'), value: study.title, isWide: true },
      ]}
      {...{ contents, loaded, timeZone }}
    />
  );
}

export function StudyOnPaper() {
  const { t } = useWords();
  const { studyId } = useParams({ from: FROM });
  return (
    <ReportScreen
      title={t('paper.studyReport.title')}
      queryKey={['study', studyId]}
      load={(queries) => loadStudy(queries, studyId)}
      back={
        <Link to="/studies/$studyId" params={{ studyId }} className={buttonClass('quiet')}>
          {t('paper.studyReport.back')}
        </Link>
      }
    >
      {(loaded) => <StudySheets loaded={loaded} />}
    </ReportScreen>
  );
}
