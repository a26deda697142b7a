/** The data quality of a study: who is at risk and why, the weeks of the study or of one subject, and its faults. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { StudyDetail, SubjectQualityItem } from '../../../src-server/api/contract/index.ts';
import { type QualityCounts, studyWeeks } from '../../../src-server/study/quality.ts';
import {
  DEFAULT_QUALITY_TARGETS,
  QUALITY_TARGET_NAMES,
  type QualityTargets,
} from '../../../src-server/vocabulary/quality.ts';
import { fileName } from '../../shared/api/download.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { qualityQuery } from '../../shared/api/quality-queries.ts';
import { studyQuery } from '../../shared/api/queries.ts';
import { definitionQuery } from '../../shared/api/study-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass, CsvButton, Pill, Segments, type Tone } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Checkbox, Select } from '../../shared/kit/forms.tsx';
import { noteClass, spacerClass, stackClass, toolsClass } from '../../shared/kit/page.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { addDays } from '../../shared/time/local-day.ts';
import { StudyFaults } from './faults.tsx';
import styles from './quality.module.css';
import { emptinessOf, percentOf, qualityCsv, reasonText, stateOf, windowOf } from './quality-words.ts';
import { WeekBars } from './week-bars.tsx';

const WEEKS = ['4', '12', '26'] as const;
type Weeks = (typeof WEEKS)[number];
const VIEWS = ['subjects', 'weeks', 'faults'] as const;
const TONES: Record<ReturnType<typeof stateOf>, Tone> = {
  risk: 'warn',
  good: 'good',
  ended: 'neutral',
  early: 'neutral',
};

/** Counts in words; what cannot be counted is said, never 0. */
function useCountCells() {
  const { t, format } = useWords();
  return useMemo(() => {
    const number = (value: number) => format.number(value);
    const none = <Faint>{t('quality.none')}</Faint>;
    const percent = (part: number, whole: number) => {
      const value = percentOf(part, whole);
      return value === undefined ? none : t('quality.percent', { value: format.number(value, 1) });
    };
    const parts = (part: number, whole: number) => {
      const value = percentOf(part, whole);
      if (value === undefined) return none;
      return t('quality.partPercent', { part: number(part), whole: number(whole), percent: format.number(value, 1) });
    };
    return { number, percent, parts, none };
  }, [t, format]);
}

/** The columns that a subject and a week share. */
function useCountColumns<Row>(countsOf: (row: Row) => QualityCounts | undefined): Column<Row>[] {
  const { t, format } = useWords();
  const cells = useCountCells();
  return useMemo(() => {
    const { number, percent, parts, none } = cells;
    const column = (
      id: string,
      header: string,
      value: (counts: QualityCounts) => number | undefined,
      cell: (counts: QualityCounts) => React.ReactNode,
    ): Column<Row> => ({
      ...{ id, header, isNumber: true },
      value: (row) => {
        const counts = countsOf(row);
        return counts && value(counts);
      },
      cell: (row) => {
        const counts = countsOf(row);
        return counts ? cell(counts) : none;
      },
    });
    return [
      column(
        'dataDays',
        t('quality.dataDays'),
        (counts) => counts.dataDays,
        (counts) => t('quality.partOf', { part: number(counts.dataDays), whole: number(counts.expectedDays) }),
      ),
      column(
        'validDays',
        t('quality.validDays'),
        (counts) => percentOf(counts.validDays, counts.expectedDays),
        (counts) => parts(counts.validDays, counts.expectedDays),
      ),
      column(
        'wear',
        t('quality.wear'),
        (counts) => (counts.dataDays > 0 ? counts.wearSeconds / counts.dataDays : undefined),
        (counts) => (counts.dataDays > 0 ? format.duration(counts.wearSeconds / counts.dataDays) : none),
      ),
      column(
        'readable',
        t('quality.readable'),
        (counts) => percentOf(counts.readableSeconds, counts.signalSeconds),
        (counts) => percent(counts.readableSeconds, counts.signalSeconds),
      ),
      column(
        'tasks',
        t('quality.tasks'),
        (counts) => percentOf(counts.tasksCompleted, counts.tasksAssigned),
        (counts) => parts(counts.tasksCompleted, counts.tasksAssigned),
      ),
    ];
  }, [t, format, countsOf, cells]);
}

const qualityOf = ({ quality }: SubjectQualityItem): QualityCounts | undefined => quality;
const itself = <T extends QualityCounts>(counts: T): QualityCounts => counts;

function SubjectTable({
  study,
  items,
  targets,
}: {
  study: StudyDetail;
  items: SubjectQualityItem[];
  targets: QualityTargets;
}) {
  const { t, format } = useWords();
  const [isOnlyRisk, setOnlyRisk] = useState(false);
  const counts = useCountColumns(qualityOf);
  const columns = useMemo(
    (): Column<SubjectQualityItem>[] => [
      {
        id: 'subject',
        header: t('quality.subject'),
        value: ({ displayName }) => displayName,
        cell: ({ subjectId, displayName, isHidden }) => (
          <>
            <Link
              to="/studies/$studyId/quality"
              params={{ studyId: study.id }}
              search={{ view: 'weeks', subject: subjectId }}
            >
              {displayName}
            </Link>
            {isHidden && <Faint> {t('quality.hidden')}</Faint>}
          </>
        ),
      },
      {
        id: 'state',
        header: t('quality.state'),
        // Those at risk first.
        value: (item) => ['risk', 'early', 'good', 'ended'].indexOf(stateOf(item)),
        cell: (item) => {
          const state = stateOf(item);
          return <Pill tone={TONES[state]}>{t(`quality.states.${state}`)}</Pill>;
        },
      },
      {
        id: 'why',
        header: t('quality.why'),
        cell: ({ quality }) =>
          quality && quality.reasons.length > 0 ? (
            <ul className={styles.why}>
              {quality.reasons.map((reason) => (
                <li key={reason.code}>{reasonText(reason, targets, t, format)}</li>
              ))}
            </ul>
          ) : (
            ''
          ),
      },
      {
        id: 'trend',
        header: t('quality.trend'),
        cell: ({ quality }) => quality && <WeekBars weeks={quality.weeks} validDays={targets.validDays} />,
        isSecondary: true,
      },
      ...counts,
    ],
    [t, format, study.id, targets, counts],
  );
  const atRisk = items.filter(({ quality }) => quality && quality.reasons.length > 0);
  const rows = isOnlyRisk ? atRisk : items;
  return (
    <>
      <div className={toolsClass}>
        <strong role="status">
          {t('quality.atRisk', { count: atRisk.length, total: format.number(items.length) })}
        </strong>
        <Checkbox label={t('quality.onlyAtRisk')} isSelected={isOnlyRisk} onChange={setOnlyRisk} />
      </div>
      {rows.length === 0 ? (
        <Empty icon="check" title={t('quality.clearedTitle')} help={t('quality.clearedHelp')}>
          <Button onPress={() => setOnlyRisk(false)}>{t('quality.showAll')}</Button>
        </Empty>
      ) : (
        <DataTable
          caption={t('quality.views.subjects')}
          rows={rows}
          columns={columns}
          rowId={({ subjectId }) => subjectId}
          initialSort={{ id: 'state', desc: false }}
        />
      )}
    </>
  );
}

function WeekTable({
  studyId,
  items,
  targets,
  subjectId,
}: {
  studyId: string;
  items: SubjectQualityItem[];
  targets: QualityTargets;
  subjectId: string | undefined;
}) {
  const { t, format } = useWords();
  const navigate = useNavigate();
  const chosen = items.filter((item) => subjectId === undefined || item.subjectId === subjectId);
  const weeks = studyWeeks(
    chosen.flatMap(({ quality }) => quality ?? []),
    targets,
  );
  type Week = (typeof weeks)[number];
  const counts = useCountColumns<Week>(itself);
  const columns: Column<Week>[] = [
    {
      id: 'week',
      header: t('quality.week'),
      value: ({ week }) => week,
      cell: ({ week }) => t('quality.weekFrom', format.span(week, addDays(week, 6))),
    },
    {
      id: 'expectedDays',
      header: t('quality.expectedDays'),
      isNumber: true,
      value: ({ expectedDays }) => expectedDays,
      cell: ({ expectedDays }) => format.number(expectedDays),
    },
    ...counts,
    {
      id: 'onTarget',
      header: t('quality.onTarget'),
      isNumber: true,
      value: ({ onTarget, subjects }) => (onTarget === null ? undefined : onTarget / subjects),
      cell: ({ onTarget, subjects }) =>
        onTarget === null ? (
          <Faint>{t('quality.none')}</Faint>
        ) : (
          t('quality.partOf', { part: format.number(onTarget), whole: format.number(subjects) })
        ),
    },
  ];
  return (
    <>
      <div className={toolsClass}>
        <Select
          isCompact
          label={t('quality.weeksOf')}
          value={subjectId ?? ''}
          options={[
            { id: '', label: t('quality.allSubjects') },
            ...items.map(({ subjectId: id, displayName }) => ({ id, label: displayName })),
          ]}
          onChange={(id) =>
            void navigate({
              to: '/studies/$studyId/quality',
              params: { studyId },
              search: { view: 'weeks', subject: id || undefined },
            })
          }
        />
        <WeekBars weeks={weeks} validDays={targets.validDays} />
      </div>
      <DataTable
        caption={t('quality.views.weeks')}
        rows={weeks}
        columns={columns}
        rowId={({ week }) => week}
        initialSort={{ id: 'week', desc: true }}
      />
    </>
  );
}

function TargetsLine({ studyId, targets }: { studyId: string; targets: QualityTargets }) {
  const { t, format } = useWords();
  const mayEdit = usePermissions()('study.update', studyId);
  const named = QUALITY_TARGET_NAMES.flatMap((name) => {
    const value = targets[name];
    return value === null ? [] : [t(`quality.target.${name}`, { value: format.number(value) })];
  });
  return (
    <p className={noteClass}>
      {t('quality.targets', { list: format.list(named) })} {t('quality.judged')}{' '}
      {mayEdit && (
        <Link to="/studies/$studyId/definition" params={{ studyId }} search={{ part: 'quality' }}>
          {t('quality.editTargets')}
        </Link>
      )}
    </p>
  );
}

function QualityOf({ study, targets }: { study: StudyDetail; targets: QualityTargets }) {
  const { t, format } = useWords();
  const navigate = useNavigate();
  const { view = 'subjects', subject } = useSearch({ from: '/desk/studies/$studyId/quality' });
  const [weeks, setWeeks] = useState<Weeks>('12');
  const mayExport = usePermissions()('analytics.export', study.id);
  const query = useQuery(qualityQuery(study.id, windowOf(study, Number(weeks), Date.now())));
  const zones = useMemo(() => new Map(study.subjects.map(({ id, timezone }) => [id, timezone])), [study.subjects]);
  const isFaults = view === 'faults';
  return (
    <div className={stackClass}>
      <div className={toolsClass}>
        <Segments
          label={t('quality.view')}
          value={view}
          options={VIEWS.map((id) => ({ id, label: t(`quality.views.${id}`) }))}
          onChange={(next) =>
            void navigate({
              to: '/studies/$studyId/quality',
              params: { studyId: study.id },
              search: { view: next === 'subjects' ? undefined : next },
            })
          }
        />
        {!isFaults && (
          <Segments
            label={t('quality.weeks')}
            value={weeks}
            options={WEEKS.map((id) => ({ id, label: t('quality.weekCount', { value: format.number(Number(id)) }) }))}
            onChange={setWeeks}
          />
        )}
        <span className={spacerClass} />
        {!isFaults && mayExport && query.data && (
          <CsvButton
            label={t('quality.csv')}
            fileName={fileName(study.displayName, 'data-quality.csv')}
            text={() => qualityCsv(query.data.items)}
          />
        )}
      </div>
      {isFaults ? (
        <StudyFaults studyId={study.id} name={study.displayName} zoneOf={(id) => zones.get(id)} mayExport={mayExport} />
      ) : (
        <>
          <TargetsLine studyId={study.id} targets={targets} />
          <QueryView query={query}>
            {({ items }) => {
              const emptiness = emptinessOf(items);
              return emptiness ? (
                <Empty
                  icon="calendar"
                  title={t(`quality.empty.${emptiness}`)}
                  help={t(`quality.emptyHelp.${emptiness}`)}
                >
                  <Link to="/studies/$studyId/subjects" params={{ studyId: study.id }} className={buttonClass()}>
                    {t('studyTabs.subjects')}
                  </Link>
                </Empty>
              ) : view === 'weeks' ? (
                <WeekTable studyId={study.id} items={items} targets={targets} subjectId={subject} />
              ) : (
                <SubjectTable study={study} items={items} targets={targets} />
              );
            }}
          </QueryView>
        </>
      )}
    </div>
  );
}

export function Quality() {
  const { studyId } = useParams({ from: '/desk/studies/$studyId/quality' });
  const study = useQuery(studyQuery(studyId));
  const definition = useQuery(definitionQuery(studyId));
  return (
    <QueryView query={study}>
      {(data) => (
        <QueryView query={definition}>
          {({ qualityTargets = DEFAULT_QUALITY_TARGETS }) => (
            <QualityOf key={data.id} study={data} targets={qualityTargets} />
          )}
        </QueryView>
      )}
    </QueryView>
  );
}
