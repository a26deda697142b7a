/** What happened in a study on one day, in the order in which it was reported. */

import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { fileName, saveText } from '../../shared/api/download.ts';
import { EVENT_ACTIONS } from '../../shared/api/event-actions.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useColumnChoice } from '../../shared/kit/column-choice.tsx';
import { Button } from '../../shared/kit/controls.tsx';
import { DataTable } from '../../shared/kit/data-table.tsx';
import { NewerRows, RowsAhead } from '../../shared/kit/more-rows.tsx';
import { Page } from '../../shared/kit/page.tsx';
import { ToStudies } from '../../shared/kit/refused.tsx';
import { Empty, ErrorNotice, QueryView } from '../../shared/kit/state.tsx';
import { addDays, localDate } from '../../shared/time/local-day.ts';
import { useCommands } from '../commands/commands.ts';
import { FilterGone } from '../filters/filter-gone.tsx';
import { oneOf, RECORD } from '../filters/filter-search.ts';
import { SavedFilters } from '../filters/saved-filters.tsx';
import { useTableFilter } from '../filters/use-table-filter.ts';
import { useEventColumns } from './event-columns.tsx';
import { EventFilters, type EventSearch } from './event-filters.tsx';
import { type EventRow, eventsCsv } from './event-list.ts';
import { useDayEvents } from './use-day-events.ts';

const FILTER_FIELDS = { study: RECORD, type: oneOf(['all', ...EVENT_ACTIONS], 'all'), subject: RECORD };
/** Another filter need not list the event that a link shows. */
const SHOWN = ['show'];

/** Shown in place of the log while it has no rows. */
function NoEvents({
  date,
  isFiltered,
  onClear,
  onPreviousDay,
}: {
  date: string;
  isFiltered: boolean;
  onClear: () => void;
  onPreviousDay: () => void;
}) {
  const { t, format } = useWords();
  return isFiltered ? (
    <Empty icon="search" title={t('state.noResult')} help={t('events.noResultHelp')}>
      <Button onPress={onClear}>{t('labels.clearFilter')}</Button>
    </Empty>
  ) : (
    <Empty icon="events" title={t('events.emptyTitle', { date: format.date(date) })} help={t('events.emptyHelp')}>
      <Button icon="left" onPress={onPreviousDay}>
        {t('commands.previousDay')}
      </Button>
    </Empty>
  );
}

export function Events() {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const navigate = useNavigate({ from: '/events' });
  const search = useSearch({ from: '/desk/events' });
  const studies = useQuery(studiesQuery(user.accountId));
  const filter = useTableFilter(FILTER_FIELDS, SHOWN);
  const { type } = filter.values;
  const chosenStudy = studies.data?.find(({ id }) => id === filter.values.study);
  const study = chosenStudy ?? studies.data?.[0];
  // Days are those of this computer's time zone, because a study has subjects in many zones.
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const today = localDate(Date.now(), timeZone);
  const date = search.date ?? today;
  const { list, rows, shownKey, subjects, readAll } = useDayEvents(study?.id, date, timeZone, search.show);
  const { columns, chooser } = useColumnChoice('events', useEventColumns(timeZone));
  const isStudyGone = filter.values.study !== '' && studies.data !== undefined && !chosenStudy;
  const subjectIds = subjects && new Set(subjects.map(({ id }) => id));
  const isSubjectGone = filter.values.subject !== '' && subjectIds?.has(filter.values.subject) === false;
  const subjectId = isSubjectGone ? '' : filter.values.subject;
  const matching = (all: EventRow[]) =>
    all.filter((row) => (type === 'all' || row.action === type) && (subjectId === '' || row.subjectId === subjectId));
  const shown = matching(rows);
  const save = useMutation({
    mutationFn: async () =>
      saveText(
        eventsCsv(matching(await readAll())),
        fileName(study?.displayName ?? '', date, 'events.csv'),
        'text/csv',
      ),
  });
  const change = (next: EventSearch) =>
    void navigate({ search: (old) => ({ ...old, show: undefined, ...next }), replace: true });
  const step = (days: number) => change({ date: addDays(date, days) });
  useCommands([
    { id: 'events.previous', label: t('commands.previousDay'), keys: [','], scope: 'page', run: () => step(-1) },
    { id: 'events.next', label: t('commands.nextDay'), keys: ['.'], scope: 'page', run: () => step(1) },
  ]);
  const csv = can('study.export', study?.id) && shown.length > 0 && (
    <Button icon="download" aria-label={t('events.csv')} isDisabled={save.isPending} onPress={() => save.mutate()}>
      CSV
    </Button>
  );
  return (
    <Page
      title={t('events.title')}
      summary={t('events.help', { zone: timeZone })}
      actions={
        <>
          {chooser}
          {csv}
        </>
      }
    >
      <QueryView query={studies}>
        {(all) =>
          all.length === 0 || !study ? (
            <Empty icon="events" title={t('events.noStudyTitle')} help={t('events.emptyHelp')}>
              <ToStudies />
            </Empty>
          ) : (
            <>
              <EventFilters
                {...{ studies: all, study, date, today, type, subjects: subjects ?? [], subjectId }}
                onChange={change}
              >
                <SavedFilters table="events" filter={filter} />
              </EventFilters>
              {isStudyGone && <FilterGone what="studyFirst" onRemove={() => filter.set({ study: '', subject: '' })} />}
              {isSubjectGone && !isStudyGone && (
                <FilterGone what="subject" onRemove={() => filter.set({ subject: '' })} />
              )}
              {save.error && <ErrorNotice error={save.error} onRetry={() => save.mutate()} />}
              <NewerRows list={list} onNewest={() => change({})} />
              <QueryView query={list.query}>
                {() =>
                  shown.length > 0 ? (
                    <DataTable
                      caption={t('events.title')}
                      rows={shown}
                      columns={columns}
                      rowId={(row) => row.key}
                      initialSort={{ id: 'reportedTs', desc: true }}
                      list={list}
                      shownId={shownKey}
                      liveOf={[study.id, date, type, subjectId].join(' ')}
                    />
                  ) : list.hasMore ? (
                    <RowsAhead list={list} />
                  ) : (
                    <NoEvents
                      date={date}
                      isFiltered={rows.length > 0}
                      onClear={() => change({ type: undefined, subject: undefined })}
                      onPreviousDay={() => step(-1)}
                    />
                  )
                }
              </QueryView>
            </>
          )
        }
      </QueryView>
    </Page>
  );
}
