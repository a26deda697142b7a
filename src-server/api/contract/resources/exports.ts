/** Exports of studies: requested, created by a job, kept for a limited time, downloaded from a signed address. */
import { z } from 'zod';
import { count, fieldError, id, idParams, instantParameter, listOf, signedUrl, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { jobProgress } from './jobs.ts';

/** The formats of `study/export-formats.ts` with what each holds; the resource does not compile when the two differ. */
export const EXPORT_FORMAT_DESCRIPTIONS = {
  ARCHIVE: { changes: 'ROWS', text: 'a ZIP of metadata and analytics as CSV' },
  BEATS: {
    changes: null,
    text: 'a ZIP of the heartbeats of every recording: CSV, RR intervals for Kubios HRV, and WFDB annotation files',
  },
  BIDS: {
    changes: null,
    text: 'a ZIP of the recordings as a BIDS dataset: ECG as physio files, acceleration and rotation as Motion-BIDS, labels and tasks as events',
  },
  PARQUET: {
    changes: 'FILES',
    text: 'a ZIP of Parquet files, one per table and subject: daily metrics, channels per minute, variability per five minutes, corrections, and every recording sample by sample',
  },
} as const;
type FormatName = keyof typeof EXPORT_FORMAT_DESCRIPTIONS;
const formats = Object.entries(EXPORT_FORMAT_DESCRIPTIONS);
const format = z.enum(Object.keys(EXPORT_FORMAT_DESCRIPTIONS) as [FormatName, ...FormatName[]]).meta({
  description: `${formats.map(([name, { text }]) => `${name}: ${text}`).join('; ')}.`,
});

const namesOf = (...kinds: (string | null)[]): string =>
  formats.flatMap(([name, { changes }]) => (kinds.includes(changes) ? [name] : [])).join(' and ');
const ofRows = `Supported by ${namesOf('ROWS')} only; other formats are refused (400).`;
const ofAll = `Supported by ${namesOf('ROWS', 'FILES')} only; other formats are refused (400). For ${namesOf('FILES')}, the export holds the files that differ from those of the earlier one, whose file must still be there (409 CONFLICT).`;

/** What every kind of export says about its request, its progress and its file. */
export const exportLife = {
  requestedBy: z
    .strictObject({ id, displayName: z.string() })
    .optional()
    .meta({ description: 'The user who requested it.' }),
  state: z.enum(['WAITING', 'RUNNING', 'READY', 'FAILED', 'CANCELLED', 'REMOVED']),
  progress: jobProgress.optional(),
  error: z.strictObject({ code: z.string(), message: z.string(), errors: z.array(fieldError).optional() }).optional(),
  finishedTs: timestamp.optional(),
  sizeBytes: count.optional(),
  sha256: z.string().optional(),
};

const studyExport = z
  .strictObject({
    id: id.meta({ description: 'Also the id of the job that creates it.' }),
    studyId: id,
    format,
    deidentified: z.boolean(),
    includeFields: z.array(z.string()).optional().meta({
      description: 'De-identified: fields of subjects, added by the study, that the export nevertheless contains.',
    }),
    includeDefinition: z
      .boolean()
      .optional()
      .meta({ description: 'De-identified: whether the export contains names of tasks, questions and choices.' }),
    sinceTs: timestamp.optional().meta({ description: 'The export holds only changes since then.' }),
    sinceExportId: id.optional().meta({ description: 'The export holds only changes since this export.' }),
    subjectIds: z.array(id).optional().meta({ description: 'Absent: all subjects except test subjects.' }),
    requestedTs: timestamp.meta({ description: 'Later data is not included.' }),
    ...exportLife,
    href: z.string().optional().meta({ description: 'Path of the endpoint that returns a signed address.' }),
    removedTs: timestamp.optional(),
    removedBecause: z.enum(['SUPERSEDED', 'EXPIRED', 'SPACE']).optional().meta({
      description: 'Replaced by a newer archive of the study, too old, or removed because the disk was nearly full.',
    }),
  })
  .meta({ id: 'StudyExport' });
export type StudyExport = z.infer<typeof studyExport>;

const exportParams = z.object({ studyId: id, exportId: id });

export const exportRoutes = defineRoutes({
  requestStudyExport: {
    method: 'POST',
    path: '/studies/{studyId}/exports',
    access: 'user',
    operation: 'study.export',
    tag: 'Exports',
    summary: 'Request an export of a study',
    description:
      'A job creates it as of the request. Hidden subjects are included, test subjects never. A de-identified export has codes for ids and names, shifted dates and no free text; its README documents the procedure. Fields that the study added to subjects, including numbers, and the texts of its definition are excluded unless `includeFields` and `includeDefinition` include them. An export since another one holds new and changed data; subjects, de-identification, fields and texts are those of the earlier export. The requester receives an e-mail when it is ready.',
    params: idParams.study,
    body: z.object({
      format,
      deidentified: z
        .boolean()
        .optional()
        .meta({ description: 'Default: false, or the value of the export named by sinceExportId.' }),
      includeFields: z.array(z.string().max(200)).max(1000).optional().meta({
        description:
          'De-identified only: names of fields of subjects whose values are exported as entered. Free-text fields are never exported. Default: none.',
      }),
      includeDefinition: z.boolean().optional().meta({
        description:
          'De-identified only: true exports names of tasks, texts of questions and their choices as written; otherwise codes replace them. Default: false.',
      }),
      sinceTs: instantParameter.optional().meta({
        description: `Only changes since then: epoch milliseconds, or ISO 8601 with an offset. ${ofRows}`,
      }),
      sinceExportId: id
        .optional()
        .meta({ description: `Only changes since this export of the same study and format. ${ofAll}` }),
      subjectIds: z.array(id).min(1).max(10_000).optional().meta({ description: 'Only these subjects.' }),
    }),
    status: 202,
    response: studyExport,
  },
  listStudyExports: {
    method: 'GET',
    path: '/studies/{studyId}/exports',
    access: 'user',
    operation: 'study.export',
    tag: 'Exports',
    summary: 'List exports of a study',
    description: 'The newest 500, without deleted ones.',
    order: ['-requestedTs', '-id'],
    params: idParams.study,
    status: 200,
    response: listOf(studyExport),
  },
  getStudyExport: {
    method: 'GET',
    path: '/studies/{studyId}/exports/{exportId}',
    access: 'user',
    operation: 'study.export',
    tag: 'Exports',
    summary: 'Get an export of a study',
    description: 'Includes its progress while it is created, and its size once its file exists.',
    params: exportParams,
    status: 200,
    response: studyExport,
  },
  getStudyExportFile: {
    method: 'GET',
    path: '/studies/{studyId}/exports/{exportId}/file',
    access: 'user',
    operation: 'study.export',
    tag: 'Exports',
    summary: 'Get a signed address of the file of an export',
    description: 'The address is valid for one hour and needs no credentials.',
    params: exportParams,
    status: 200,
    response: signedUrl,
  },
  deleteStudyExport: {
    method: 'DELETE',
    path: '/studies/{studyId}/exports/{exportId}',
    access: 'user',
    operation: 'study.export',
    tag: 'Exports',
    summary: 'Delete an export of a study',
    description: 'Cancels its job if that is still running, and removes the file.',
    params: exportParams,
    status: 204,
  },
  downloadStudyExport: {
    method: 'GET',
    path: '/files/exports/{exportId}/{fileName}',
    access: 'signed-url',
    tag: 'Exports',
    summary: 'Download the file of an export',
    description:
      'Needs no credentials while the signature is valid. Range requests are supported. A removed file answers 404.',
    params: z.object({ exportId: id, fileName: z.string().min(1).max(200) }),
    query: z.object({ expires: z.string(), signature: z.string() }),
    status: 200,
    media: 'application/octet-stream',
  },
});
