import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Subject } from '../../../src-server/api/contract/index.ts';
import { devicesQuery } from '../../shared/api/equipment-queries.ts';
import { studyRecordingsQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { adherenceQuery } from '../../shared/api/study-queries.ts';
import { fold } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill, Search } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Empty } from '../../shared/kit/state.tsx';
import { type DayFacts, datesUpTo, dayFacts, subjectDays } from '../adherence/day-state.ts';
import { DayStrip } from '../adherence/marks.tsx';
import { useStripLabel } from '../adherence/strip-label.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { FILTERS, isShown, type SubjectFilter } from './list-filter.ts';
import styles from './subject-table.module.css';

interface Row {
  subject: Subject;
  studyName: string;
  /** Undefined until the recordings of the study are known. */
  coverage: Coverage | undefined;
  /** The last days, today last; undefined until they are known. */
  days: DayFacts[] | undefined;
  lastContactMs: number | undefined;
}

const STRIP_DAYS = 7;
/** The strip ends today, so nothing of the program to come is asked for. */
const NO_PROGRAM = { days: 0, tasks: [] };

/** Subjects of one study or of several, with what has been recorded of each. */
export function SubjectTable({
  subjects,
  studyNames,
  caption,
}: {
  subjects: Subject[];
  /** By study id. With more than one study the table names the study of each subject. */
  studyNames: ReadonlyMap<string, string>;
  caption: string;
}) {
  const { t, format } = useWords();
  const { user } = useSession();
  const stripLabel = useStripLabel();
  const [text, setText] = useState('');
  const [filter, setFilter] = useState<SubjectFilter>('all');
  const studyIds = [...studyNames.keys()];
  const recordings = useQueries({
    queries: studyIds.map((studyId) => studyRecordingsQuery(studyId)),
    combine: (results) => new Map(results.map((result, index) => [studyIds[index], result.data?.items])),
  });
  const adherence = useQueries({
    queries: studyIds.map((studyId) => adherenceQuery(studyId)),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => data?.items.map((item) => [item.subjectId, item.days] as const) ?? [])),
  });
  const devices = useQuery(devicesQuery(user.accountId)).data?.items;

  const rows = useMemo(() => {
    const wanted = fold(text.trim());
    const nowMs = Date.now();
    return subjects
      .map((subject): Row => {
        const ofStudy = recordings.get(subject.studyId);
        const days = adherence.get(subject.id);
        const of = days && subjectDays(subject, days, NO_PROGRAM, false, nowMs);
        const contacts = (devices ?? []).flatMap(({ subjectId, lastContactTs }) =>
          subjectId === subject.id && lastContactTs !== undefined ? [lastContactTs] : [],
        );
        return {
          days: of && datesUpTo(of.today, STRIP_DAYS).map((date) => dayFacts(of, date)),
          lastContactMs: contacts.length > 0 ? Math.max(...contacts) : undefined,
          subject,
          studyName: studyNames.get(subject.studyId) ?? '',
          coverage:
            ofStudy &&
            coverageOf(
              ofStudy.filter((recording) => recording.subjectId === subject.id),
              subject.timezone,
            ),
        };
      })
      .filter((row) => fold(`${row.subject.displayName} ${row.studyName} ${row.subject.timezone}`).includes(wanted))
      .filter((row) => isShown(filter, row.subject, row.coverage?.lastStopMs, nowMs));
  }, [subjects, recordings, adherence, devices, studyNames, text, filter]);

  const columns = useMemo((): Column<Row>[] => {
    const number = (id: 'days' | 'recordings', isSecondary?: boolean): Column<Row> => ({
      id,
      isSecondary,
      header: t(`subjects.${id}`),
      isNumber: true,
      value: (row) => row.coverage?.[id],
      cell: (row) => (row.coverage ? format.number(row.coverage[id]) : ''),
    });
    return [
      {
        id: 'name',
        header: t('subjects.name'),
        value: (row) => row.subject.displayName,
        cell: (row) => (
          <Link
            to="/studies/$studyId/subjects/$subjectId/days"
            params={{ studyId: row.subject.studyId, subjectId: row.subject.id }}
          >
            {row.subject.displayName}
          </Link>
        ),
      },
      ...(studyNames.size > 1
        ? [
            {
              id: 'study',
              header: t('subjects.study'),
              value: (row: Row) => row.studyName,
              cell: (row: Row) => row.studyName,
            },
          ]
        : []),
      {
        id: 'state',
        header: t('subjects.state'),
        value: (row) => (row.subject.isHidden ? 3 : row.subject.isTest ? 2 : row.coverage?.recordings === 0 ? 1 : 0),
        cell: (row) => {
          if (row.subject.isHidden) return <Pill>{t('subjects.hidden')}</Pill>;
          if (row.subject.isTest) return <Pill tone="warn">{t('subjects.test')}</Pill>;
          if (row.coverage?.recordings === 0) return <Pill>{t('subjects.enrolled')}</Pill>;
          return <Pill tone="good">{t('subjects.active')}</Pill>;
        },
      },
      {
        id: 'last',
        header: t('subjects.lastRecording'),
        isNumber: true,
        value: (row) => row.coverage?.lastStopMs,
        cell: (row) => {
          if (!row.coverage) return '';
          const { lastStopMs } = row.coverage;
          if (lastStopMs === undefined) return <Faint>{t('studies.noRecording')}</Faint>;
          return (
            <time
              dateTime={new Date(lastStopMs).toISOString()}
              title={format.dateTime(lastStopMs, row.subject.timezone)}
            >
              {format.ago(lastStopMs, Date.now())}
            </time>
          );
        },
      },
      {
        id: 'hours',
        header: t('subjects.hours'),
        isNumber: true,
        value: (row) => row.coverage?.coveredSeconds,
        cell: (row) =>
          row.coverage ? (
            <span title={t('subjects.hoursHelp')}>{format.duration(row.coverage.coveredSeconds)}</span>
          ) : (
            ''
          ),
      },
      {
        id: 'lastDays',
        header: t('subjectList.lastDays'),
        help: t('subjectList.lastDaysHelp'),
        cell: (row) => row.days && <DayStrip days={row.days} label={stripLabel(row.days)} />,
      },
      {
        id: 'contact',
        header: t('subjectList.contact'),
        help: t('subjectList.contactHelp'),
        isNumber: true,
        isSecondary: true,
        value: (row) => row.lastContactMs,
        cell: ({ lastContactMs, subject }) =>
          lastContactMs === undefined ? (
            <Faint>{t('subjectList.noContact')}</Faint>
          ) : (
            <span title={format.dateTime(lastContactMs, subject.timezone)}>
              {format.ago(lastContactMs, Date.now())}
            </span>
          ),
      },
      number('days', true),
      number('recordings', true),
      {
        id: 'zone',
        header: t('subjects.zone'),
        value: (row) => row.subject.timezone,
        cell: (row) => row.subject.timezone,
      },
    ];
  }, [t, format, stripLabel, studyNames.size]);

  return (
    <div className={styles.list}>
      <div className={styles.tools}>
        <Search label={t('subjects.search')} value={text} onChange={setText} />
        <Select
          isCompact
          label={t('subjectList.show')}
          value={filter}
          options={FILTERS.map((id) => ({ id, label: t(`subjectList.filter.${id}`) }))}
          onChange={setFilter}
        />
      </div>
      {rows.length === 0 ? (
        <Empty
          icon="search"
          title={t('state.noResult')}
          help={
            filter === 'all'
              ? t('state.noResultHelp', { text })
              : t(text ? 'subjectList.noMatchText' : 'subjectList.noMatch', {
                  filter: t(`subjectList.filter.${filter}`),
                  text,
                })
          }
        >
          <Button
            onPress={() => {
              setText('');
              setFilter('all');
            }}
          >
            {t('subjectList.showAll')}
          </Button>
        </Empty>
      ) : (
        <DataTable
          caption={caption}
          rows={rows}
          columns={columns}
          rowId={(row) => row.subject.id}
          initialSort={{ id: 'name', desc: false }}
        />
      )}
    </div>
  );
}
