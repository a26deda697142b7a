/** Jobs: list, get, cancel, retry. */
import { OutpostError } from '../../../errors.ts';
import type { JobRow } from '../../../study/jobs.ts';
import { isAllowed } from '../../../study/permissions.ts';
import type { jobRoutes } from '../../contract/resources/jobs.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { readableStudies } from '../../framework/authorize.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type PagedList, readListPage } from '../../framework/paging.ts';
import { importHandler } from './imports.ts';
import { toJob } from './job-record.ts';

const LIST_LIMIT = 500;

const JOB_PAGES: PagedList<JobRow> = {
  name: 'jobs',
  key: ['number', 'string'],
  keyOf: ({ createdTs, id }) => [createdTs, id],
};

export function jobHandlers(deps: ApiDeps): Handlers<typeof jobRoutes> {
  return {
    listJobs: async ({ caller, query, request }) => {
      const readable = (await readableStudies(deps, caller)).map((study) => study.id);
      const studyIds = query.studyId ? readable.filter((id) => id === query.studyId) : readable;
      const { rows, links } = await readListPage(request, JOB_PAGES, query, (keyset = { limit: LIST_LIMIT }) =>
        deps.jobs.list({
          studyIds,
          withSiteJobs: isAllowed(caller.role, 'site.manage') && query.studyId === undefined,
          ...(query.state ? { states: query.state } : {}),
          ...(query.kind && { kind: query.kind }),
          ...keyset,
        }),
      );
      return { items: rows.map(toJob), size: rows.length, ...links };
    },
    getJob: ({ scope }) => toJob(scope.job),
    cancelJob: async ({ scope }) => {
      if (!(await deps.jobs.cancel(scope.job.id))) {
        throw new OutpostError('CONFLICT', 'This job has already ended and cannot be cancelled.');
      }
    },
    retryJob: async ({ scope, caller }) => {
      const record = scope.job.kind === 'archive' ? await deps.store.exports.get(scope.job.id) : undefined;
      if (record?.removed) throw new OutpostError('CONFLICT', 'This export was deleted. Request a new one.');
      const row = await deps.jobs.retry(scope.job.id, changeBy(caller));
      if (row) return toJob(row);
      throw new OutpostError(
        'CONFLICT',
        'This job cannot be retried: it has not failed, or its files are gone. Import the files again.',
      );
    },
    importRecordings: importHandler(deps),
  };
}
