/** The columns of the event log. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { type Column, Faint } from '../../shared/kit/data-table.tsx';
import { type EventRow, REFERENCES } from './event-list.ts';

/** Links to the page that shows the record an event refers to. */
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

export function useEventColumns(timeZone: string): Column<EventRow>[] {
  const { t, format } = useWords();
  return useMemo(() => {
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
}
