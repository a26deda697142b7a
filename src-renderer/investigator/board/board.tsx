/** The board of a study: chosen metrics of every subject as small charts with shared axes, and their comparison by groups. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ComponentProps, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Board as SavedBoard, StudyDetail } from '../../../src-server/api/contract/index.ts';
import {
  type AnalysisParameters,
  DEFAULT_ANALYSIS_PARAMETERS,
} from '../../../src-server/vocabulary/analysis-parameters.ts';
import {
  BOARD_DAYS,
  type BoardGrouping,
  MOST_BOARD_METRICS,
  type StudyBoard,
} from '../../../src-server/vocabulary/board.ts';
import { client } from '../../shared/api/client.ts';
import { fileName, saveText } from '../../shared/api/download.ts';
import { subjectSummariesQuery } from '../../shared/api/list-queries.ts';
import { studyPlanQuery } from '../../shared/api/participation-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { boardQuery, dailyValuesQuery } from '../../shared/api/quality-queries.ts';
import { studyQuery } from '../../shared/api/queries.ts';
import { dailyRecordingsQuery, definitionQuery } from '../../shared/api/study-queries.ts';
import { lightColors } from '../../shared/charts/palette.ts';
import { csvText } from '../../shared/csv.ts';
import { type Format, withUnit } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass, CsvButton, Field, IconButton, Segments } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint, TableFrame, WindowedRows } from '../../shared/kit/data-table.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { useGridFocus } from '../../shared/kit/grid-focus.ts';
import { noteClass, spacerClass, stackClass, toolsClass } from '../../shared/kit/page.tsx';
import { useRowWindow } from '../../shared/kit/row-window.ts';
import { Empty, ErrorNotice, QueryView } from '../../shared/kit/state.tsx';
import { addDays, datesBetween, fixedZone, latestToday, localDate } from '../../shared/time/local-day.ts';
import { labelValues } from '../metrics/label-values.ts';
import {
  EPOCH_NAMES,
  isSingle,
  LEADING,
  metricText,
  RHYTHM_NAMES,
  SINGLES,
  type SingleName,
  singleLabel,
  trendRange,
  unitBeside,
  unitOf,
  unitText,
} from '../metrics/metric.ts';
import styles from './board.module.css';
import {
  type BoardRow,
  boardRows,
  compare,
  type GroupNumbers,
  groupingOf,
  type PlannedGroup,
  plannedGroups,
  UNSET,
} from './board-data.ts';
import { ChartCell } from './chart-cell.tsx';
import { DaysDialog } from './days-dialog.tsx';
import { MeansStrip } from './means-strip.tsx';
import { boardSvg, type ChartColumn } from './small-chart.ts';

/** What a board can show: times of day have no mean. */
const CHOICES: readonly SingleName[] = [
  ...new Set([...LEADING, ...SINGLES.flatMap(({ names }) => names), ...RHYTHM_NAMES, ...EPOCH_NAMES]),
].filter((name) => !name.endsWith('_TS') && !name.startsWith('CALIBRATION_'));

const UTC = fixedZone('UTC');

const NO_GROUPS: readonly PlannedGroup[] = [];

/** A metric in words, with its unit. */
interface MetricWords {
  name: string;
  title: string;
  unit: string;
  /** A value with its unit. */
  text: (value: number) => string;
  scale: number;
}

/** @param parameters those of the study; a site that does not send them uses the defaults */
function useMetricNames(parameters: AnalysisParameters = DEFAULT_ANALYSIS_PARAMETERS) {
  const { t, format } = useWords();
  return useMemo(() => {
    const labels = labelValues([parameters], format);
    const label = (name: string) => (isSingle(name) ? singleLabel(name, t, labels) : name);
    const words = (name: string): MetricWords => {
      const isDuration = unitOf(name) === 'seconds';
      const unit = isDuration ? t('board.hours') : isSingle(name) ? unitBeside(name, t, labels) : '';
      return {
        ...{ name, unit: isDuration ? unit : unitText(name, t) },
        title: unit === '' ? label(name) : t('board.metricUnit', { name: label(name), unit }),
        text: (value) => withUnit(metricText(name, value, format, UTC), unitText(name, t)),
        scale: isDuration ? 3600 : 1,
      };
    };
    return { label, words };
  }, [t, format, parameters]);
}

/** The axis that all charts of a metric share. */
function columnOf(metric: MetricWords, place: number, rows: readonly BoardRow[], format: Format): ChartColumn {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { series } of rows) {
    for (const { value } of series[place] ?? []) {
      if (value === null) continue;
      low = Math.min(low, value / metric.scale);
      high = Math.max(high, value / metric.scale);
    }
  }
  const axis = low <= high ? trendRange(metric.name, low, high) : { low: 0, high: 1, step: 1 };
  const digits = axis.step >= 1 ? 0 : axis.step >= 0.1 ? 1 : 2;
  return {
    ...{ title: metric.title, axis, scale: metric.scale },
    low: format.number(axis.low, digits),
    high: format.number(axis.high, digits),
  };
}

function useGroupNames(grouping: BoardGrouping, planned: readonly PlannedGroup[]) {
  const { t, format } = useWords();
  return useCallback(
    (id: string): string => {
      if (grouping.kind === 'GROUP' || grouping.kind === 'STRATUM')
        return planned.find((group) => group.id === id)?.displayName ?? t('board.groups.unset');
      if (grouping.kind === 'FIELD') return id === UNSET ? t('board.groups.unset') : id;
      const date = grouping.kind === 'DATE' ? format.date(grouping.date) : '';
      return t(`board.groups.${id as 'all' | 'weekday' | 'weekend' | 'before' | 'after'}`, { date });
    },
    [grouping, planned, t, format],
  );
}

interface Compared extends GroupNumbers {
  metric: MetricWords;
  /** Of the metric on the board. */
  place: number;
  label: string;
}

function Comparison({
  compared,
  axes,
  fileTitle,
}: {
  compared: Compared[];
  axes: readonly ChartColumn[];
  fileTitle: string | undefined;
}) {
  const { t, format } = useWords();
  const none = <Faint>{t('board.noValue')}</Faint>;
  const count = (
    id: 'subjects' | 'subjectsWithout' | 'days' | 'daysMissing' | 'partialDays',
    header: string,
  ): Column<Compared> => ({
    ...{ id, header, isNumber: true },
    value: (row) => row[id],
    cell: (row) => format.number(row[id]),
  });
  const columns: Column<Compared>[] = [
    {
      id: 'metric',
      header: t('board.metric'),
      value: ({ place }) => place,
      cell: ({ metric }) => metric.title,
    },
    { id: 'group', header: t('board.group'), value: ({ label }) => label, cell: ({ label }) => label },
    count('subjects', t('board.subjectsWith')),
    count('subjectsWithout', t('board.subjectsWithout')),
    count('days', t('board.daysWith')),
    count('daysMissing', t('board.daysMissing')),
    count('partialDays', t('board.partialDays')),
    {
      ...{ id: 'mean', header: t('board.mean'), isNumber: true },
      cell: ({ mean, metric }) => (mean === undefined ? none : metric.text(mean)),
    },
    {
      ...{ id: 'deviation', header: t('board.deviation'), isNumber: true },
      cell: ({ deviation, metric }) => (deviation === undefined ? none : metric.text(deviation)),
    },
    {
      ...{ id: 'strip', header: t('board.means'), isSecondary: true },
      cell: ({ mean, means, place }) =>
        mean === undefined ? none : <MeansStrip means={means} mean={mean} column={axes[place]!} />,
    },
  ];
  const csv = () =>
    csvText(
      ['metric', 'group', 'subjects', 'subjectsWithout', 'days', 'daysMissing', 'partialDays', 'mean', 'sd'],
      compared.map((row) => [
        ...[row.metric.name, row.label, row.subjects, row.subjectsWithout],
        ...[row.days, row.daysMissing, row.partialDays, row.mean, row.deviation],
      ]),
    );
  return (
    <div className={stackClass}>
      <div className={toolsClass}>
        <h2>{t('board.comparison')}</h2>
        <span className={spacerClass} />
        {fileTitle !== undefined && (
          <CsvButton
            label={t('board.comparisonCsv')}
            fileName={fileName(fileTitle, 'board-comparison.csv')}
            text={csv}
          />
        )}
      </div>
      <p className={noteClass}>{t('board.comparisonHelp')}</p>
      <DataTable
        caption={t('board.comparison')}
        rows={compared}
        columns={columns}
        rowId={({ metric, group }) => `${metric.name} ${group}`}
        initialSort={{ id: 'metric', desc: false }}
      />
    </div>
  );
}

function Charts({
  studyId,
  rows,
  metrics,
  columns,
}: {
  studyId: string;
  rows: readonly BoardRow[];
  metrics: readonly MetricWords[];
  columns: readonly ChartColumn[];
}) {
  const { t } = useWords();
  const [open, setOpen] = useState<{ row: BoardRow; place: number } | null>(null);
  const tabStop = useRef(0);
  const rowWindow = useRowWindow(rows.length, tabStop);
  const focus = useGridFocus(rows.length, metrics.length, undefined, { show: rowWindow.show });
  useLayoutEffect(() => {
    tabStop.current = focus.at.row;
  }, [focus.at.row]);
  const opened = open && metrics[open.place];
  return (
    <>
      <TableFrame
        caption={t('board.charts')}
        tableClassName={styles.table}
        grid={{ ref: focus.grid, onKeyDown: focus.onKeyDown }}
      >
        <thead>
          <tr>
            <th scope="col">{t('board.subject')}</th>
            {metrics.map(({ name, title }) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={rowWindow.body}>
          <WindowedRows
            rowWindow={rowWindow}
            rows={rows}
            columns={metrics.length + 1}
            keyOf={({ subject }) => subject.id}
          >
            {(row, index) => (
              <tr key={row.subject.id} data-row={index} aria-rowindex={rowWindow.isPartial ? index + 2 : undefined}>
                <th scope="row">
                  <Link
                    to="/studies/$studyId/subjects/$subjectId/metrics"
                    params={{ studyId, subjectId: row.subject.id }}
                  >
                    {row.subject.displayName}
                  </Link>
                </th>
                {metrics.map((metric, place) => {
                  const days = row.series[place] ?? [];
                  const count = days.filter(({ value }) => value !== null).length;
                  const named = { subject: row.subject.displayName, name: metric.title };
                  return (
                    <td key={metric.name}>
                      <ChartCell
                        days={days}
                        column={columns[place]!}
                        label={count > 0 ? t('board.chart', { ...named, value: count }) : t('board.chartNone', named)}
                        text={metric.text}
                        cell={focus.cell(index, place)}
                        onOpen={() => setOpen({ row, place })}
                      />
                    </td>
                  );
                })}
              </tr>
            )}
          </WindowedRows>
        </tbody>
      </TableFrame>
      {open && opened && (
        <DaysDialog
          title={t('board.daysOf', { subject: open.row.subject.displayName, name: opened.title })}
          studyId={studyId}
          subjectId={open.row.subject.id}
          days={open.row.series[open.place] ?? []}
          text={opened.text}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

/** What the board shows, and its files. */
function Shown({
  study,
  board,
  planned,
  shown,
  wordsOf,
}: {
  study: StudyDetail;
  board: StudyBoard;
  /** Of a board that compares by group or stratum. */
  planned: readonly PlannedGroup[];
  shown: { items: Parameters<typeof boardRows>[1]; fromDate: string; toDate: string; names: readonly string[] };
  wordsOf: (name: string) => MetricWords;
}) {
  const { t, format } = useWords();
  const mayExport = usePermissions()('analytics.export', study.id);
  const { items, fromDate, toDate, names } = shown;
  const people = useMemo(
    () =>
      study.subjects
        .filter(({ isHidden, isTest }) => !isHidden && isTest !== true)
        .sort((a, b) => format.compare(a.displayName, b.displayName)),
    [study.subjects, format],
  );
  const rows = useMemo(
    () => boardRows(people, items, datesBetween(fromDate, toDate), names.length),
    [people, items, fromDate, toDate, names],
  );
  const metrics = useMemo(() => names.map(wordsOf), [names, wordsOf]);
  const columns = useMemo(
    () => metrics.map((metric, place) => columnOf(metric, place, rows, format)),
    [metrics, rows, format],
  );
  const nameOf = useGroupNames(board.grouping, planned);
  const grouping = useMemo(() => groupingOf(board.grouping, people, planned), [board.grouping, people, planned]);
  const compared = useMemo(
    () =>
      metrics.flatMap((metric, place) =>
        compare(rows, place, grouping).map(
          (numbers): Compared => ({ ...numbers, metric, place, label: nameOf(numbers.group) }),
        ),
      ),
    [metrics, rows, grouping, nameOf],
  );
  if (people.length === 0)
    return (
      <Empty icon="subjects" title={t('board.emptyTitle')} help={t('board.emptyHelp')}>
        <Link to="/studies/$studyId/subjects" params={{ studyId: study.id }} className={buttonClass()}>
          {t('studyTabs.subjects')}
        </Link>
      </Empty>
    );
  if (rows.every(({ series }) => series.every((days) => days.every(({ value }) => value === null))))
    return (
      <Empty icon="calendar" title={t('board.noDataTitle')} help={t('board.noDataHelp')}>
        <Link to="/studies/$studyId" params={{ studyId: study.id }} className={buttonClass()}>
          {t('studyTabs.overview')}
        </Link>
      </Empty>
    );
  const valuesCsv = () =>
    csvText(
      ['metric', 'subjectId', 'subject', 'date', 'value', 'wearSeconds', 'partialDay', 'group'],
      metrics.flatMap((metric, place) =>
        rows.flatMap(({ subject, series }) =>
          (series[place] ?? []).flatMap(({ date, value, wearSeconds, isPartial }) =>
            value === null
              ? []
              : [
                  [
                    ...[metric.name, subject.id, subject.displayName, date, value, wearSeconds],
                    ...[isPartial ? 'YES' : 'NO', nameOf(grouping.groupOf(subject, date))],
                  ],
                ],
          ),
        ),
      ),
    );
  const svg = () =>
    boardSvg({
      colors: lightColors(),
      title: study.displayName,
      made: t('board.made', { date: format.dateTime(Date.now()) }),
      dates: { first: format.monthDay(fromDate), last: format.monthDay(toDate) },
      columns,
      rows: rows.map(({ subject, series }) => ({ name: subject.displayName, series })),
    });
  return (
    <>
      <Comparison compared={compared} axes={columns} fileTitle={mayExport ? study.displayName : undefined} />
      <div className={stackClass}>
        <div className={toolsClass}>
          <h2>{t('board.charts')}</h2>
          <span className={spacerClass} />
          {mayExport && (
            <>
              <CsvButton label={t('board.csv')} fileName={fileName(study.displayName, 'board.csv')} text={valuesCsv} />
              <Button
                icon="download"
                aria-label={t('board.svg')}
                onPress={() => saveText(svg(), fileName(study.displayName, 'board.svg'), 'image/svg+xml')}
              >
                SVG
              </Button>
            </>
          )}
        </div>
        <Charts studyId={study.id} rows={rows} metrics={metrics} columns={columns} />
      </div>
    </>
  );
}

/** A board that compares by the groups or strata of the plan. */
function Planned({
  plan,
  kind,
  subjects,
  ...board
}: Omit<ComponentProps<typeof Shown>, 'planned'> & {
  plan: Parameters<typeof plannedGroups>[0];
  kind: 'GROUP' | 'STRATUM';
  subjects: Parameters<typeof plannedGroups>[2];
}) {
  const planned = useMemo(() => plannedGroups(plan, kind, subjects), [plan, kind, subjects]);
  return <Shown {...board} planned={planned} />;
}

/** Groupings that need no further choice. */
const PLAIN_KINDS = ['NONE', 'GROUP', 'STRATUM', 'WEEKEND'] as const;

/** The metrics, the days and the grouping of the board. */
function Tools({
  study,
  board,
  hasGroups,
  hasStrata,
  labelOf,
  onChange,
}: {
  study: StudyDetail;
  board: StudyBoard;
  hasGroups: boolean;
  hasStrata: boolean;
  labelOf: (name: string) => string;
  onChange: (change: Partial<StudyBoard>) => void;
}) {
  const { t, format } = useWords();
  const { grouping } = board;
  const fields = study.subjectMetadataFields.filter(({ type }) => type === 'MULTIPLECHOICE' || type === 'BOOLEAN');
  const groupingId = grouping.kind === 'FIELD' ? `FIELD ${grouping.field}` : grouping.kind;
  const choose = (id: string) => {
    if (id.startsWith('FIELD ')) onChange({ grouping: { kind: 'FIELD', field: id.slice('FIELD '.length) } });
    else if (id === 'DATE') onChange({ grouping: { kind: 'DATE', date: localDate(Date.now(), 'UTC') } });
    else onChange({ grouping: { kind: PLAIN_KINDS.find((one) => one === id) ?? 'NONE' } });
  };
  return (
    <div className={toolsClass}>
      <ul className={styles.chips} aria-label={t('board.metrics')}>
        {board.metrics.map((name) => (
          <li key={name}>
            {labelOf(name)}
            <IconButton
              kind="quiet"
              icon="close"
              label={t('board.remove', { name: labelOf(name) })}
              isDisabled={board.metrics.length === 1}
              onPress={() => onChange({ metrics: board.metrics.filter((one) => one !== name) })}
            />
          </li>
        ))}
      </ul>
      {board.metrics.length < MOST_BOARD_METRICS && (
        <Select
          isCompact
          label={t('board.addMetric')}
          value=""
          options={[
            { id: '', label: t('board.choose') },
            ...CHOICES.filter((name) => !board.metrics.includes(name)).map((id) => ({ id, label: labelOf(id) })),
          ]}
          onChange={(name) => name && onChange({ metrics: [...board.metrics, name] })}
        />
      )}
      <Segments
        label={t('board.days')}
        value={String(board.days)}
        options={BOARD_DAYS.map((days) => ({
          id: String(days),
          label: t('board.dayCount', { value: format.number(days) }),
        }))}
        onChange={(days) => onChange({ days: BOARD_DAYS.find((one) => String(one) === days) ?? board.days })}
      />
      <Select
        isCompact
        label={t('board.compare')}
        value={groupingId}
        options={[
          { id: 'NONE', label: t('board.groupings.NONE') },
          ...(hasGroups || grouping.kind === 'GROUP' ? [{ id: 'GROUP', label: t('board.groupings.GROUP') }] : []),
          ...(hasStrata || grouping.kind === 'STRATUM' ? [{ id: 'STRATUM', label: t('board.groupings.STRATUM') }] : []),
          ...fields.map(({ displayName }) => ({ id: `FIELD ${displayName}`, label: displayName })),
          { id: 'WEEKEND', label: t('board.groupings.WEEKEND') },
          { id: 'DATE', label: t('board.groupings.DATE') },
        ]}
        onChange={choose}
      />
      {grouping.kind === 'DATE' && (
        <Field
          label={t('board.date')}
          type="date"
          value={grouping.date}
          onChange={(date) => date && onChange({ grouping: { kind: 'DATE', date } })}
        />
      )}
    </div>
  );
}

const contentOf = ({ metrics, days, grouping }: SavedBoard): StudyBoard => ({ metrics, days, grouping });
const isSame = (a: StudyBoard, b: StudyBoard) => JSON.stringify(a) === JSON.stringify(b);

/** Reads what a board shows, up to a date. */
function Content({
  study,
  board,
  toDate,
  wordsOf,
}: {
  study: StudyDetail;
  board: StudyBoard;
  toDate: string;
  wordsOf: (name: string) => MetricWords;
}) {
  const { kind } = board.grouping;
  const values = useQuery(dailyValuesQuery(study.id, board.metrics, addDays(toDate, 1 - board.days), toDate));
  const plan = useQuery(studyPlanQuery(study.id));
  const summaries = useQuery({
    ...subjectSummariesQuery(study.id, true),
    enabled: kind === 'GROUP' || kind === 'STRATUM',
  });
  return (
    <QueryView query={values}>
      {(shown) =>
        kind === 'GROUP' || kind === 'STRATUM' ? (
          <QueryView query={plan}>
            {(planOfStudy) => (
              <QueryView query={summaries}>
                {({ items }) => (
                  <Planned {...{ study, board, shown, wordsOf, kind }} plan={planOfStudy} subjects={items} />
                )}
              </QueryView>
            )}
          </QueryView>
        ) : (
          <Shown {...{ study, board, shown, wordsOf }} planned={NO_GROUPS} />
        )
      }
    </QueryView>
  );
}

function BoardOf({
  study,
  saved,
  parameters,
}: {
  study: StudyDetail;
  saved: SavedBoard;
  parameters: AnalysisParameters | undefined;
}) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<StudyBoard | null>(null);
  const board = chosen ?? contentOf(saved);
  const isChanged = !isSame(board, contentOf(saved));
  const maySave = usePermissions()('board.save', study.id);
  const { label, words } = useMetricNames(parameters);
  const plan = useQuery(studyPlanQuery(study.id));
  const isRunning = study.lifecycleState === 'IN_PROGRESS';
  const recorded = useQuery({ ...dailyRecordingsQuery(study.id), enabled: !isRunning });
  const today = latestToday(study.subjects.map(({ timezone }) => timezone));
  const contentUpTo = (toDate: string) => <Content {...{ study, board, toDate }} wordsOf={words} />;
  const save = useMutation({
    mutationFn: async () => {
      await client.call('putBoard', { params: { studyId: study.id }, body: board });
      await queries.invalidateQueries({ queryKey: ['study', study.id, 'board'] });
    },
    onSuccess: () => setChosen(null),
  });
  return (
    <div className={stackClass}>
      <Tools
        {...{ study, board }}
        hasGroups={(plan.data?.groups.length ?? 0) > 0}
        hasStrata={(plan.data?.strata.length ?? 0) > 0}
        labelOf={label}
        onChange={(change) => setChosen({ ...board, ...change })}
      />
      <div className={toolsClass}>
        <span role="status" className={noteClass}>
          {isChanged
            ? t('board.notSaved')
            : saved.savedTs !== undefined &&
              t('board.saved', { name: saved.savedBy?.displayName ?? '', time: format.dateTime(saved.savedTs) })}
        </span>
        {maySave && (
          <Button isDisabled={!isChanged || save.isPending} onPress={() => save.mutate()}>
            {t('board.save')}
          </Button>
        )}
      </div>
      {save.error && <ErrorNotice error={save.error} onRetry={() => save.mutate()} />}
      {isRunning ? (
        contentUpTo(today)
      ) : (
        // The days of a study that does not run end with its last recordings.
        <QueryView query={recorded}>{({ items }) => contentUpTo(items.at(-1)?.date ?? today)}</QueryView>
      )}
    </div>
  );
}

export function Board() {
  const { studyId } = useParams({ from: '/desk/studies/$studyId/board' });
  const study = useQuery(studyQuery(studyId));
  const saved = useQuery(boardQuery(studyId));
  const definition = useQuery(definitionQuery(studyId));
  return (
    <QueryView query={study}>
      {(data) => (
        <QueryView query={saved}>
          {(board) => (
            <BoardOf
              key={data.id}
              study={data}
              saved={board}
              parameters={definition.data?.analysisParameters as AnalysisParameters | undefined}
            />
          )}
        </QueryView>
      )}
    </QueryView>
  );
}
