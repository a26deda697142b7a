/** Who gets a message that is sent to many subjects. Pure. */
import type { BatchOutcome } from '../vocabulary/message-placeholders.ts';

import type { SubjectStatus } from '../vocabulary/participation.ts';

/** States of participation in which nobody writes to a subject. One who completed may still be written to, to thank for instance. */
const NOT_TAKING_PART: readonly SubjectStatus[] = ['WITHDRAWN', 'NOT_ELIGIBLE'];

/** Returns why a subject gets no message; undefined when it gets one. Test subjects do: they try a text first. */
export function refusalOf(
  subject: { isHidden: boolean; status: SubjectStatus | undefined } | undefined,
): BatchOutcome | undefined {
  if (!subject) return 'NO_SUBJECT';
  if (subject.status && NOT_TAKING_PART.includes(subject.status)) return 'NOT_TAKING_PART';
  return subject.isHidden ? 'HIDDEN' : undefined;
}
