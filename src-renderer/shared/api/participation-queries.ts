/** Status, consent, group and visits of subjects, and the plan of a study, as query options. Keys as in `queries.ts`. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export const participationQuery = (studyId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['participation', studyId, subjectId],
    queryFn: ({ signal }) => client.call('getParticipation', { params: { studyId, subjectId }, signal }),
  });

export const studyPlanQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['participation', studyId, 'plan'],
    queryFn: ({ signal }) => client.call('getStudyPlan', { params: { studyId }, signal }),
  });
