/** Subjects of one study or of several as a table, with a search and a filter. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { studyPlanQuery } from '../../shared/api/participation-queries.ts';
import { type Operation, usePermissions } from '../../shared/api/permissions.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import { useColumnChoice } from '../../shared/kit/column-choice.tsx';
import { Button, Search } from '../../shared/kit/controls.tsx';
import { DataTable } from '../../shared/kit/data-table.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { useRowSelection } from '../../shared/kit/row-selection.ts';
import { Empty, Notice, SkeletonRows } from '../../shared/kit/state.tsx';
import { BulkArea } from '../bulk/bulk-area.tsx';
import { FilterGone } from '../filters/filter-gone.tsx';
import { oneOf, RECORD, TEXT } from '../filters/filter-search.ts';
import { SavedFilters } from '../filters/saved-filters.tsx';
import { useTableFilter } from '../filters/use-table-filter.ts';
import { FILTERS } from './list-filter.ts';
import { useSubjectColumns } from './subject-columns.tsx';
import { useSubjectRows } from './subject-rows.ts';
import styles from './subject-table.module.css';
import type { SubjectList } from './use-subject-list.ts';

const FILTER_FIELDS = { text: TEXT, filter: oneOf(FILTERS, 'all'), group: RECORD };

const SubjectBulk = lazy(async () => {
  await loadWords('bulk');
  return { default: (await import('./bulk/subject-bulk.tsx')).SubjectBulk };
});

/** Without any of these, the table has no checkboxes. */
const BULK_OPERATIONS: readonly Operation[] = [
  ...(['message.send', 'note.write', 'participation.write', 'subject.update', 'study.export'] as const),
];

/** Groups and strata of the one study that the list is of; none for a list of several, and undefined until they have loaded. */
function useGroups(studyNames: ReadonlyMap<string, string>) {
  const [studyId = '', ...others] = [...studyNames.keys()];
  const isOfOne = others.length === 0;
  const plan = useQuery({ ...studyPlanQuery(studyId), enabled: studyId !== '' && isOfOne });
  if (!isOfOne) return [];
  return plan.data && [...plan.data.groups, ...plan.data.strata];
}

export function SubjectTable({
  list,
  total,
  onWhole,
  studyNames,
  studyId,
  caption,
}: {
  list: SubjectList;
  /** Number of all subjects; undefined until it has loaded. */
  total: number | undefined;
  /** Asks for the whole list. A search, a filter or another order over its first page alone would mislead. */
  onWhole: () => void;
  /** By study id. With more than one study the table names the study of each subject. */
  studyNames: ReadonlyMap<string, string>;
  /** Of a list of one study. */
  studyId?: string;
  caption: string;
}) {
  const { t, format } = useWords();
  const tableFilter = useTableFilter(FILTER_FIELDS);
  const { set, clear, isFiltered } = tableFilter;
  const { text, filter, group } = tableFilter.values;
  const known = useGroups(studyNames);
  const groups = known ?? [];
  const isGone = group !== '' && known !== undefined && !known.some(({ id }) => id === group);
  const groupId = isGone ? '' : group;
  const rows = useSubjectRows(list, studyNames, text, filter, groupId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once, when a filter begins
  useEffect(() => {
    if (isFiltered) onWhole();
  }, [isFiltered]);
  const can = usePermissions();
  const mayAct = [...studyNames.keys()].some((id) => BULK_OPERATIONS.some((operation) => can(operation, id)));
  const selection = useRowSelection(useMemo(() => list.subjects.map(({ id }) => id), [list.subjects]));
  const { columns, chooser } = useColumnChoice('subjects', useSubjectColumns(studyNames.size > 1, groups.length > 0));
  return (
    <div className={styles.list}>
      <div className={styles.tools}>
        <Search label={t('subjects.search')} value={text} onChange={(next) => set({ text: next })} />
        <Select
          isCompact
          label={t('subjectList.show')}
          value={filter}
          options={FILTERS.map((id) => ({ id, label: t(`subjectList.filter.${id}`) }))}
          onChange={(next) => set({ filter: next })}
        />
        {groups.length > 0 && (
          <Select
            isCompact
            label={t('subjectList.group')}
            value={groupId}
            options={[
              { id: '', label: t('subjectList.filter.all') },
              ...groups.map(({ id, displayName }) => ({ id, label: displayName })),
            ]}
            onChange={(next) => set({ group: next })}
          />
        )}
        <SavedFilters
          table={studyId === undefined ? 'allSubjects' : 'subjects'}
          studyId={studyId}
          filter={tableFilter}
        />
        {chooser}
      </div>
      {isGone && <FilterGone what="group" onRemove={() => set({ group: '' })} />}
      {list.hasMore && (
        <Notice
          tone="info"
          actions={
            <Button small isDisabled={list.isLoadingRest} onPress={onWhole}>
              {t('subjectList.loadAll')}
            </Button>
          }
        >
          {t(list.isLoadingRest ? 'subjectList.loadingRest' : 'subjectList.firstOnly', {
            count: list.subjects.length,
            shown: format.number(list.subjects.length),
            total: total === undefined ? '…' : format.number(total),
          })}
        </Notice>
      )}
      <BulkArea>
        {rows.length === 0 && list.hasMore ? (
          list.isLoadingRest && <SkeletonRows />
        ) : rows.length === 0 ? (
          <Empty
            icon="search"
            title={t('state.noResult')}
            help={
              filter === 'all'
                ? t(text ? 'state.noResultHelp' : 'subjectList.noneInGroup', { text })
                : t(text ? 'subjectList.noMatchText' : 'subjectList.noMatch', {
                    filter: t(`subjectList.filter.${filter}`),
                    text,
                  })
            }
          >
            <Button onPress={clear}>{t('subjectList.showAll')}</Button>
          </Empty>
        ) : (
          <DataTable
            caption={caption}
            rows={rows}
            columns={columns}
            rowId={(row) => row.subject.id}
            initialSort={{ id: 'name', desc: false }}
            onSort={onWhole}
            selection={mayAct ? selection : undefined}
          />
        )}
        {/* Outside: the last row may leave the list while an action runs. */}
        <Suspense>
          {mayAct && (
            <SubjectBulk
              selection={selection}
              subjects={list.subjects}
              shown={rows.map(({ subject }) => subject.id)}
              studyNames={studyNames}
            />
          )}
        </Suspense>
      </BulkArea>
    </div>
  );
}
