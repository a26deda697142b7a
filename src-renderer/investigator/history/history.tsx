/** The audit trail of a subject, a study or a user in words: who changed what, when and why. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { fileName } from '../../shared/api/download.ts';
import { useLongList } from '../../shared/api/long-list.ts';
import { type HistoryFilter, historyPagesQuery } from '../../shared/api/message-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { subjectQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { CsvButton, IconButton } from '../../shared/kit/controls.tsx';
import { DataTable } from '../../shared/kit/data-table.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { useCommands } from '../commands/commands.ts';
import { oneOf } from '../filters/filter-search.ts';
import { useTableFilter } from '../filters/use-table-filter.ts';
import { AuditExport } from './audit-export.tsx';
import { ChainState } from './chain-state.tsx';
import styles from './history.module.css';
import { useHistoryColumns } from './history-columns.tsx';
import { historyCsv } from './history-csv.ts';
import { recordText } from './history-words.ts';

/** The record types that a study's history can be filtered by. */
const RECORDS = [
  'study',
  'membership',
  'subject',
  'equipment',
  'recording',
  'annotation',
  'correction',
  'message',
  'note',
  'query',
  'participation',
  'analytics',
  'analysis-run',
  'export',
] as const;

const STUDY_FIELDS = { type: oneOf(['all', ...RECORDS], 'all') };

export function History({
  scope,
  filter,
  timeZone,
  caption,
  children,
}: {
  scope: { studyId: string } | { accountId: string };
  filter: HistoryFilter;
  /** Of the times shown; undefined for the zone of this computer. */
  timeZone?: string;
  caption: string;
  /** Shown in place of the default text when there are no entries. */
  children?: ReactNode;
}) {
  const { t } = useWords();
  const isWide = 'accountId' in scope;
  const mayExport = usePermissions()('audit.export', 'studyId' in scope ? scope.studyId : undefined);
  // The whole trail of a site is too long to be read for another order.
  const { rest: _, ...history } = useLongList(historyPagesQuery(scope, filter));
  const { items: entries, hasMore } = history;
  const allColumns = useHistoryColumns(timeZone, isWide);
  const columns = useMemo(
    () => (hasMore ? allColumns.map((column) => ({ ...column, value: undefined })) : allColumns),
    [allColumns, hasMore],
  );
  const navigate = useNavigate();
  const studyId = 'studyId' in scope ? scope.studyId : undefined;
  const print = () => {
    const search = {
      subject: filter.subjectId,
      user: filter.userId,
      type: filter.entityType,
      record: filter.entityId,
      start: filter.from,
      stop: filter.to,
    };
    if (studyId === undefined) void navigate({ to: '/print/history', search });
    else void navigate({ to: '/print/studies/$studyId/history', params: { studyId }, search });
  };
  useCommands([{ id: 'history.print', label: t('history.print'), keys: ['p'], scope: 'page', run: print }]);
  return (
    <div className={styles.history}>
      <div className={styles.head}>
        <ChainState />
        <IconButton kind="quiet" icon="page" label={t('history.print')} onPress={print} />
        {mayExport && entries.length > 0 && <AuditExport scope={scope} selection={filter} />}
        {mayExport && entries.length > 0 && (
          <CsvButton
            label={t('history.csv')}
            fileName={fileName(caption, 'history.csv')}
            text={() => historyCsv(entries)}
          />
        )}
      </div>
      <QueryView query={history.query}>
        {() =>
          entries.length === 0 ? (
            (children ?? <Empty icon="rows" title={t('history.emptyTitle')} help={t('history.emptyHelp')} />)
          ) : (
            <>
              <DataTable
                caption={caption}
                rows={entries}
                columns={columns}
                rowId={(entry) => String(entry.sequence)}
                initialSort={{ id: 'sequence', desc: true }}
                list={history}
              />
              {!hasMore && <p className={styles.foot}>{t('history.shown', { count: entries.length })}</p>}
            </>
          )
        }
      </QueryView>
    </div>
  );
}

export function SubjectHistory() {
  const { t } = useWords();
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/history' });
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const filter = useMemo(() => ({ subjectId }), [subjectId]);
  return (
    <History scope={{ studyId }} filter={filter} timeZone={subject.data?.timezone} caption={t('history.ofSubject')} />
  );
}

export function StudyHistory() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId/history' });
  const { values, set } = useTableFilter(STUDY_FIELDS);
  const { type: record } = values;
  const filter = useMemo(() => (record === 'all' ? {} : { entityType: record }), [record]);
  return (
    <>
      <div className={styles.tools}>
        <p>{t('history.studyHelp')}</p>
        <Select
          isCompact
          label={t('history.record')}
          value={record}
          options={[
            { id: 'all' as const, label: t('history.allRecords') },
            ...RECORDS.map((id) => ({ id, label: recordText(id, t) })),
          ]}
          onChange={(type) => set({ type })}
        />
      </div>
      <History scope={{ studyId }} filter={filter} caption={t('history.ofStudy')} />
    </>
  );
}
