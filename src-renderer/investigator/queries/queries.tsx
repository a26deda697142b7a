/** The data queries of a study or a subject: filtered by state, subject and assignee, with counts and ages. */
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { lazy, type RefObject, Suspense } from 'react';
import {
  type DataQueryFilter,
  dataQueryPagesQuery,
  dataQueryQuery,
  queryCountsQuery,
} from '../../shared/api/data-query-queries.ts';
import { useLongList } from '../../shared/api/long-list.ts';
import { type NotePlace, peopleQuery } from '../../shared/api/note-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { subjectsQuery } from '../../shared/api/queries.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import { Button, Segments } from '../../shared/kit/controls.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { MoreRows } from '../../shared/kit/more-rows.tsx';
import { panelClass, stackClass, toolsClass } from '../../shared/kit/page.tsx';
import { ToStudies } from '../../shared/kit/refused.tsx';
import { useRowSelection, useSelecting } from '../../shared/kit/row-selection.ts';
import { SelectBox } from '../../shared/kit/select-box.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { BulkArea } from '../bulk/bulk-area.tsx';
import { FilterGone } from '../filters/filter-gone.tsx';
import { oneOf, RECORD } from '../filters/filter-search.ts';
import { SavedFilters } from '../filters/saved-filters.tsx';
import { useTableFilter } from '../filters/use-table-filter.ts';
import styles from '../notes/notes.module.css';
import { SubjectLink } from '../subjects/subject-link.tsx';
import { QueryItem } from './query-item.tsx';
import { excerptOf } from './steps.ts';

const STATES = ['OPEN', 'ANSWERED', 'RESOLVED'] as const;
const FILTER_FIELDS = { state: oneOf(['all', ...STATES], 'all'), of: RECORD, assignee: RECORD };

const QueryBulk = lazy(async () => {
  await loadWords('bulk');
  return { default: (await import('./bulk/query-bulk.tsx')).QueryBulk };
});

function QueriesOf({ place, shownId }: { place: NotePlace; shownId?: string | undefined }) {
  const { t, format } = useWords();
  const { studyId, subjectId } = place;
  const tableFilter = useTableFilter(FILTER_FIELDS);
  const { set, clear } = tableFilter;
  const { state, of, assignee } = tableFilter.values;
  const counts = useQuery(queryCountsQuery(studyId)).data;
  const people = useQuery(peopleQuery(studyId)).data?.items;
  const subjects = useQuery({ ...subjectsQuery(studyId), enabled: of !== '' && subjectId === undefined }).data?.items;
  const isSubjectGone = of !== '' && subjects !== undefined && !subjects.some(({ id }) => id === of);
  const isPersonGone = assignee !== '' && people !== undefined && !people.some(({ id }) => id === assignee);
  const ofSubjectId = subjectId !== undefined || isSubjectGone ? '' : of;
  const assigneeId = isPersonGone ? '' : assignee;
  const filter: DataQueryFilter = {
    ...(state !== 'all' && { state }),
    ...(ofSubjectId && { ofSubjectId }),
    ...(assigneeId && { assigneeId }),
  };
  const list = useLongList(dataQueryPagesQuery(place, filter));
  // A search can find a query that is older than the rows read so far, or that the filter leaves out.
  const isElsewhere = shownId !== undefined && list.query.data?.some(({ id }) => id === shownId) === false;
  const named = useQuery({ ...dataQueryQuery(studyId, shownId ?? ''), enabled: isElsewhere });
  const shown = subjectId === undefined ? counts : counts?.subjects.find((one) => one.subjectId === subjectId);
  const isFiltered = Object.keys(filter).length > 0;
  const countedSubjects = counts?.subjects ?? [];
  // One without queries is not counted, but may be what a saved filter chooses.
  const chosenSubject =
    ofSubjectId !== '' && !countedSubjects.some((one) => one.subjectId === ofSubjectId)
      ? subjects?.find(({ id }) => id === ofSubjectId)
      : undefined;
  const items = list.query.data;
  const mayAct = usePermissions()('query.step', studyId);
  const ids = (items ?? []).map(({ id }) => id);
  const selection = useRowSelection(items && ids);
  const { toggle, onKey } = useSelecting(selection, ids);
  const moveTo = (id: string) =>
    selection.list.current?.querySelectorAll<HTMLElement>('[data-box]')[ids.indexOf(id)]?.focus();
  return (
    <div className={stackClass}>
      <div className={toolsClass}>
        <Segments
          label={t('queries.state')}
          value={state}
          options={[
            { id: 'all', label: t('queries.all') },
            ...STATES.map((id) => ({ id, label: t(`queries.states.${id}`) })),
          ]}
          onChange={(next) => set({ state: next })}
        />
        {subjectId === undefined && (
          <Select
            isCompact
            label={t('queries.subject')}
            value={ofSubjectId}
            options={[
              { id: '', label: t('queries.allSubjects') },
              ...(chosenSubject ? [{ id: chosenSubject.id, label: chosenSubject.displayName }] : []),
              ...countedSubjects.map(({ subjectId: id, subjectName: name, openCount, answeredCount }) => ({
                id,
                label: t('queries.subjectOption', { name, open: openCount, answered: answeredCount }),
              })),
            ]}
            onChange={(next) => set({ of: next })}
          />
        )}
        <Select
          isCompact
          label={t('queries.assignee')}
          value={assigneeId}
          options={[
            { id: '', label: t('queries.all') },
            ...(people ?? []).map(({ id, displayName }) => ({ id, label: displayName })),
          ]}
          onChange={(next) => set({ assignee: next })}
        />
        {subjectId === undefined && <SavedFilters table="queries" studyId={studyId} filter={tableFilter} />}
        {shown?.oldestTs !== undefined && (
          <small className={styles.why}>
            {t('queries.counts', {
              open: shown.openCount,
              answered: shown.answeredCount,
              ago: format.ago(shown.oldestTs, Date.now()),
            })}
          </small>
        )}
      </div>
      {isSubjectGone && <FilterGone what="subject" onRemove={() => set({ of: '' })} />}
      {isPersonGone && <FilterGone what="person" onRemove={() => set({ assignee: '' })} />}
      {isElsewhere && (
        <QueryView query={named}>
          {(query) =>
            (subjectId === undefined || query.subjectId === subjectId) && (
              <ul className={`${panelClass} ${styles.list}`} aria-label={t('queries.linked')}>
                <QueryItem query={query} isOfStudy={subjectId === undefined} isShown />
              </ul>
            )
          }
        </QueryView>
      )}
      <BulkArea>
        <QueryView query={list.query}>
          {(shownItems) =>
            shownItems.length > 0 ? (
              <>
                <ul
                  ref={selection.list as RefObject<HTMLUListElement | null>}
                  tabIndex={-1}
                  className={`${panelClass} ${styles.list}`}
                  aria-label={t('queries.title')}
                >
                  {shownItems.map((query) => (
                    <QueryItem
                      key={query.id}
                      query={query}
                      isOfStudy={subjectId === undefined}
                      isShown={query.id === shownId}
                      box={
                        mayAct && (
                          <SelectBox
                            label={t('table.select', { name: `${query.subjectName}, ${excerptOf(query)}` })}
                            isSelected={selection.ids.has(query.id)}
                            onChange={(isRange) => toggle(query.id, isRange)}
                            onKeyDown={(event) => {
                              if (!onKey(event, query.id, moveTo)) return;
                              event.preventDefault();
                              event.stopPropagation();
                            }}
                          />
                        )
                      }
                    />
                  ))}
                </ul>
                {list.hasMore && <MoreRows list={list} />}
              </>
            ) : isFiltered ? (
              <Empty icon="search" title={t('state.noResult')} help={t('queries.noResultHelp')}>
                <Button onPress={clear}>{t('queries.showAll')}</Button>
              </Empty>
            ) : (
              <Empty icon="check" title={t('queries.emptyTitle')} help={t('queries.emptyHelp')}>
                {subjectId === undefined ? (
                  <ToStudies />
                ) : (
                  <SubjectLink view="recordings" studyId={studyId} subjectId={subjectId} />
                )}
              </Empty>
            )
          }
        </QueryView>
        <Suspense>{mayAct && <QueryBulk selection={selection} studyId={studyId} queries={items ?? []} />}</Suspense>
      </BulkArea>
    </div>
  );
}

export function SubjectQueries() {
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/queries' });
  const { show } = useSearch({ from: '/desk/studies/$studyId/subjects/$subjectId/queries' });
  return <QueriesOf key={subjectId} place={{ studyId, subjectId }} shownId={show} />;
}

export function StudyQueries() {
  const { studyId } = useParams({ from: '/desk/studies/$studyId/queries' });
  return <QueriesOf key={studyId} place={{ studyId }} />;
}
