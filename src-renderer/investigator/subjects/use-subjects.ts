/** The subjects of several studies as one list. */
import { useQueries } from '@tanstack/react-query';
import type { Study } from '../../../src-server/api/contract/index.ts';
import { subjectsQuery } from '../../shared/api/queries.ts';

/** @param studies undefined until they have loaded; `failed` in the result is one of the reads that failed */
export function useSubjectsOf(studies: readonly Study[] | undefined) {
  return useQueries({
    queries: (studies ?? []).map((study) => subjectsQuery(study.id)),
    combine: (results) => ({
      subjects: results.flatMap((result) => result.data?.items ?? []),
      isPending: results.some((result) => result.isPending),
      failed: results.find((result) => result.error),
    }),
  });
}
