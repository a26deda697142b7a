/** Long work: imports, analytics, exports. */
import { z } from 'zod';
import { fieldError, id, idParams, listOf, repeatedParameter, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const JOB_KINDS = ['import', 'analyse', 'export', 'archive', 'backup', 'verify', 'receive'] as const;
const JOB_STATES = ['queued', 'running', 'done', 'failed', 'parked', 'cancelled'] as const;
const JOB_ACTIONS = ['cancel', 'retry'] as const;

export const job = z
  .strictObject({
    id,
    kind: z.enum(JOB_KINDS),
    state: z.enum(JOB_STATES),
    studyId: id.optional(),
    subjectId: id.optional(),
    recordingId: id.optional(),
    createdTs: timestamp,
    startedTs: timestamp.optional(),
    finishedTs: timestamp.optional(),
    progress: z.strictObject({ done: z.number(), total: z.number(), step: z.string() }).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z
      .strictObject({
        code: z.string(),
        message: z.string(),
        errors: z.array(fieldError).optional(),
        facts: z
          .record(z.string(), z.union([z.string(), z.number()]))
          .optional()
          .meta({ description: 'What the sentence of this code names, such as the file, the column and its unit.' }),
      })
      .optional(),
    actions: z.array(z.enum(JOB_ACTIONS)).meta({ description: 'What can be done with it in this state.' }),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof job>;

export const jobRoutes = defineRoutes({
  listJobs: {
    method: 'GET',
    path: '/jobs',
    access: 'user',
    operation: 'job.read',
    tag: 'Jobs',
    summary: 'List jobs of the account',
    description: 'At most 500 of the studies that the caller may see.',
    order: ['-createdTs', '-id'],
    query: z.object({ state: repeatedParameter(z.enum(JOB_STATES)).optional(), studyId: id.optional() }),
    status: 200,
    response: listOf(job),
  },
  getJob: {
    method: 'GET',
    path: '/jobs/{jobId}',
    access: 'user',
    operation: 'job.read',
    tag: 'Jobs',
    summary: 'Get a job',
    description: 'With its progress while it runs, and its result or error once it has ended.',
    params: idParams.job,
    status: 200,
    response: job,
  },
  cancelJob: {
    method: 'DELETE',
    path: '/jobs/{jobId}',
    access: 'user',
    operation: 'job.cancel',
    tag: 'Jobs',
    summary: 'Cancel a job',
    description: 'A job that has ended stays as it is (409).',
    params: idParams.job,
    status: 204,
  },
  retryJob: {
    method: 'POST',
    path: '/jobs/{jobId}/retry',
    access: 'user',
    operation: 'job.retry',
    tag: 'Jobs',
    summary: 'Try a job again that was set aside, has failed or was cancelled',
    description:
      'It waits again, with its counts of attempts at nothing. An import that failed or was cancelled is 409, as its files are gone: give them in anew. So is a job that waits, runs or is done, and the job of an export that was deleted.',
    params: idParams.job,
    status: 202,
    response: job,
  },
  importRecordings: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/imports',
    access: 'user',
    operation: 'recording.import',
    tag: 'Recordings',
    summary: 'Import recordings from files',
    description:
      'Takes one or more `file` parts that together are one source: an MC10 ZIP, its CSV files, an EDF, EDF+ or BDF file, or a WFDB record (.hea with the files it names and their annotations). Units that cannot be converted end the job with UNIT_UNKNOWN, times that contradict their unit with TIME_IMPLAUSIBLE, hostile ZIPs with ZIP_UNSAFE. Answers when the files are safe on disk; the job reads them.',
    params: idParams.subject,
    bodyKinds: ['multipart'],
    files: { file: { required: true, repeated: true } },
    body: z.object({
      location: z.string().min(1).max(60).optional().meta({ description: 'Where it was worn, such as MEDIAL_CHEST.' }),
      side: z.string().min(1).max(20).optional(),
      deviceConfigId: id.optional(),
      timeZone: z.string().optional().meta({ description: 'Zone of the wall-clock times in the files.' }),
      startTs: z
        .string()
        .regex(/^\d{1,15}$/, { error: 'must be epoch milliseconds' })
        .optional()
        .meta({ description: 'Epoch ms of the start, for files that carry no date.' }),
    }),
    status: 202,
    response: job,
  },
});
