import { queryOptions } from '@tanstack/react-query';
import type { Correction, Recording } from '../../../src-server/api/contract/index.ts';
import { client } from './client.ts';

/** The corrections of a subject that touch a span, in the order of their making. */
export const correctionsBetweenQuery = (studyId: string, subjectId: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['correction', studyId, subjectId, 'between', from, to],
    queryFn: async ({ signal }): Promise<Correction[]> =>
      (await client.call('listCorrections', { params: { studyId, subjectId }, query: { from, to }, signal })).items,
  });

/** All corrections of a recording and those of sleep and wear in its time, in the order of their making. */
export const recordingCorrectionsQuery = ({
  studyId,
  subjectId,
  id,
  recordingStartTs,
  recordingStopTs,
}: Pick<Recording, 'studyId' | 'subjectId' | 'id' | 'recordingStartTs' | 'recordingStopTs'>) =>
  queryOptions({
    queryKey: ['correction', studyId, subjectId, id],
    queryFn: async ({ signal }): Promise<Correction[]> => {
      const params = { studyId, subjectId };
      const query = { from: recordingStartTs, to: recordingStopTs };
      const { items } = await client.call('listCorrections', { params, query, signal });
      return items.filter(({ recordingId }) => recordingId === undefined || recordingId === id);
    },
  });
