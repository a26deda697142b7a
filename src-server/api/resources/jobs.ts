/** Jobs as the interface shows them: list, get, cancel. */
import { OutpostError } from '../../errors.ts';
import type { JobRow } from '../../jobs/types.ts';
import type { Job } from '../contract/index.ts';
import type { jobRoutes } from '../contract/resources/jobs.ts';
import type { ApiDeps } from '../deps.ts';
import { readableStudies } from '../framework/authorize.ts';
import type { Handlers } from '../framework/mount.ts';
import { importHandler } from './imports.ts';

const LIST_LIMIT = 500;

/** A job row without its payload, which holds paths of this computer. */
export function toJob(row: JobRow): Job {
  const payload: { studyId?: string; subjectId?: string; recordingId?: string } = row.payload;
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    ...(payload.studyId ? { studyId: payload.studyId } : {}),
    ...(payload.subjectId ? { subjectId: payload.subjectId } : {}),
    ...(payload.recordingId ? { recordingId: payload.recordingId } : {}),
    createdTs: row.createdTs,
    ...(row.startedTs === undefined ? {} : { startedTs: row.startedTs }),
    ...(row.finishedTs === undefined ? {} : { finishedTs: row.finishedTs }),
    ...(row.progress
      ? { progress: { done: row.progress.done, total: row.progress.total, step: row.progress.step } }
      : {}),
    ...(row.result ? { result: row.result } : {}),
    ...(row.error
      ? {
          error: {
            code: row.error.code,
            message: row.error.message,
            ...(row.error.errors ? { errors: row.error.errors } : {}),
          },
        }
      : {}),
  };
}

export function jobHandlers(deps: ApiDeps): Handlers<typeof jobRoutes> {
  return {
    listJobs: async ({ caller, query }) => {
      const readable = (await readableStudies(deps, caller)).map((study) => study.id);
      const studyIds = query.studyId ? readable.filter((id) => id === query.studyId) : readable;
      const rows = await deps.jobs.list({
        studyIds,
        ...(query.state ? { states: query.state } : {}),
        limit: LIST_LIMIT,
      });
      return { items: rows.map(toJob), size: rows.length };
    },
    getJob: ({ scope }) => toJob(scope.job),
    cancelJob: async ({ scope }) => {
      if (!(await deps.jobs.cancel(scope.job.id))) {
        throw new OutpostError('CONFLICT', 'This job has ended already; there is nothing left to cancel.');
      }
    },
    importRecordings: importHandler(deps),
  };
}
