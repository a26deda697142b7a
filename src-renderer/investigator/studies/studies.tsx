import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Study } from '../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery, studyRecordingsQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { useRole, useSession } from '../../shared/api/session.ts';
import { fold } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Search, Segments } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Page } from '../../shared/kit/page.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { useCommands } from '../commands/commands.ts';
import { LifecyclePill } from './lifecycle-pill.tsx';
import styles from './studies.module.css';

const StudyNameDialog = lazy(async () => ({ default: (await import('./life/rename-dialog.tsx')).StudyNameDialog }));

interface Row {
  study: Study;
  subjects: number | undefined;
  recordings: number | undefined;
  lastStopMs: number | undefined;
}

const STATE_ORDER = ['IN_PROGRESS', 'INITIALIZED', 'COMPLETE'];

function StudyTable({ studies }: { studies: Study[] }) {
  const { t, format } = useWords();
  const [text, setText] = useState('');
  const [shelf, setShelf] = useState<'current' | 'archived'>('current');
  const subjects = useQueries({
    queries: studies.map((study) => subjectsQuery(study.id)),
    combine: (results) => results.map((result) => result.data?.items.filter((subject) => !subject.isHidden).length),
  });
  const recordings = useQueries({
    queries: studies.map((study) => studyRecordingsQuery(study.id)),
    combine: (results) => results.map((result) => result.data?.items),
  });

  const rows = useMemo(
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

  const columns = useMemo(
    (): Column<Row>[] => [
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

export function Studies() {
  const { t } = useWords();
  const { user } = useSession();
  const navigate = useNavigate();
  const mayEdit = usePermissions()('study.create');
  const role = useRole();
  const studies = useQuery(studiesQuery(user.accountId));
  const [isOpen, setOpen] = useState(false);
  useCommands([
    { id: 'study.new', label: t('studyList.new'), scope: 'page', isEnabled: mayEdit, run: () => setOpen(true) },
  ]);
  const create = mayEdit && (
    <Button kind="primary" icon="plus" onPress={() => setOpen(true)}>
      {t('studyList.new')}
    </Button>
  );
  return (
    <Page
      title={t('studies.title')}
      summary={studies.data && studies.data.length > 0 && t('studies.summary', { count: studies.data.length })}
      actions={studies.data && studies.data.length > 0 && create}
    >
      <QueryView query={studies}>
        {(list) =>
          list.length === 0 ? (
            <Empty
              icon="studies"
              title={t('studies.emptyTitle')}
              help={t(
                !mayEdit ? 'studies.emptyHelp' : role === 'ADMIN' ? 'studyList.emptyHelp' : 'studyList.emptyHelpOther',
              )}
            >
              {create}
            </Empty>
          ) : (
            <StudyTable studies={list} />
          )
        }
      </QueryView>
      <Suspense>
        {isOpen && (
          <StudyNameDialog
            onClose={() => setOpen(false)}
            onCreated={(studyId) => void navigate({ to: '/studies/$studyId/definition', params: { studyId } })}
          />
        )}
      </Suspense>
    </Page>
  );
}
