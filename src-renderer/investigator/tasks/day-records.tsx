/** The recordings, faults and messages of a subject's day, for reference during a call with the subject. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { everHeldQuery } from '../../shared/api/equipment-queries.ts';
import { useLongList } from '../../shared/api/long-list.ts';
import { messagePagesQuery } from '../../shared/api/message-queries.ts';
import { type DeskSubject, recordingsBetweenQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useMoreAtEnd } from '../../shared/kit/more-rows.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { localDay, zoneAt } from '../../shared/time/local-day.ts';
import { useFaultName } from '../coverage/words.ts';
import { dayMarks } from '../days/lanes/day-marks.ts';
import { usePlacement } from '../recordings/sensor-words.ts';
import styles from './tasks.module.css';

/** The records of one kind in the order of the day, or a sentence when there are none. */
function Records({ title, none, children }: { title: string; none: string; children: ReactNode[] }) {
  return (
    <section className={styles.records} aria-label={title}>
      <h3>{title}</h3>
      {children.length > 0 ? <ul>{children}</ul> : <p>{none}</p>}
    </section>
  );
}

export function DayRecords({ subject, date }: { subject: DeskSubject; date: string }) {
  const { t, format } = useWords();
  const { studyId, id: subjectId, timezones } = subject;
  const placement = usePlacement();
  const faultName = useFaultName();
  const messages = useLongList(messagePagesQuery(studyId, subjectId));
  const equipment = useQuery(everHeldQuery(studyId, subjectId));
  const day = useMemo(() => {
    const { midnightMs, nextMidnightMs } = localDay(date, timezones);
    return { startMs: midnightMs, stopMs: nextMidnightMs };
  }, [date, timezones]);
  // Messages are read from the newest back to this day.
  const oldestTs = messages.items.at(-1)?.createdTs;
  const isAfterDay = oldestTs !== undefined && oldestTs >= day.startMs;
  useMoreAtEnd(messages, isAfterDay);
  const { moreError, more, query } = messages;
  // Not known before its messages have been read.
  const messagesOfDay = {
    ...query,
    data: isAfterDay && messages.hasMore ? undefined : query.data,
    ...(moreError && { error: moreError, refetch: more }),
  };
  const recordings = useQuery(recordingsBetweenQuery(studyId, subjectId, day.startMs, day.stopMs));
  // Show the local time of where the subject was.
  const clockAt = (ms: number) => format.clock(ms, zoneAt(ms, timezones));
  const dateTimeAt = (ms: number) => format.dateTime(ms, zoneAt(ms, timezones));
  const clock = (ms: number) => (
    <time dateTime={new Date(ms).toISOString()} title={dateTimeAt(ms)}>
      {clockAt(ms)}
    </time>
  );
  const params = { studyId, subjectId };
  return (
    <>
      <QueryView query={recordings} skeleton={null}>
        {({ items }) => (
          <Records title={t('tasks.recordings')} none={t('tasks.noRecording')}>
            {items
              .filter((one) => one.recordingStartTs < day.stopMs && one.recordingStopTs > day.startMs)
              .map(({ id, recordingStartTs, recordingStopTs, physicalConfig }) => {
                const startMs = Math.max(recordingStartTs, day.startMs);
                const stopMs = Math.min(recordingStopTs, day.stopMs);
                return (
                  <li key={id}>
                    <span title={dateTimeAt(startMs)}>
                      {t('table.range', { low: clockAt(startMs), high: clockAt(stopMs) })}
                    </span>
                    <Link
                      to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId"
                      params={{ ...params, recordingId: id }}
                      search={{ at: startMs }}
                    >
                      {placement(physicalConfig)}
                    </Link>
                    <small>{format.duration((stopMs - startMs) / 1000)}</small>
                  </li>
                );
              })}
          </Records>
        )}
      </QueryView>
      <QueryView query={equipment} skeleton={null}>
        {({ items }) => (
          <Records title={t('tasks.faults')} none={t('tasks.noFault')}>
            {dayMarks([], [...items, ...(recordings.data?.items ?? []).map(({ faults }) => ({ faults }))], day).map(
              (fault) => (
                <li key={fault.id}>
                  {clock(fault.startMs)}
                  <span>{faultName(fault.name)}</span>
                  <small>{fault.detail}</small>
                </li>
              ),
            )}
          </Records>
        )}
      </QueryView>
      <QueryView query={messagesOfDay} skeleton={null}>
        {(items) => (
          <Records title={t('tasks.messages')} none={t('tasks.noMessage')}>
            {items
              .filter(({ createdTs }) => createdTs >= day.startMs && createdTs < day.stopMs)
              .sort((a, b) => a.createdTs - b.createdTs)
              .map((message) => (
                <li key={message.id}>
                  {clock(message.createdTs)}
                  <Link to="/studies/$studyId/subjects/$subjectId/messages" params={params}>
                    {message.author.displayName}
                  </Link>
                  <p>{message.body || t('tasks.picture')}</p>
                </li>
              ))}
          </Records>
        )}
      </QueryView>
    </>
  );
}
