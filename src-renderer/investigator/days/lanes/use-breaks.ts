/** Loads the gaps of recordings with unworn time, which may be gaps in the recording instead. */
import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Recording } from '../../../../src-server/api/contract/index.ts';
import { recordingGapsQuery } from '../../../shared/api/queries.ts';
import type { Band } from '../../../shared/charts/bands.ts';
import type { Wear } from './day-data.ts';
import { type Breaks, withUnwornTime } from './recorded.ts';

const breaksOf = (results: UseQueryResult<Breaks, Error>[]) => results.flatMap(({ data }) => data ?? []);

export function useBreaks(
  studyId: string,
  recordings: readonly Recording[],
  wear: readonly Band<Wear>[] | undefined,
): Breaks[] {
  const doubtful = useMemo(() => (wear ? withUnwornTime(recordings, wear) : []), [recordings, wear]);
  return useQueries({ queries: doubtful.map(({ id }) => recordingGapsQuery(studyId, id)), combine: breaksOf });
}
