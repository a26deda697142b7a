/** The daily metrics of a subject: trends over the days, and every value in one table. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { DailyMetricsItem } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { fileName, saveResponse } from '../../shared/api/download.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { metricsQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useColumnChoice } from '../../shared/kit/column-choice.tsx';
import { Button } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint, type Merge } from '../../shared/kit/data-table.tsx';
import { Empty, ErrorNotice, QueryView } from '../../shared/kit/state.tsx';
import { type DayClock, datesBetween, localDate, zoneAt } from '../../shared/time/local-day.ts';
import { SubjectLink } from '../subjects/subject-link.tsx';
import { labelValues } from './label-values.ts';
import { MethodsText } from './method-text.tsx';
import {
  EPOCH_NAMES,
  headerText,
  isPartialDay,
  LEADING,
  leadingOf,
  metricText,
  RHYTHM_NAMES,
  SINGLES,
  type SingleName,
  singlesOf,
} from './metric.ts';
import { MetricDefinitions, useMetricWords } from './metric-help.tsx';
import styles from './metrics.module.css';
import { Trend } from './trend.tsx';

interface Day {
  date: string;
  /** Undefined for a day without data between days that have some. */
  item: DailyMetricsItem | undefined;
}

const FURTHER_TRENDS: readonly SingleName[] = [
  'SLEEPING_AVG_RESPIRATION',
  'MOVING_WALKING_DURATION',
  'RESTING_SITTING_DURATION',
];
const SHOWN = [
  ...new Set([
    ...LEADING,
    ...FURTHER_TRENDS,
    ...SINGLES.flatMap(({ names }) => names),
    ...RHYTHM_NAMES,
    ...EPOCH_NAMES,
  ]),
];

function MetricsOf({ items, clock }: { items: DailyMetricsItem[]; clock: DayClock }) {
  const { t, format } = useWords();
  const params = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/metrics' });
  const navigate = useNavigate();
  const words = useMetricWords();
  const days = useMemo(
    () => items.map((item) => ({ date: localDate(item.dayStartMsUtc, item.subjectTz), item })),
    [items],
  );
  const byDate = useMemo(() => new Map(days.map((day) => [day.date, day.item.metrics])), [days]);
  const dates = useMemo(() => {
    const [first, last] = [days[0], days.at(-1)];
    return first && last ? datesBetween(first.date, last.date) : [];
  }, [days]);
  const rows = useMemo(() => {
    const items = new Map(days.map(({ date, item }) => [date, item]));
    return dates.map((date): Day => ({ date, item: items.get(date) }));
  }, [days, dates]);
  const { trends, names } = useMemo(() => {
    const values = items.map(({ metrics }) => metrics);
    const leading = leadingOf(values);
    return {
      trends: leading === LEADING ? [...leading, ...FURTHER_TRENDS] : leading,
      names: [...new Set([...leading, ...singlesOf(values).flatMap((group) => group.names)])],
    };
  }, [items]);
  const labels = useMemo(
    () =>
      labelValues(
        items.map(({ parameters }) => parameters),
        format,
      ),
    [items, format],
  );
  const all = useMemo(
    (): Column<Day>[] => [
      {
        id: 'date',
        header: t('metrics.date'),
        value: (day) => day.date,
        cell: (day) => (
          <Link
            to="/studies/$studyId/subjects/$subjectId/days"
            params={params}
            search={{ date: day.date }}
            title={
              day.item &&
              t('metrics.dataSpan', {
                start: format.dateTime(day.item.dataStartTs, zoneAt(day.item.dataStartTs, clock)),
                stop: format.dateTime(day.item.dataStopTs, zoneAt(day.item.dataStopTs, clock)),
              })
            }
          >
            {format.date(day.date)}
          </Link>
        ),
      },
      ...names.map((name): Column<Day> => {
        return {
          id: name,
          header: headerText(name, t, labels),
          isNumber: true,
          help: words?.get(name)?.definition,
          value: (day) => day.item?.metrics[name],
          cell: ({ item }) =>
            item?.metrics[name] === undefined ? (
              <Faint help={words?.get(name)?.minimumData}>
                <span aria-hidden="true">—</span>
                <span className="visually-hidden">{t('metrics.notEnough')}</span>
              </Faint>
            ) : (
              metricText(name, item.metrics[name], format, clock)
            ),
        };
      }),
    ],
    [t, format, params, clock, words, names, labels],
  );
  const { columns, chooser } = useColumnChoice('metrics', all);
  const merge = useMemo(
    (): Merge<Day> => ({
      emptyKey: ({ item }) => (item ? undefined : 'none'),
      text: (first, last, count) => {
        const [from, to] = [first.date, last.date].sort();
        const range = t('table.range', { low: format.date(from ?? ''), high: format.date(to ?? '') });
        return t('table.mergedNoData', { range, count });
      },
    }),
    [t, format],
  );
  return (
    <>
      <h2>{t('metrics.trends')}</h2>
      <p className={styles.head}>{days.length >= 5 ? t('metrics.trendsHelp') : t('metrics.trendsFew')}</p>
      <div className={styles.trends}>
        {trends.map((name) => (
          <Trend
            key={name}
            name={name}
            clock={clock}
            points={dates.map((date) => {
              const values = byDate.get(date);
              return { date, value: values?.[name] ?? null, isPartial: isPartialDay(values ?? {}) };
            })}
            onDate={(date) =>
              void navigate({ to: '/studies/$studyId/subjects/$subjectId/days', params, search: { date } })
            }
          />
        ))}
      </div>
      <div className={styles.head}>
        <h2>{t('metrics.allDays')}</h2>
        {chooser}
      </div>
      <MethodsText items={items} />
      <DataTable
        caption={t('metrics.allDays')}
        rows={rows}
        columns={columns}
        rowId={(day) => day.date}
        initialSort={{ id: 'date', desc: true }}
        merge={merge}
      />
      <MetricDefinitions parameters={items.map(({ parameters }) => parameters)} />
    </>
  );
}

export function Metrics() {
  const { t } = useWords();
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/metrics' });
  const metrics = useQuery(metricsQuery(studyId, subjectId, SHOWN));
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const mayExport = usePermissions()('analytics.export', studyId);
  const download = useMutation({
    mutationFn: async () => {
      const response = await client.fetch('downloadMetricsCsv', { params: { studyId, subjectId } });
      await saveResponse(response, fileName(subject.data?.displayName ?? subjectId, 'metrics.csv'));
    },
  });
  return (
    <div className={styles.page}>
      {mayExport && (
        <div className={styles.head}>
          <p>{t('days.bracketHelp')}</p>
          <Button icon="download" isDisabled={download.isPending} onPress={() => download.mutate()}>
            {t('metrics.csv')}
          </Button>
        </div>
      )}
      {download.error && <ErrorNotice error={download.error} onRetry={() => download.mutate()} />}
      <QueryView query={metrics}>
        {({ items }) =>
          items.length === 0 || !subject.data ? (
            <Empty icon="calendar" title={t('metrics.emptyTitle')} help={t('metrics.emptyHelp')}>
              <SubjectLink view="coverage" studyId={studyId} subjectId={subjectId} />
            </Empty>
          ) : (
            <MetricsOf items={items} clock={subject.data.timezones} />
          )
        }
      </QueryView>
    </div>
  );
}
