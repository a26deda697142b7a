/** A job on the wire. */
import type { JobRow } from '../../../jobs/types.ts';
import type { Job } from '../../contract/index.ts';

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
