/** The name of the subject of a recording; undefined while it is not known. */
import { useQuery } from '@tanstack/react-query';
import type { Transfer } from '../../../../src-server/api/contract/index.ts';
import { subjectsQuery } from '../../../shared/api/queries.ts';

export function useSubjectName({
  studyId = '',
  subjectId,
}: Pick<Transfer, 'studyId' | 'subjectId'>): string | undefined {
  const query = subjectsQuery(studyId);
  const subjects = useQuery({ ...query, enabled: studyId !== '' });
  return subjects.data?.items.find(({ id }) => id === subjectId)?.displayName;
}
