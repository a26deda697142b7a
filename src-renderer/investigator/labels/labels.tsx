/** All labels, tasks and answers of a subject, across recordings: searched, filtered, edited, deleted, saved as CSV. */

import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Recording } from '../../../src-server/api/contract/index.ts';
import { fileName, saveText } from '../../shared/api/download.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { annotationsQuery, type DeskSubject, recordingsBetweenQuery, subjectQuery } from '../../shared/api/queries.ts';
import { fold } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Search } from '../../shared/kit/controls.tsx';
import { DataTable } from '../../shared/kit/data-table.tsx';
import { Empty, ErrorNotice, Notice, QueryView } from '../../shared/kit/state.tsx';
import { SubjectLink } from '../subjects/subject-link.tsx';
import { type LabelItem, type LabelKind, labelsCsv, labelsOf } from '../viewer/data/labels.ts';
import { DeleteLabelDialog } from './delete-label.tsx';
import { KindFilter } from './kind-filter.tsx';
import { useLabelColumns } from './label-columns.tsx';
import { LabelDialog } from './label-dialog.tsx';
import { useNeedsReason } from './label-rules.ts';
import styles from './labels.module.css';
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

/** The labels that match the search and the filter, and the controls of both. */
function useFilter(items: LabelItem[], actions: (shown: LabelItem[]) => ReactNode) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const [kind, setKind] = useState<LabelKind | 'all'>('all');
  const wanted = fold(text.trim());
  const shown = items.filter(
    (item) => (kind === 'all' || item.kind === kind) && fold(`${item.name} ${item.value ?? ''}`).includes(wanted),
  );
  return {
    shown,
    clear: () => {
      setText('');
      setKind('all');
    },
    tools: items.length > 0 && (
      <div className={styles.tools}>
        <Search label={t('labels.search')} value={text} onChange={setText} />
        <KindFilter items={items} kind={kind} onKind={setKind} />
        <span className={styles.spacer} />
        {actions(shown)}
      </div>
    ),
  };
}

const NO_RECORDINGS: readonly Recording[] = [];

/** The recordings that the labels may belong to. */
function useRecordingsOf({ studyId, id: subjectId }: DeskSubject, items: readonly LabelItem[]): readonly Recording[] {
  const [first, last] = [items[0], items.at(-1)];
  const span = recordingsBetweenQuery(studyId, subjectId, first?.startMs ?? 0, last?.startMs ?? 0);
  return useQuery({ ...span, enabled: first !== undefined }).data?.items ?? NO_RECORDINGS;
}

function LabelsOf({ subject, items }: { subject: DeskSubject; items: LabelItem[] }) {
  const { t } = useWords();
  const { id: subjectId, studyId, timezone: timeZone } = subject;
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
  const recordings = useRecordingsOf(subject, items);
  const columns = useLabelColumns(subject, recordings, { mayEdit, isDeleting, onEdit: setEdited, onDelete });
  const { shown, tools, clear } = useFilter(
    items,
    (found) =>
      mayEdit &&
      found.length > 0 && (
        <Button
          icon="download"
          aria-label={t('labels.csv')}
          onPress={() => saveText(labelsCsv(found), fileName(subject.displayName, 'labels.csv'), 'text/csv')}
        >
          CSV
        </Button>
      ),
  );
  return (
    <div className={styles.page}>
      {tools}
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
      {shown.length === 0 ? (
        <NoLabels subject={subject} isFiltered={items.length > 0} onClear={clear} />
      ) : (
        <DataTable
          caption={t('labels.title')}
          rows={shown}
          columns={columns}
          rowId={(item) => item.id}
          initialSort={{ id: 'start', desc: true }}
        />
      )}
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
  const annotations = useQuery(annotationsQuery(studyId, subjectId));
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const items = useMemo(() => labelsOf(annotations.data?.items ?? [], ALWAYS), [annotations.data]);
  return (
    <QueryView query={annotations}>
      {() => subject.data && <LabelsOf key={subjectId} subject={subject.data} items={items} />}
    </QueryView>
  );
}
