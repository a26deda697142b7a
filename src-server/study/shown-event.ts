/** An event as the interface shows it: the same record in the event log and in the body of a webhook. */
import type { StudyEvent } from '../api/contract/index.ts';
import type { EventRecord } from '../db/index.ts';

export function shownEvent(event: EventRecord): StudyEvent {
  const { author } = event;
  return {
    accountId: event.accountId,
    studyId: event.studyId,
    ...(event.subjectId === undefined ? {} : { subjectId: event.subjectId }),
    action: event.action,
    actualTs: event.actualTs,
    reportedTs: event.reportedTs,
    referenceId: event.referenceId,
    ...(author
      ? {
          author: {
            displayName: author.displayName,
            id: author.id,
            parentId: author.parentId,
            principalType: author.principalType,
          },
        }
      : {}),
  };
}
