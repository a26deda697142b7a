/** Subjects of one study or of several as a table, with a search and a filter. */
import { useState } from 'react';
import type { Subject } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Search } from '../../shared/kit/controls.tsx';
import { DataTable } from '../../shared/kit/data-table.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Empty } from '../../shared/kit/state.tsx';
import { FILTERS, type SubjectFilter } from './list-filter.ts';
import { useSubjectColumns } from './subject-columns.tsx';
import { useSubjectRows } from './subject-rows.ts';
import styles from './subject-table.module.css';

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
  const { t } = useWords();
  const [text, setText] = useState('');
  const [filter, setFilter] = useState<SubjectFilter>('all');
  const rows = useSubjectRows(subjects, studyNames, text, filter);
  const columns = useSubjectColumns(studyNames.size > 1);
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
