/** All labels, tasks and answers of a subject, across recordings: searched, filtered, edited, deleted, saved as CSV. */

import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Annotation, Recording } from '../../../src-server/api/contract/index.ts';
import { fold } from '../../../src-server/vocabulary/search.ts';
import { fileName, saveText } from '../../shared/api/download.ts';
import { loadPages } from '../../shared/api/list-queries.ts';
import { useListAround } from '../../shared/api/long-list.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import {
  type AnnotationType,
  annotationPagesQuery,
  type DeskSubject,
  fetchAnnotations,
  recordingsBetweenQuery,
  subjectQuery,
} from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useColumnChoice } from '../../shared/kit/column-choice.tsx';
import { Button, Search, Segments } from '../../shared/kit/controls.tsx';
import { DataTable } from '../../shared/kit/data-table.tsx';
import { NewerRows, RowsAhead } from '../../shared/kit/more-rows.tsx';
import { spacerClass, stackClass, toolsClass } from '../../shared/kit/page.tsx';
import { Empty, ErrorNotice, Notice, QueryView } from '../../shared/kit/state.tsx';
import { oneOf, TEXT } from '../filters/filter-search.ts';
import { SavedFilters } from '../filters/saved-filters.tsx';
import { useTableFilter } from '../filters/use-table-filter.ts';
import { SubjectLink } from '../subjects/subject-link.tsx';
import { LABEL_KINDS, type LabelItem, type LabelKind, labelsCsv, labelsOf } from '../viewer/data/labels.ts';
import { DeleteLabelDialog } from './delete-label.tsx';
import { useLabelColumns } from './label-columns.tsx';
import { LabelDialog } from './label-dialog.tsx';
import { useNeedsReason } from './label-rules.ts';
import { useLabelHistory } from './use-label-history.ts';

const ALWAYS = { startMs: Number.NEGATIVE_INFINITY, stopMs: Number.POSITIVE_INFINITY };

/** Shown in place of the table while it has no rows. */
function NoLabels({
  subject,
  isFiltered,
  onClear,
}: {
  subject: DeskSubject;
  isFiltered: boolean;
  onClear: () => void;
}) {
  const { t } = useWords();
  return isFiltered ? (
    <Empty icon="search" title={t('state.noResult')} help={t('labels.noResultHelp')}>
      <Button onPress={onClear}>{t('labels.clearFilter')}</Button>
    </Empty>
  ) : (
    <Empty icon="ruler" title={t('labels.emptyTitle')} help={t('labels.emptyHelp')}>
      <SubjectLink view="recordings" studyId={subject.studyId} subjectId={subject.id} />
    </Empty>
  );
}

/** What the server stores the labels of a kind as. */
const TYPES: Record<LabelKind, readonly AnnotationType[]> = {
  label: ['recording', 'subject'],
  activity: ['activity'],
  diary: ['diary'],
  question: ['question'],
  system: ['recording', 'subject'],
};

interface LabelFilter {
  text: string;
  kind: LabelKind | 'all';
}
const FILTER_FIELDS = { text: TEXT, kind: oneOf(['all', ...LABEL_KINDS], 'all') };

const typesOf = ({ kind }: LabelFilter) => (kind === 'all' ? undefined : TYPES[kind]);

function matching(items: readonly LabelItem[], { text, kind }: LabelFilter): LabelItem[] {
  const wanted = fold(text.trim());
  return items.filter(
    (item) => (kind === 'all' || item.kind === kind) && fold(`${item.name} ${item.value ?? ''}`).includes(wanted),
  );
}

function Tools({
  filter,
  onFilter,
  children,
}: {
  filter: LabelFilter;
  onFilter: (change: Partial<LabelFilter>) => void;
  children: ReactNode;
}) {
  const { t } = useWords();
  return (
    <div className={toolsClass}>
      <Search label={t('labels.search')} value={filter.text} onChange={(text) => onFilter({ text })} />
      <Segments
        label={t('viewer.kind')}
        value={filter.kind}
        options={[
          { id: 'all' as const, label: t('viewer.all') },
          ...LABEL_KINDS.map((id) => ({ id, label: t(`viewer.kinds.${id}`) })),
        ]}
        onChange={(kind) => onFilter({ kind })}
      />
      <span className={spacerClass} />
      {children}
    </div>
  );
}

/** Every label that matches, also those that have not been shown, as CSV. */
function Csv({ subject, filter }: { subject: DeskSubject; filter: LabelFilter }) {
  const { t } = useWords();
  const { studyId, id: subjectId, displayName } = subject;
  const save = useMutation({
    mutationFn: async () => {
      const { items } = await loadPages(true, (page) =>
        fetchAnnotations({ studyId, subjectId }, typesOf(filter), page),
      );
      const found = matching(labelsOf(items, ALWAYS), filter);
      saveText(labelsCsv(found), fileName(displayName, 'labels.csv'), 'text/csv');
    },
  });
  return (
    <>
      <Button icon="download" aria-label={t('labels.csv')} isDisabled={save.isPending} onPress={() => save.mutate()}>
        CSV
      </Button>
      {save.error && <ErrorNotice error={save.error} onRetry={() => save.mutate()} />}
    </>
  );
}

/** The recordings that the labels may belong to, read for each page of labels. */
function useRecordingsOf(
  { studyId, id: subjectId }: DeskSubject,
  pages: readonly (readonly Annotation[])[],
): readonly Recording[] {
  return useQueries({
    queries: pages.flatMap((page) => {
      const [newest, oldest] = [page[0], page.at(-1)];
      return newest && oldest ? [recordingsBetweenQuery(studyId, subjectId, oldest.startTs, newest.startTs)] : [];
    }),
    combine: (results) => results.flatMap(({ data }) => data?.items ?? []),
  });
}

function LabelsOf({
  subject,
  shownId,
  onNewest,
}: {
  subject: DeskSubject;
  /** A label or answer that the address names. */
  shownId: string | undefined;
  onNewest: () => void;
}) {
  const { t } = useWords();
  const { id: subjectId, studyId, timezone: timeZone } = subject;
  const tableFilter = useTableFilter(FILTER_FIELDS);
  const { values: filter, isFiltered } = tableFilter;
  const { text, kind } = filter;
  const list = useListAround(shownId, (around) =>
    annotationPagesQuery({ studyId, subjectId }, typesOf(filter), around),
  );
  const shown = useMemo(() => matching(labelsOf(list.items, ALWAYS), { text, kind }), [list.items, text, kind]);
  const mayEdit = usePermissions()('annotation.write', studyId);
  const needsReason = useNeedsReason(studyId);
  const [edited, setEdited] = useState<LabelItem | null>(null);
  const [deleting, setDeleting] = useState<LabelItem | null>(null);
  const { history, remove, undo, canUndo, deletedName, setDeletedName, error, reload } = useLabelHistory(
    studyId,
    subjectId,
  );
  const { mutate: removeItem, isPending: isDeleting } = remove;
  const onDelete = useCallback(
    (item: LabelItem) => (needsReason ? setDeleting(item) : removeItem(item)),
    [needsReason, removeItem],
  );
  const recordings = useRecordingsOf(subject, list.pages);
  const { columns, chooser } = useColumnChoice(
    'labels',
    useLabelColumns(subject, recordings, { mayEdit, isDeleting, onEdit: setEdited, onDelete }),
  );
  return (
    <div className={stackClass}>
      {(isFiltered || list.items.length > 0) && (
        <Tools filter={filter} onFilter={tableFilter.set}>
          <SavedFilters table="labels" studyId={studyId} filter={tableFilter} />
          {chooser}
          {mayEdit && shown.length > 0 && <Csv subject={subject} filter={filter} />}
        </Tools>
      )}
      {error && <ErrorNotice error={error} onRetry={reload} />}
      {deletedName !== null && canUndo && (
        <Notice
          tone="info"
          actions={
            <Button small isDisabled={undo.isPending} onPress={() => undo.mutate()}>
              {t('labels.undoDelete')}
            </Button>
          }
        >
          {t('labels.deleted', { name: deletedName })}
        </Notice>
      )}
      <NewerRows list={list} onNewest={onNewest} />
      <QueryView query={list.query}>
        {() =>
          shown.length > 0 ? (
            <DataTable
              caption={t('labels.title')}
              rows={shown}
              columns={columns}
              rowId={(item) => item.id}
              initialSort={{ id: 'start', desc: true }}
              list={list}
              shownId={shownId}
            />
          ) : list.hasMore ? (
            <RowsAhead list={list} />
          ) : (
            <NoLabels subject={subject} isFiltered={isFiltered} onClear={tableFilter.clear} />
          )
        }
      </QueryView>
      {deleting && (
        <DeleteLabelDialog
          item={deleting}
          history={history}
          onDeleted={({ name }) => setDeletedName(name)}
          onClose={() => setDeleting(null)}
        />
      )}
      {edited && <LabelDialog item={edited} timeZone={timeZone} history={history} onClose={() => setEdited(null)} />}
    </div>
  );
}

export function Labels() {
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/labels' });
  const { show } = useSearch({ from: '/desk/studies/$studyId/subjects/$subjectId/labels' });
  const navigate = useNavigate({ from: '/studies/$studyId/subjects/$subjectId/labels' });
  const subject = useQuery(subjectQuery(studyId, subjectId));
  return (
    <QueryView query={subject}>
      {(data) => (
        <LabelsOf
          key={`${subjectId} ${show ?? ''}`}
          subject={data}
          shownId={show}
          onNewest={() => void navigate({ search: (old) => ({ ...old, show: undefined }), replace: true })}
        />
      )}
    </QueryView>
  );
}
