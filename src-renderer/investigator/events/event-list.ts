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
  /** Row key. Events have no id, so it includes the position in the response. */
  key: string;
  subjectName: string | undefined;
}

export function eventRows(events: readonly StudyEvent[], subjectNames: ReadonlyMap<string, string>): EventRow[] {
  return events.map((event, index) => ({
    ...event,
    key: `${event.reportedTs} ${event.action} ${event.referenceId} ${index}`,
    subjectName: event.subjectId === undefined ? undefined : (subjectNames.get(event.subjectId) ?? event.subjectId),
  }));
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
