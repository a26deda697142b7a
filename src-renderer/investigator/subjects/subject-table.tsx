/** Subjects of one study or of several as a table, with a search and a filter. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { studyPlanQuery } from '../../shared/api/participation-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useColumnChoice } from '../../shared/kit/column-choice.tsx';
import { Button, Search } from '../../shared/kit/controls.tsx';
import { DataTable } from '../../shared/kit/data-table.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Empty, Notice, SkeletonRows } from '../../shared/kit/state.tsx';
import { FILTERS, type SubjectFilter } from './list-filter.ts';
import { useSubjectColumns } from './subject-columns.tsx';
import { useSubjectRows } from './subject-rows.ts';
import styles from './subject-table.module.css';
import type { SubjectList } from './use-subject-list.ts';

/** Groups and strata of the one study that the list is of; none for a list of several. */
function useGroups(studyNames: ReadonlyMap<string, string>) {
  const [studyId = '', ...others] = [...studyNames.keys()];
  const plan = useQuery({ ...studyPlanQuery(studyId), enabled: studyId !== '' && others.length === 0 });
  return others.length === 0 && plan.data ? [...plan.data.groups, ...plan.data.strata] : [];
}

export function SubjectTable({
  list,
  total,
  onWhole,
  studyNames,
  caption,
}: {
  list: SubjectList;
  /** Number of all subjects; undefined until it has loaded. */
  total: number | undefined;
  /** Asks for the whole list. A search, a filter or another order over its first page alone would mislead. */
  onWhole: () => void;
  /** By study id. With more than one study the table names the study of each subject. */
  studyNames: ReadonlyMap<string, string>;
  caption: string;
}) {
  const { t, format } = useWords();
  const [text, setText] = useState('');
  const [filter, setFilter] = useState<SubjectFilter>('all');
  const [groupId, setGroup] = useState('');
  const groups = useGroups(studyNames);
  const rows = useSubjectRows(list, studyNames, text, filter, groupId);
  const onText = (next: string) => {
    if (next.trim() !== '') onWhole();
    setText(next);
  };
  const { columns, chooser } = useColumnChoice('subjects', useSubjectColumns(studyNames.size > 1, groups.length > 0));
  return (
    <div className={styles.list}>
      <div className={styles.tools}>
        <Search label={t('subjects.search')} value={text} onChange={onText} />
        <Select
          isCompact
          label={t('subjectList.show')}
          value={filter}
          options={FILTERS.map((id) => ({ id, label: t(`subjectList.filter.${id}`) }))}
          onChange={(next) => {
            if (next !== 'all') onWhole();
            setFilter(next);
          }}
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
            onChange={(next) => {
              if (next !== '') onWhole();
              setGroup(next);
            }}
          />
        )}
        {chooser}
      </div>
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
          <Button
            onPress={() => {
              setText('');
              setFilter('all');
              setGroup('');
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
          onSort={onWhole}
        />
      )}
    </div>
  );
}
