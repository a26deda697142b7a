/** The studies of the account as a table: current or archived ones, with a search. */
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ListedStudy } from '../../../src-server/api/contract/index.ts';
import { fold } from '../../../src-server/vocabulary/search.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Search, Segments } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Empty } from '../../shared/kit/state.tsx';
import { LifecyclePill } from './lifecycle-pill.tsx';
import styles from './studies.module.css';

type Shelf = 'current' | 'archived';

const STATE_ORDER = ['IN_PROGRESS', 'INITIALIZED', 'COMPLETE'];

const rowsOf = (studies: readonly ListedStudy[], text: string, shelf: Shelf): ListedStudy[] =>
  studies
    .filter((study) => study.isArchived === (shelf === 'archived'))
    .filter((study) => fold(`${study.displayName} ${study.title}`).includes(fold(text.trim())));

function useColumns(): Column<ListedStudy>[] {
  const { t, format } = useWords();
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('studies.name'),
        value: (row) => row.displayName,
        cell: (row) => (
          <span className={styles.name}>
            <Link to="/studies/$studyId" params={{ studyId: row.id }}>
              {row.displayName}
            </Link>
            {row.title !== row.displayName && <small>{row.title}</small>}
          </span>
        ),
      },
      {
        id: 'state',
        header: t('studies.state'),
        value: (row) => (row.isArchived ? 9 : STATE_ORDER.indexOf(row.lifecycleState)),
        cell: (row) => <LifecyclePill study={row} />,
      },
      {
        id: 'subjects',
        header: t('studies.subjects'),
        isNumber: true,
        value: ({ summary }) => summary?.countSubjects,
        cell: ({ summary }) => (summary ? format.number(summary.countSubjects) : ''),
      },
      {
        id: 'recordings',
        header: t('studies.recordings'),
        isNumber: true,
        value: ({ summary }) => summary?.countRecordings,
        cell: ({ summary }) => (summary ? format.number(summary.countRecordings) : ''),
      },
      {
        id: 'last',
        header: t('studies.lastRecording'),
        isNumber: true,
        value: ({ summary }) => summary?.lastDataTs,
        cell: ({ summary }) => {
          if (!summary) return '';
          if (summary.lastDataTs === undefined) return <Faint>{t('studies.noRecording')}</Faint>;
          return <span title={format.dateTime(summary.lastDataTs)}>{format.ago(summary.lastDataTs, Date.now())}</span>;
        },
      },
      {
        id: 'created',
        isSecondary: true,
        header: t('studies.created'),
        isNumber: true,
        value: (row) => row.createdTs,
        cell: (row) => format.moment(row.createdTs),
      },
    ],
    [t, format],
  );
}

export function StudyTable({ studies }: { studies: ListedStudy[] }) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const [shelf, setShelf] = useState<Shelf>('current');
  const rows = useMemo(() => rowsOf(studies, text, shelf), [studies, text, shelf]);
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
          rowId={(row) => row.id}
          initialSort={{ id: 'state', desc: false }}
        />
      )}
    </>
  );
}
