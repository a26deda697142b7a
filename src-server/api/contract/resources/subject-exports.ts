/** Copies of everything that the site holds on one subject, for the subject (GDPR 15 and 20). Created, kept and downloaded as exports of studies. */
import { z } from 'zod';
import { id, idParams, listOf, signedUrl, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { exportLife } from './exports.ts';

const subjectExport = z
  .strictObject({
    id: id.meta({ description: 'Also the id of the job that creates it.' }),
    studyId: id,
    subjectId: id,
    requestedTs: timestamp,
    ...exportLife,
    removedTs: timestamp.optional(),
    removedBecause: z.enum(['SUPERSEDED', 'EXPIRED', 'SPACE']).optional().meta({
      description: 'Too old, or removed because the disk was nearly full.',
    }),
  })
  .meta({ id: 'SubjectExport' });
export type SubjectExport = z.infer<typeof subjectExport>;

const exportParams = z.object({ studyId: id, subjectId: id, exportId: id });
const PATH = '/studies/{studyId}/subjects/{subjectId}/exports';

export const subjectExportRoutes = defineRoutes({
  requestSubjectExport: {
    method: 'POST',
    path: PATH,
    access: 'user',
    operation: 'subject.copy',
    tag: 'Subjects',
    summary: "Request a subject's own copy of the data about them",
    description:
      'A job creates a ZIP of everything that the site holds on the subject: a cover in plain English and Japanese, the records as JSON, metrics as CSV, recordings as EDF+ (BDF+ where samples need more bits) and as stored. Other subjects are withheld from it. It is kept for 30 days, and an erasure of the subject removes it. The requester receives an e-mail when it is ready.',
    params: idParams.subject,
    status: 202,
    response: subjectExport,
  },
  listSubjectExports: {
    method: 'GET',
    path: PATH,
    access: 'user',
    operation: 'subject.copy',
    tag: 'Subjects',
    summary: 'List the copies that were requested for a subject',
    description: 'The newest 500, without deleted ones. `listStudyExports` does not list them.',
    order: ['-requestedTs', '-id'],
    params: idParams.subject,
    status: 200,
    response: listOf(subjectExport),
  },
  getSubjectExportFile: {
    method: 'GET',
    path: `${PATH}/{exportId}/file`,
    access: 'user',
    operation: 'subject.copy',
    tag: 'Subjects',
    summary: "Get a signed address of a subject's own copy",
    description: 'The address is valid for one hour, needs no credentials and supports range requests.',
    params: exportParams,
    status: 200,
    response: signedUrl,
  },
  deleteSubjectExport: {
    method: 'DELETE',
    path: `${PATH}/{exportId}`,
    access: 'user',
    operation: 'subject.copy',
    tag: 'Subjects',
    summary: "Delete a subject's own copy",
    description: 'Cancels its job if that is still running, and removes the file.',
    params: exportParams,
    status: 204,
  },
});
