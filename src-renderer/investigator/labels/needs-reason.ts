import { useQuery } from '@tanstack/react-query';
import { studyQuery } from '../../shared/api/queries.ts';

/** Whether labels change only with a reason, because their study is complete. */
export function useNeedsReason(studyId: string): boolean {
  return useQuery(studyQuery(studyId)).data?.lifecycleState === 'COMPLETE';
}
