/** The kinds of events, and the public form of an event in the API and in webhooks. */
import type { AuthorType } from './actor.ts';

export type EventAction =
  | 'STUDY_STARTED'
  | 'SUBJECT_CREATED'
  | 'ACTIVITY_COMPLETED'
  | 'DIARY_COMPLETED'
  | 'RECORDING_UPLOADED'
  | 'METRICS_PROCESSED'
  | 'MESSAGE_POSTED'
  | 'STUDY_STOPPED';

/** The author of a message or event; the parent of a user is the account, of a subject the study. */
export interface AuthorRecord {
  id: string;
  displayName: string;
  parentId: string;
  principalType: AuthorType;
}

export interface ShownEvent {
  accountId: string;
  studyId: string;
  subjectId?: string;
  action: EventAction;
  actualTs: number;
  reportedTs: number;
  referenceId: string;
  author?: AuthorRecord;
}

/** Returns the public members of an event: the same record in the event log and in the body of a webhook. */
export function shownEvent({ author, ...event }: ShownEvent): ShownEvent {
  const { accountId, studyId, subjectId, action, actualTs, reportedTs, referenceId } = event;
  return {
    accountId,
    studyId,
    ...(subjectId !== undefined && { subjectId }),
    action,
    actualTs,
    reportedTs,
    referenceId,
    ...(author && {
      author: {
        displayName: author.displayName,
        id: author.id,
        parentId: author.parentId,
        principalType: author.principalType,
      },
    }),
  };
}
