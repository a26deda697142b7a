/** Whom something in a study may be assigned to: everybody who may see the study. */
import type { StudyQueries } from '../db/index.ts';
import { OutpostError } from '../errors.ts';

/** @throws INVALID_INPUT for a user who is disabled or may not see the study */
export async function requireAssignable(studies: StudyQueries, studyId: string, userId: string): Promise<void> {
  const people = await studies.people(studyId);
  if (people.some(({ id }) => id === userId)) return;
  throw new OutpostError('INVALID_INPUT', 'This person may not see the study. Assign somebody who may.', {
    errors: [{ path: 'assigneeId', message: 'must be a user who may see the study' }],
  });
}
