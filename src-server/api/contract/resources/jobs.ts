/** Background jobs: imports, analytics, exports, backups. */
import { z } from 'zod';
import { count, fieldError, id, idParams, repeatedParameter, timestamp } from '../common.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';

const JOB_KINDS = ['import', 'analyse', 'export', 'archive', 'backup', 'verify', 'restore', 'receive'] as const;
const JOB_STATES = ['queued', 'running', 'done', 'failed', 'parked', 'cancelled'] as const;
const JOB_ACTIONS = ['cancel', 'retry'] as const;

export const jobProgress = z.strictObject({
  done: z.number(),
  total: z.number(),
  step: z.string(),
  pace: z
    .strictObject({
      recordingsDone: count,
      recordingsTotal: count,
      samplesPerSecond: count.optional().meta({ description: 'Since the job started or was resumed.' }),
      remainingMs: count.optional().meta({ description: 'How long the remaining samples take at this speed.' }),
    })
    .optional()
    .meta({ description: 'Of exports of samples.' }),
});

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
    progress: jobProgress.optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z
      .strictObject({
        code: z.string(),
        message: z.string(),
        errors: z.array(fieldError).optional(),
        facts: z
          .record(z.string(), z.union([z.string(), z.number()]))
          .optional()
          .meta({ description: 'The variable parts of the sentence, such as file, column and unit.' }),
      })
      .optional(),
    actions: z.array(z.enum(JOB_ACTIONS)).meta({ description: 'Actions possible in the current state.' }),
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
    description: 'Of the studies that the caller may see; at most 500 without `limit`.',
    order: ['-createdTs', '-id'],
    query: z.object({
      state: repeatedParameter(z.enum(JOB_STATES)).optional(),
      kind: z.enum(JOB_KINDS).optional(),
      studyId: id.optional(),
      ...pageQuery,
    }),
    status: 200,
    response: pageOf(job),
  },
  getJob: {
    method: 'GET',
    path: '/jobs/{jobId}',
    access: 'user',
    operation: 'job.read',
    tag: 'Jobs',
    summary: 'Get a job',
    description: 'Includes its progress while it runs, and its result or error once it has ended.',
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
    description: 'A job that has ended is not changed (409).',
    params: idParams.job,
    status: 204,
  },
  retryJob: {
    method: 'POST',
    path: '/jobs/{jobId}/retry',
    access: 'user',
    operation: 'job.retry',
    tag: 'Jobs',
    summary: 'Retry a job that was parked, failed or was cancelled',
    description:
      'The job is queued again with its attempt counts reset. 409 for a failed or cancelled import, whose files are gone (import them again), for a job that is queued, running or done, and for the job of a deleted export.',
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
      'Accepts one or more `file` parts that together form one source: an MC10 ZIP, its CSV files, an EDF, EDF+ or BDF file, or a WFDB record (.hea with the files it names and their annotations). The job fails with UNIT_UNKNOWN when a unit cannot be converted, TIME_IMPLAUSIBLE when times contradict their unit, and ZIP_UNSAFE for a hostile ZIP. The answer comes once the files are durable on disk; the job then reads them.',
    params: idParams.subject,
    bodyKinds: ['multipart'],
    files: { file: { required: true, repeated: true } },
    body: z.object({
      location: z
        .string()
        .min(1)
        .max(60)
        .optional()
        .meta({ description: 'Placement of the sensor, such as MEDIAL_CHEST.' }),
      side: z.string().min(1).max(20).optional(),
      deviceConfigId: id.optional(),
      timeZone: z.string().optional().meta({ description: 'Time zone of the local times in the files.' }),
      startTs: z
        .string()
        .regex(/^\d{1,15}$/, { error: 'must be epoch milliseconds' })
        .optional()
        .meta({ description: 'Start in epoch ms, for files without a date.' }),
      acceptsOverlap: z.enum(['true', 'false']).optional().meta({
        description:
          'Keep both when a stored recording of the same device shares time with the files. Absent: the import fails with CONFLICT and names that recording. A shorter copy of a stored recording is never stored again.',
      }),
      csvMapping: z.string().max(60_000).optional().meta({
        description:
          'A CsvMapping as JSON: how a delimited text is read that no importer knows. Absent: by the template of the study with its header line.',
      }),
    }),
    status: 202,
    response: job,
  },
});
