/** The event log as table rows and as CSV: names beside ids, and the kind of record each event refers to. */
import type { StudyEvent } from '../../../src-server/api/contract/index.ts';
import { csvText } from '../../shared/csv.ts';

export const REFERENCES = {
  STUDY_STARTED: 'study',
  STUDY_STOPPED: 'study',
  SUBJECT_CREATED: 'subject',
  ACTIVITY_COMPLETED: 'annotation',
  DIARY_COMPLETED: 'annotation',
  RECORDING_UPLOADED: 'recording',
  METRICS_PROCESSED: 'recording',
  MESSAGE_POSTED: 'message',
} as const satisfies Record<StudyEvent['action'], string>;

export interface EventRow extends StudyEvent {
  /** Row key. Events have no id, so it includes the position among events that are alike. */
  key: string;
  subjectName: string | undefined;
}

export function eventRows(events: readonly StudyEvent[], subjectNames: ReadonlyMap<string, string>): EventRow[] {
  const alike = new Map<string, number>();
  return events.map((event) => {
    const facts = `${event.reportedTs} ${event.action} ${event.referenceId}`;
    const place = alike.get(facts) ?? 0;
    alike.set(facts, place + 1);
    return {
      ...event,
      key: `${facts} ${place}`,
      subjectName: event.subjectId === undefined ? undefined : (subjectNames.get(event.subjectId) ?? event.subjectId),
    };
  });
}

/** Returns the rows as CSV with times in epoch ms and ISO 8601, independent of the language. */
export function eventsCsv(rows: readonly EventRow[]): string {
  const header = [
    'Action',
    'Subject',
    'SubjectId',
    'Actual Timestamp (ms)',
    'Actual (UTC)',
    'Reported Timestamp (ms)',
    'Reported (UTC)',
    'Reference',
    'ReferenceId',
    'Author',
    'AuthorId',
  ];
  const lines = rows.map((row) => [
    row.action,
    row.subjectName ?? '',
    row.subjectId ?? '',
    row.actualTs,
    new Date(row.actualTs).toISOString(),
    row.reportedTs,
    new Date(row.reportedTs).toISOString(),
    REFERENCES[row.action],
    row.referenceId,
    row.author?.displayName ?? '',
    row.author?.id ?? '',
  ]);
  return csvText(header, lines);
}
