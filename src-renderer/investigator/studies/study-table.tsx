/** The studies of the account as a table: current or archived ones, with a search. */
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Study } from '../../../src-server/api/contract/index.ts';
import { studyRecordingsQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { fold } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Search, Segments } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Empty } from '../../shared/kit/state.tsx';
import { LifecyclePill } from './lifecycle-pill.tsx';
import styles from './studies.module.css';

interface Row {
  study: Study;
  /** The counts and the time are undefined until they have loaded. */
  subjects: number | undefined;
  recordings: number | undefined;
  lastStopMs: number | undefined;
}

type Shelf = 'current' | 'archived';

const STATE_ORDER = ['IN_PROGRESS', 'INITIALIZED', 'COMPLETE'];

function useRows(studies: Study[], text: string, shelf: Shelf): Row[] {
  const subjects = useQueries({
    queries: studies.map((study) => subjectsQuery(study.id)),
    combine: (results) => results.map((result) => result.data?.items.filter((subject) => !subject.isHidden).length),
  });
  const recordings = useQueries({
    queries: studies.map((study) => studyRecordingsQuery(study.id)),
    combine: (results) => results.map((result) => result.data?.items),
  });

  return useMemo(
    () =>
      studies
        .map((study, index): Row => {
          const stops = recordings[index]?.map((recording) => recording.recordingStopTs);
          return {
            study,
            subjects: subjects[index],
            recordings: stops?.length,
            lastStopMs: stops && stops.length > 0 ? stops.reduce((last, stop) => Math.max(last, stop)) : undefined,
          };
        })
        .filter((row) => row.study.isArchived === (shelf === 'archived'))
        .filter((row) => fold(`${row.study.displayName} ${row.study.title}`).includes(fold(text.trim()))),
    [studies, subjects, recordings, text, shelf],
  );
}

function useColumns(): Column<Row>[] {
  const { t, format } = useWords();
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('studies.name'),
        value: (row) => row.study.displayName,
        cell: (row) => (
          <span className={styles.name}>
            <Link to="/studies/$studyId" params={{ studyId: row.study.id }}>
              {row.study.displayName}
            </Link>
            {row.study.title !== row.study.displayName && <small>{row.study.title}</small>}
          </span>
        ),
      },
      {
        id: 'state',
        header: t('studies.state'),
        value: (row) => (row.study.isArchived ? 9 : STATE_ORDER.indexOf(row.study.lifecycleState)),
        cell: (row) => <LifecyclePill study={row.study} />,
      },
      {
        id: 'subjects',
        header: t('studies.subjects'),
        isNumber: true,
        value: (row) => row.subjects,
        cell: (row) => (row.subjects === undefined ? '' : format.number(row.subjects)),
      },
      {
        id: 'recordings',
        header: t('studies.recordings'),
        isNumber: true,
        value: (row) => row.recordings,
        cell: (row) => (row.recordings === undefined ? '' : format.number(row.recordings)),
      },
      {
        id: 'last',
        header: t('studies.lastRecording'),
        isNumber: true,
        value: (row) => row.lastStopMs,
        cell: (row) => {
          if (row.recordings === undefined) return '';
          if (row.lastStopMs === undefined) return <Faint>{t('studies.noRecording')}</Faint>;
          return <span title={format.dateTime(row.lastStopMs)}>{format.ago(row.lastStopMs, Date.now())}</span>;
        },
      },
      {
        id: 'created',
        isSecondary: true,
        header: t('studies.created'),
        isNumber: true,
        value: (row) => row.study.createdTs,
        cell: (row) => format.moment(row.study.createdTs),
      },
    ],
    [t, format],
  );
}

export function StudyTable({ studies }: { studies: Study[] }) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const [shelf, setShelf] = useState<Shelf>('current');
  const rows = useRows(studies, text, shelf);
  const columns = useColumns();
  return (
    <>
      <div className={styles.tools}>
        <Search label={t('studies.search')} value={text} onChange={setText} />
        <Segments
          label={t('studyList.filter')}
          value={shelf}
          options={[
            { id: 'current', label: t('studyList.current') },
            {
              id: 'archived',
              label: t('studyList.archived', { count: studies.filter((one) => one.isArchived).length }),
            },
          ]}
          onChange={setShelf}
        />
      </div>
      {rows.length === 0 && text === '' ? (
        <Empty
          icon="studies"
          title={t(shelf === 'archived' ? 'studyList.noneArchived' : 'studyList.noneCurrent')}
          help={t(shelf === 'archived' ? 'studyList.noneArchivedHelp' : 'studyList.noneCurrentHelp')}
        />
      ) : rows.length === 0 ? (
        <Empty icon="search" title={t('state.noResult')} help={t('state.noResultHelp', { text })}>
          <Button onPress={() => setText('')}>{t('state.clearSearch')}</Button>
        </Empty>
      ) : (
        <DataTable
          caption={t('studies.title')}
          rows={rows}
          columns={columns}
          rowId={(row) => row.study.id}
          initialSort={{ id: 'state', desc: false }}
        />
      )}
    </>
  );
}
