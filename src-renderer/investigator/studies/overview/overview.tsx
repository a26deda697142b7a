/** The study at a glance: participants, adherence by day, faults and recordings. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { StudyDetail, SubjectAdherence } from '../../../../src-server/api/contract/index.ts';
import { fileName } from '../../../shared/api/download.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { studyQuery } from '../../../shared/api/queries.ts';
import {
  adherenceQuery,
  dailyRecordingsQuery,
  faultStatsQuery,
  programStatsQuery,
} from '../../../shared/api/study-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { CsvButton, IconButton, Segments } from '../../../shared/kit/controls.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { QueryView, Skeleton } from '../../../shared/kit/state.tsx';
import { addDays } from '../../../shared/time/local-day.ts';
import { useIsNarrowWindow } from '../../../shared/window-size.ts';
import { adherenceCsv } from '../../adherence/adherence-csv.ts';
import { datesUpTo, dayFacts, subjectDays } from '../../adherence/day-state.ts';
import { Legend } from '../../adherence/marks.tsx';
import { StudyFacts } from './facts.tsx';
import { type DayTotal, Matrix } from './matrix.tsx';
import { NoSubjects } from './no-subjects.tsx';
import styles from './overview.module.css';

/** As many whole weeks as fit. */
const SHOWN_DAYS = 21;
const NARROW_SHOWN_DAYS = 14;
/** Page Up and Page Down move by about a month, in whole weeks. */
const MONTH_DAYS = 28;
const NO_TOTALS: ReadonlyMap<string, DayTotal> = new Map();

/** Recordings per day; undefined until they have loaded, which is not the same as none. */
function useTotals(studyId: string): ReadonlyMap<string, DayTotal> | undefined {
  const items = useQuery(dailyRecordingsQuery(studyId)).data?.items;
  return useMemo(
    () =>
      items &&
      new Map(
        items.map(({ date, countRecordings, sumDurationMs }) => [
          date,
          { date, recordings: countRecordings, durationMs: sumDurationMs },
        ]),
      ),
    [items],
  );
}

/** Totals of the study. The site leaves test subjects out. */
function Tiles({ study, totals }: { study: StudyDetail; totals: ReadonlyMap<string, DayTotal> | undefined }) {
  const { t, format } = useWords();
  const stats = useQuery(programStatsQuery(study.id)).data?.items;
  const faults = useQuery(faultStatsQuery(study.id)).data?.items;
  const people = study.subjects.filter((subject) => !subject.isTest);
  const hidden = people.filter((subject) => subject.isHidden).length;
  const days = totals && [...totals.values()];
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const assigned = sum(stats?.map((item) => item.tasksAssigned) ?? []);
  const tiles = [
    {
      name: t('overview.enrolled'),
      value: t('overview.people', { count: people.length }),
      help: [
        hidden > 0 && t('overview.hidden', { count: hidden }),
        people.length < study.subjects.length && t('overview.test', { count: study.subjects.length - people.length }),
      ],
    },
    {
      name: t('overview.tasks'),
      value:
        stats === undefined
          ? undefined
          : assigned > 0
            ? t('overview.tasksDone', {
                completed: format.number(sum(stats?.map((item) => item.tasksCompleted) ?? [])),
                assigned: format.number(assigned),
                count: assigned,
              })
            : t('overview.noTasks'),
      help: [t('overview.tasksHelp')],
    },
    {
      name: t('overview.recordings'),
      value: days && t('overview.recordingCount', { count: sum(days.map((day) => day.recordings)) }),
      help: [
        days &&
          days.length > 0 &&
          t('overview.recorded', { duration: format.duration(sum(days.map((day) => day.durationMs)) / 1000) }),
      ],
    },
    {
      name: t('overview.faults'),
      value: faults && t('overview.faultTotal', { count: sum(faults.map((item) => item.countFaults)) }),
      help: [],
    },
  ];
  return (
    <dl className={styles.tiles}>
      {tiles.map((tile) => (
        <div key={tile.name} className={panelClass}>
          <dt>{tile.name}</dt>
          <dd>
            <strong>{tile.value ?? <Skeleton width="6rem" height="1.25rem" />}</strong>
            <small>{tile.help.filter(Boolean).join(' · ')}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Adherence({
  study,
  items,
  totals,
}: {
  study: StudyDetail;
  items: readonly SubjectAdherence[];
  totals: ReadonlyMap<string, DayTotal>;
}) {
  const { t, format } = useWords();
  const [measure, setMeasure] = useState<'tasks' | 'wear'>('tasks');
  const [backDays, setBackDays] = useState(0);
  const shownDays = useIsNarrowWindow() ? NARROW_SHOWN_DAYS : SHOWN_DAYS;
  const mayExport = usePermissions()('analytics.export', study.id);
  const faults = useQuery(faultStatsQuery(study.id)).data?.items;
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  const byId = new Map(items.map((item) => [item.subjectId, item.days]));
  const faultsOf = new Map(faults?.map((item) => [item.subjectId, item.countFaults]));
  const rows = study.subjects
    .filter((subject) => !subject.isHidden)
    .map((subject) => ({
      subject,
      days: subjectDays(subject, byId.get(subject.id) ?? [], study.program, isRunning, Date.now()),
      faults: faultsOf.get(subject.id),
    }))
    .sort((a, b) => format.compare(a.subject.displayName, b.subject.displayName));
  const known = items.flatMap(({ days }) => days.map(({ date }) => date)).sort();
  const today =
    rows
      .map(({ days }) => days.today)
      .sort()
      .at(-1) ?? '';
  const last = (isRunning ? undefined : known.at(-1)) ?? today;
  const dates = datesUpTo(addDays(last, -backDays), shownDays);
  const [firstKnown] = known;
  const [firstShown = last] = dates;
  const hasEarlier = firstKnown !== undefined && firstKnown < firstShown;
  const goBack = (days: number) => {
    if (days < 0 || hasEarlier) setBackDays((now) => Math.max(0, now + days));
  };
  const groups = [
    { id: 'people', title: t('overview.participants'), rows: rows.filter(({ subject }) => !subject.isTest) },
    { id: 'test', title: t('overview.testSubjects'), rows: rows.filter(({ subject }) => subject.isTest) },
  ].filter((group) => group.rows.length > 0);

  return (
    <section className={styles.adherence} aria-label={t('overview.caption')}>
      <div className={styles.tools}>
        <h2>{t('overview.caption')}</h2>
        <Segments
          label={t('overview.measure')}
          value={measure}
          options={[
            { id: 'tasks', label: t('overview.tasks') },
            { id: 'wear', label: t('overview.wear') },
          ]}
          onChange={setMeasure}
        />
        <span role="status">{t('overview.span', format.span(firstShown, dates.at(-1) ?? last))}</span>
        <IconButton
          kind="quiet"
          icon="left"
          label={t('overview.earlier')}
          isDisabled={!hasEarlier}
          onPress={() => goBack(shownDays)}
        />
        <IconButton
          kind="quiet"
          icon="right"
          label={t('overview.later')}
          isDisabled={backDays === 0}
          onPress={() => goBack(-shownDays)}
        />
        {mayExport && (
          <CsvButton
            label={t('overview.csv')}
            fileName={fileName(study.displayName, 'days.csv')}
            text={() =>
              adherenceCsv(
                groups.flatMap((group) =>
                  group.rows.flatMap((row) =>
                    dates.map((date) => ({ subject: row.subject, day: dayFacts(row.days, date) })),
                  ),
                ),
              )
            }
          />
        )}
      </div>
      <Matrix
        groups={groups}
        dates={dates}
        totals={totals}
        measure={measure}
        onPage={(by) => goBack(-by * MONTH_DAYS)}
      />
      <Legend />
    </section>
  );
}

export function StudyOverview() {
  const { studyId } = useParams({ from: '/desk/studies/$studyId' });
  const study = useQuery(studyQuery(studyId));
  const adherence = useQuery(adherenceQuery(studyId));
  const totals = useTotals(studyId);
  return (
    <QueryView query={study}>
      {(data) => (
        <>
          <Tiles study={data} totals={totals} />
          <StudyFacts study={data} />
          {data.subjects.every((subject) => subject.isHidden) ? (
            <NoSubjects study={data} />
          ) : (
            <QueryView query={adherence}>
              {({ items }) => <Adherence study={data} items={items} totals={totals ?? NO_TOTALS} />}
            </QueryView>
          )}
        </>
      )}
    </QueryView>
  );
}
