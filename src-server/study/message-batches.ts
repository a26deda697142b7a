/** Who gets a message that is sent to many subjects. Pure. */
import type { BatchOutcome } from '../vocabulary/message-placeholders.ts';

/** States of participation in which nobody writes to a subject. */
const NOT_TAKING_PART: readonly string[] = ['WITHDRAWN', 'NOT_ELIGIBLE'];

/** Returns why a subject gets no message; undefined when it gets one. Test subjects do: they try a text first. */
export function refusalOf(subject: { isHidden: boolean; status?: string } | undefined): BatchOutcome | undefined {
  if (!subject) return 'NO_SUBJECT';
  if (subject.status !== undefined && NOT_TAKING_PART.includes(subject.status)) return 'NOT_TAKING_PART';
  return subject.isHidden ? 'HIDDEN' : undefined;
}
