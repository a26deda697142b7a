/** What happened in a study on one day, in the order that it was reported. */

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { DAY_MS } from '../../../src-server/durations.ts';
import { fileName, saveText } from '../../shared/api/download.ts';
import { EVENT_ACTIONS } from '../../shared/api/event-actions.ts';
import { eventsQuery } from '../../shared/api/message-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, IconButton } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Page } from '../../shared/kit/page.tsx';
import { ToStudies } from '../../shared/kit/refused.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { addDays, fixedZone, localDate, localDay } from '../../shared/time/local-day.ts';
import { useCommands } from '../commands/commands.ts';
import { type EventRow, eventRows, eventsCsv, REFERENCES } from './event-list.ts';
import styles from './events.module.css';

/** What an event refers to, as a link to where it can be seen. */
function Reference({ row }: { row: EventRow }) {
  const { t } = useWords();
  const { studyId, subjectId, referenceId } = row;
  const kind = REFERENCES[row.action];
  const text = t(`events.references.${kind}`);
  if (kind === 'study' || subjectId === undefined)
    return (
      <Link to="/studies/$studyId" params={{ studyId }}>
        {text}
      </Link>
    );
  const params = { studyId, subjectId };
  if (kind === 'recording')
    return (
      <Link
        to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId"
        params={{ ...params, recordingId: referenceId }}
      >
        {text}
      </Link>
    );
  if (kind === 'message')
    return (
      <Link to="/studies/$studyId/subjects/$subjectId/messages" params={params}>
        {text}
      </Link>
    );
  if (kind === 'annotation')
    return (
      <Link to="/studies/$studyId/subjects/$subjectId/labels" params={params}>
        {text}
      </Link>
    );
  return (
    <Link to="/studies/$studyId/subjects/$subjectId/days" params={params}>
      {text}
    </Link>
  );
}

export function Events() {
  const { t, format } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const navigate = useNavigate({ from: '/events' });
  const search = useSearch({ from: '/desk/events' });
  const studies = useQuery(studiesQuery(user.accountId));
  const study = studies.data?.find(({ id }) => id === search.study) ?? studies.data?.[0];
  // The days of this page are those of the computer that one sits at: a study has subjects in many zones.
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const today = localDate(Date.now(), timeZone);
  const date = search.date ?? today;
  const day = useMemo(() => localDay(date, fixedZone(timeZone)), [date, timeZone]);
  // A day of 25 hours takes two windows, since the interface gives 24 hours at most.
  const lastMs = day.nextMidnightMs - 1;
  const splitMs = Math.min(lastMs, day.midnightMs + DAY_MS);
  const first = useQuery({ ...eventsQuery(study?.id ?? '', day.midnightMs, splitMs), enabled: study !== undefined });
  const rest = useQuery({
    ...eventsQuery(study?.id ?? '', splitMs + 1, lastMs),
    enabled: study !== undefined && splitMs < lastMs,
  });
  const subjects = useQuery({ ...subjectsQuery(study?.id ?? ''), enabled: study !== undefined });
  const subjectNames = useMemo(
    () => new Map(subjects.data?.items.map(({ id, displayName }) => [id, displayName])),
    [subjects.data],
  );
  const rows = useMemo(
    () => eventRows([...(first.data?.items ?? []), ...(rest.data?.items ?? [])], subjectNames),
    [first.data, rest.data, subjectNames],
  );
  const type = EVENT_ACTIONS.find((action) => action === search.type) ?? 'all';
  const shown = rows.filter(
    (row) => (type === 'all' || row.action === type) && (!search.subject || row.subjectId === search.subject),
  );
  const set = (change: Partial<typeof search>) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const step = (days: number) => set({ date: addDays(date, days) });
  useCommands([
    { id: 'events.previous', label: t('commands.previousDay'), keys: [','], scope: 'page', run: () => step(-1) },
    { id: 'events.next', label: t('commands.nextDay'), keys: ['.'], scope: 'page', run: () => step(1) },
  ]);

  const columns = useMemo((): Column<EventRow>[] => {
    const time = (id: 'actualTs' | 'reportedTs'): Column<EventRow> => ({
      id,
      header: t(`events.${id}`),
      help: t(`events.${id}Help`),
      value: (row) => row[id],
      cell: (row) => (
        <time dateTime={new Date(row[id]).toISOString()} title={format.dateTime(row[id], timeZone)}>
          {format.moment(row[id], timeZone)}
        </time>
      ),
    });
    return [
      time('reportedTs'),
      time('actualTs'),
      {
        id: 'action',
        header: t('events.type'),
        value: (row) => t(`events.actions.${row.action}`),
        cell: (row) => <span title={row.action}>{t(`events.actions.${row.action}`)}</span>,
      },
      {
        id: 'subject',
        header: t('events.subject'),
        value: (row) => row.subjectName,
        cell: (row) =>
          row.subjectId === undefined ? (
            <Faint>{t('events.wholeStudy')}</Faint>
          ) : (
            <Link
              to="/studies/$studyId/subjects/$subjectId/days"
              params={{ studyId: row.studyId, subjectId: row.subjectId }}
            >
              {row.subjectName}
            </Link>
          ),
      },
      { id: 'reference', header: t('events.reference'), cell: (row) => <Reference row={row} /> },
      {
        id: 'author',
        header: t('events.author'),
        value: (row) => row.author?.displayName,
        cell: (row) => row.author?.displayName ?? <Faint>{t('events.bySite')}</Faint>,
      },
    ];
  }, [t, format, timeZone]);

  return (
    <Page
      title={t('events.title')}
      summary={t('events.help', { zone: timeZone })}
      actions={
        can('study.export', study?.id) &&
        shown.length > 0 && (
          <Button
            icon="download"
            aria-label={t('events.csv')}
            onPress={() =>
              saveText(eventsCsv(shown), fileName(study?.displayName ?? '', date, 'events.csv'), 'text/csv')
            }
          >
            CSV
          </Button>
        )
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
              <div className={styles.tools}>
                <Select
                  isCompact
                  label={t('events.study')}
                  value={study.id}
                  options={all.map(({ id, displayName }) => ({ id, label: displayName }))}
                  onChange={(next) => set({ study: next, subject: undefined })}
                />
                <span className={styles.day}>
                  <IconButton icon="left" label={t('commands.previousDay')} onPress={() => step(-1)} />
                  <Field
                    type="date"
                    label={t('events.day')}
                    value={date}
                    onChange={(next) => {
                      if (/^\d{4}-\d{2}-\d{2}$/.test(next)) set({ date: next });
                    }}
                  />
                  <IconButton
                    icon="right"
                    label={t('commands.nextDay')}
                    isDisabled={date >= today}
                    onPress={() => step(1)}
                  />
                </span>
                <Select
                  isCompact
                  label={t('events.type')}
                  value={type}
                  options={[
                    { id: 'all' as const, label: t('events.allTypes') },
                    ...EVENT_ACTIONS.map((id) => ({ id, label: t(`events.actions.${id}`) })),
                  ]}
                  onChange={(next) => set({ type: next === 'all' ? undefined : next })}
                />
                <Select
                  isCompact
                  label={t('events.subject')}
                  value={search.subject ?? ''}
                  options={[
                    { id: '', label: t('events.allSubjects') },
                    ...(subjects.data?.items ?? []).map(({ id, displayName }) => ({ id, label: displayName })),
                  ]}
                  onChange={(next) => set({ subject: next === '' ? undefined : next })}
                />
              </div>
              <QueryView query={first}>
                {() =>
                  shown.length > 0 ? (
                    <DataTable
                      caption={t('events.title')}
                      rows={shown}
                      columns={columns}
                      rowId={(row) => row.key}
                      initialSort={{ id: 'reportedTs', desc: true }}
                      liveOf={[study.id, date, type, search.subject].join(' ')}
                    />
                  ) : rows.length > 0 ? (
                    <Empty icon="search" title={t('state.noResult')} help={t('events.noResultHelp')}>
                      <Button onPress={() => set({ type: undefined, subject: undefined })}>
                        {t('labels.clearFilter')}
                      </Button>
                    </Empty>
                  ) : (
                    <Empty
                      icon="events"
                      title={t('events.emptyTitle', { date: format.date(date) })}
                      help={t('events.emptyHelp')}
                    >
                      <Button icon="left" onPress={() => step(-1)}>
                        {t('commands.previousDay')}
                      </Button>
                    </Empty>
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
