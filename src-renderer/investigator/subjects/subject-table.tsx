import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Subject } from '../../../src-server/api/contract/index.ts';
import { studyRecordingsQuery } from '../../shared/api/queries.ts';
import { fold } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill, Search } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Empty } from '../../shared/kit/state.tsx';
import { type Coverage, coverageOf } from './coverage.ts';
import styles from './subject-table.module.css';

interface Row {
  subject: Subject;
  studyName: string;
  /** Undefined until the recordings of the study are known. */
  coverage: Coverage | undefined;
}

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
  const [text, setText] = useState('');
  const studyIds = [...studyNames.keys()];
  const recordings = useQueries({
    queries: studyIds.map((studyId) => studyRecordingsQuery(studyId)),
    combine: (results) => new Map(results.map((result, index) => [studyIds[index], result.data?.items])),
  });

  const rows = useMemo(() => {
    const wanted = fold(text.trim());
    return subjects
      .map((subject): Row => {
        const ofStudy = recordings.get(subject.studyId);
        return {
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
      .filter((row) => fold(`${row.subject.displayName} ${row.studyName} ${row.subject.timezone}`).includes(wanted));
  }, [subjects, recordings, studyNames, text]);

  const columns = useMemo((): Column<Row>[] => {
    const number = (id: 'days' | 'recordings' | 'sensors', isSecondary?: boolean): Column<Row> => ({
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
      number('days'),
      number('recordings', true),
      number('sensors', true),
      {
        id: 'zone',
        header: t('subjects.zone'),
        value: (row) => row.subject.timezone,
        cell: (row) => row.subject.timezone,
      },
    ];
  }, [t, format, studyNames.size]);

  return (
    <div className={styles.list}>
      <Search label={t('subjects.search')} value={text} onChange={setText} />
      {rows.length === 0 ? (
        <Empty icon="search" title={t('state.noResult')} help={t('state.noResultHelp', { text })}>
          <Button onPress={() => setText('')}>{t('state.clearSearch')}</Button>
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
