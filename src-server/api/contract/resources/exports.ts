/** Exports of studies: asked for, made by a job, kept for a while, fetched by a signed address. */
import { z } from 'zod';
import { count, fieldError, id, idParams, instantParameter, listOf, signedUrl, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

/** The formats of `study/export-formats.ts` with what each holds; the resource does not compile when the two differ. */
export const EXPORT_FORMAT_DESCRIPTIONS = {
  ARCHIVE: { isIncremental: true, text: 'a ZIP of metadata and analytics as CSV' },
  BIDS: {
    isIncremental: false,
    text: 'a ZIP of the recordings as a BIDS dataset: ECG as physio files, acceleration and rotation as Motion-BIDS, labels and tasks as events',
  },
  PARQUET: {
    isIncremental: false,
    text: 'a ZIP of Parquet files: daily metrics, channels per minute, and every recording sample by sample',
  },
} as const;
type FormatName = keyof typeof EXPORT_FORMAT_DESCRIPTIONS;
const formats = Object.entries(EXPORT_FORMAT_DESCRIPTIONS);
const format = z.enum(Object.keys(EXPORT_FORMAT_DESCRIPTIONS) as [FormatName, ...FormatName[]]).meta({
  description: `${formats.map(([name, { text }]) => `${name}: ${text}`).join('; ')}.`,
});

const incrementalNames = formats.flatMap(([name, { isIncremental }]) => (isIncremental ? [name] : []));
const incremental = `Only ${incrementalNames.join(', ')} can hold only what changed; every other format is refused with it (400).`;

const studyExport = z
  .strictObject({
    id: id.meta({ description: 'Also the id of the job that makes it.' }),
    studyId: id,
    format,
    deidentified: z.boolean(),
    includeFields: z
      .array(z.string())
      .optional()
      .meta({ description: 'De-identified: fields of subjects that the study added and that are in it all the same.' }),
    includeDefinition: z
      .boolean()
      .optional()
      .meta({ description: 'De-identified: whether names of tasks, questions and choices are in it.' }),
    sinceTs: timestamp.optional().meta({ description: 'It holds only what changed since then.' }),
    sinceExportId: id.optional().meta({ description: 'It holds only what changed since this export.' }),
    subjectIds: z.array(id).optional().meta({ description: 'Absent: every subject but test subjects.' }),
    requestedTs: timestamp.meta({ description: 'What came later is not in it.' }),
    requestedBy: z
      .strictObject({ id, displayName: z.string() })
      .optional()
      .meta({ description: 'The user who asked for it.' }),
    state: z.enum(['WAITING', 'RUNNING', 'READY', 'FAILED', 'CANCELLED', 'REMOVED']),
    progress: z.strictObject({ done: z.number(), total: z.number(), step: z.string() }).optional(),
    error: z.strictObject({ code: z.string(), message: z.string(), errors: z.array(fieldError).optional() }).optional(),
    finishedTs: timestamp.optional(),
    sizeBytes: count.optional(),
    sha256: z.string().optional(),
    href: z.string().optional().meta({ description: 'Address of the interface that answers a signed address.' }),
    removedTs: timestamp.optional(),
    removedBecause: z
      .enum(['SUPERSEDED', 'EXPIRED', 'SPACE'])
      .optional()
      .meta({ description: 'A newer archive of the study, its age, or a disk that was nearly full.' }),
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
      'A job makes it as of the request. Test subjects are never in it, hidden subjects are. A de-identified export has codes for ids and names, dates that are moved, and no free text; its README says what was done. Fields that the study added to subjects, numbers as well, and the words of its definition are not in it unless `includeFields` and `includeDefinition` say so. An export since another one holds what is new or changed; what it was asked for (subjects, de-identified or not, fields and words) is taken over from that one. The requester is written to when it is ready.',
    params: idParams.study,
    body: z.object({
      format,
      deidentified: z
        .boolean()
        .optional()
        .meta({ description: 'Default: false, or as the export named by sinceExportId.' }),
      includeFields: z.array(z.string().max(200)).max(1000).optional().meta({
        description:
          'De-identified only: names of fields of subjects whose values leave as they were entered. Fields of free text never leave. Default: none.',
      }),
      includeDefinition: z.boolean().optional().meta({
        description:
          'De-identified only: true lets names of tasks, texts of questions and their choices leave as the study wrote them; else codes stand for them. Default: false.',
      }),
      sinceTs: instantParameter.optional().meta({
        description: `Only what changed since then: epoch milliseconds, or ISO 8601 with an offset. ${incremental}`,
      }),
      sinceExportId: id
        .optional()
        .meta({ description: `Only what changed since this export of the same study and format. ${incremental}` }),
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
    description: 'The newest 500, without those that were deleted.',
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
    description: 'With its progress while it is made, and its size once its file is there.',
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
    description: 'The address is good for an hour and needs no credentials.',
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
    description: 'Cancels its job if that still works, and removes the file.',
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
      'Answers without credentials while the signature holds. Range requests are served. A file that was removed answers 404.',
    params: z.object({ exportId: id, fileName: z.string().min(1).max(200) }),
    query: z.object({ expires: z.string(), signature: z.string() }),
    status: 200,
    media: 'application/octet-stream',
  },
});
