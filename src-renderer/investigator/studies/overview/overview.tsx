/** The study at a glance: participants, adherence by day, faults and recordings. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { StudyDetail, SubjectAdherence } from '../../../../src-server/api/contract/index.ts';
import { fileName } from '../../../shared/api/download.ts';
import { subjectSummariesQuery } from '../../../shared/api/list-queries.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { studyQuery } from '../../../shared/api/queries.ts';
import type { ShownQuery } from '../../../shared/api/shown-query.ts';
import {
  adherenceBetweenQuery,
  dailyRecordingsQuery,
  faultStatsQuery,
  programStatsQuery,
} from '../../../shared/api/study-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { CsvButton, IconButton, Segments } from '../../../shared/kit/controls.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { QueryView, ReadError, Skeleton } from '../../../shared/kit/state.tsx';
import { addDays, datesBetween, latestToday, localDate } from '../../../shared/time/local-day.ts';
import { useIsNarrowWindow } from '../../../shared/window-size.ts';
import { adherenceCsv } from '../../adherence/adherence-csv.ts';
import { datesUpTo, dayFacts, subjectDays } from '../../adherence/day-state.ts';
import { Legend } from '../../adherence/marks.tsx';
import { useCommands } from '../../commands/commands.ts';
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
  const counted = (count: number) => ({ count, value: format.number(count) });
  const assigned = sum(stats?.map((item) => item.tasksAssigned) ?? []);
  const tiles = [
    {
      name: t('overview.enrolled'),
      to: '/studies/$studyId/subjects' as const,
      value: t('overview.people', counted(people.length)),
      help: [
        hidden > 0 && t('overview.hidden', { count: hidden }),
        people.length < study.subjects.length && t('overview.test', { count: study.subjects.length - people.length }),
      ],
    },
    {
      name: t('overview.tasks'),
      to: '/studies/$studyId/quality' as const,
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
      to: '/studies/$studyId/quality' as const,
      search: { view: 'weeks' as const },
      value: days && t('overview.recordingCount', counted(sum(days.map((day) => day.recordings)))),
      help: [
        days &&
          days.length > 0 &&
          t('overview.recorded', { duration: format.duration(sum(days.map((day) => day.durationMs)) / 1000) }),
      ],
    },
    {
      name: t('overview.faults'),
      to: '/studies/$studyId/quality' as const,
      search: { view: 'faults' as const },
      value: faults && t('overview.faultTotal', counted(sum(faults.map((item) => item.countFaults)))),
      help: [],
    },
  ];
  return (
    <dl className={styles.tiles}>
      {tiles.map((tile) => (
        <div key={tile.name} className={panelClass}>
          <dt>{tile.name}</dt>
          <dd>
            <strong>
              {tile.value === undefined ? (
                <Skeleton width="6rem" height="1.25rem" />
              ) : (
                <Link to={tile.to} params={{ studyId: study.id }} search={tile.search ?? {}}>
                  {tile.value}
                </Link>
              )}
            </strong>
            <small>{tile.help.filter(Boolean).join(' · ')}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** First and last day with tasks or data; without members where there is none. */
function useKnownSpan(
  study: StudyDetail,
): Pick<ShownQuery<{ first?: string; last?: string }>, 'data' | 'error' | 'refetch'> {
  // The site leaves test subjects out of its totals.
  const hasTests = study.subjects.some((subject) => subject.isTest);
  const stats = useQuery(programStatsQuery(study.id));
  const totals = useQuery(dailyRecordingsQuery(study.id));
  const tests = useQuery({ ...subjectSummariesQuery(study.id, true), enabled: hasTests });
  const data = useMemo(() => {
    if (!stats.data || !totals.data || (hasTests && !tests.data)) return undefined;
    const dates = [
      ...stats.data.items.flatMap(({ fromDate, toDate }) => [fromDate, toDate]),
      ...totals.data.items.map(({ date }) => date),
      ...(tests.data?.items ?? []).flatMap(({ isTest, timezone, programStartTs, summary }) =>
        isTest
          ? [programStartTs, summary?.firstDataTs, summary?.lastDataTs].flatMap((ts) =>
              ts === undefined ? [] : [localDate(ts, timezone)],
            )
          : [],
      ),
    ].sort();
    return { first: dates[0], last: dates.at(-1) };
  }, [stats.data, totals.data, tests.data, hasTests]);
  const failed = [stats, totals, tests].find((query) => query.error && !query.data);
  return { data, error: failed?.error ?? null, refetch: () => failed?.refetch() };
}

/** The matrix with its tools. Reads the days that show; others are read when they are moved to. */
function Adherence({ study, totals }: { study: StudyDetail; totals: ReadonlyMap<string, DayTotal> | undefined }) {
  const [backDays, setBackDays] = useState(0);
  const shownDays = useIsNarrowWindow() ? NARROW_SHOWN_DAYS : SHOWN_DAYS;
  const span = useKnownSpan(study);
  const known = span.data;
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  const today = latestToday(study.subjects.flatMap(({ isHidden, timezone }) => (isHidden ? [] : [timezone])));
  const last = isRunning ? today : known && (known.last ?? today);
  const wanted = last === undefined ? [] : datesUpTo(addDays(last, -backDays), shownDays);
  const [fromDate = '', toDate = ''] = [wanted[0], wanted.at(-1)];
  const adherence = useQuery({
    ...adherenceBetweenQuery(study.id, fromDate, toDate),
    enabled: last !== undefined,
  });
  const hasEarlier = known?.first !== undefined && known.first < fromDate;
  const goBack = (days: number) => {
    if (days < 0 || hasEarlier) setBackDays((now) => Math.max(0, now + days));
  };
  // Which days of a study that does not run are shown depends on them.
  if (last === undefined && span.error) return <ReadError error={span.error} onRetry={() => void span.refetch()} />;
  return (
    <QueryView query={adherence}>
      {(shown) => (
        <ShownDays
          study={study}
          shown={shown}
          firstKnown={known?.first}
          totals={totals ?? NO_TOTALS}
          onEarlier={hasEarlier ? () => goBack(shownDays) : undefined}
          onLater={backDays > 0 ? () => goBack(-shownDays) : undefined}
          onPage={(by) => goBack(-by * MONTH_DAYS)}
        />
      )}
    </QueryView>
  );
}

/** P prints the summary; the days have their own button, because both belong to this page. */
function usePrints(studyId: string, toDate?: string) {
  const navigate = useNavigate();
  return {
    summary: () => void navigate({ to: '/print/studies/$studyId', params: { studyId } }),
    days: () =>
      void navigate({ to: '/print/studies/$studyId/adherence', params: { studyId }, search: { date: toDate } }),
  };
}

function ShownDays({
  study,
  shown: { items, fromDate, toDate },
  firstKnown,
  totals,
  onEarlier,
  onLater,
  onPage,
}: {
  study: StudyDetail;
  shown: { items: readonly SubjectAdherence[]; fromDate: string; toDate: string };
  /** First day with tasks or data: days before it have nothing to show. Undefined until it is known, and where there is none. */
  firstKnown: string | undefined;
  totals: ReadonlyMap<string, DayTotal>;
  /** Undefined where there are no earlier or later days. */
  onEarlier: (() => void) | undefined;
  onLater: (() => void) | undefined;
  onPage: (by: -1 | 1) => void;
}) {
  const { t, format } = useWords();
  const prints = usePrints(study.id, toDate);
  useCommands([
    { id: 'study.print', label: t('overview.print'), keys: ['p'], scope: 'page', run: prints.summary },
    { id: 'study.printDays', label: t('overview.printDays'), scope: 'page', run: prints.days },
  ]);
  const [measure, setMeasure] = useState<'tasks' | 'wear'>('tasks');
  const mayExport = usePermissions()('analytics.export', study.id);
  const faults = useQuery(faultStatsQuery(study.id)).data?.items;
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  const firstShown = firstKnown !== undefined && firstKnown > fromDate && firstKnown <= toDate ? firstKnown : fromDate;
  const dates = datesBetween(firstShown, toDate);
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
        <span role="status">{t('overview.span', format.span(firstShown, toDate))}</span>
        <IconButton
          kind="quiet"
          icon="left"
          label={t('overview.earlier')}
          isDisabled={!onEarlier}
          onPress={() => onEarlier?.()}
        />
        <IconButton
          kind="quiet"
          icon="right"
          label={t('overview.later')}
          isDisabled={!onLater}
          onPress={() => onLater?.()}
        />
        <IconButton kind="quiet" icon="page" label={t('overview.printDays')} onPress={prints.days} />
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
      <Matrix groups={groups} dates={dates} totals={totals} measure={measure} onPage={onPage} />
      <Legend measure={measure} />
    </section>
  );
}

export function StudyOverview() {
  const { studyId } = useParams({ from: '/desk/studies/$studyId' });
  const study = useQuery(studyQuery(studyId));
  const totals = useTotals(studyId);
  return (
    <QueryView query={study}>
      {(data) => (
        <>
          <Tiles study={data} totals={totals} />
          {data.subjects.every((subject) => subject.isHidden) ? (
            <NoSubjects study={data} />
          ) : (
            <Adherence key={data.id} study={data} totals={totals} />
          )}
          <StudyFacts study={data} />
        </>
      )}
    </QueryView>
  );
}
