/** Electronic signatures of records. */
import { z } from 'zod';
import { SIGNATURE_MEANINGS, SIGNED_KINDS } from '../../../vocabulary/signatures.ts';
import { ROLES } from '../../../vocabulary/study.ts';
import { date, id, idParams, timestamp } from '../common.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const kind = z.enum(SIGNED_KINDS);
const password = z.string().min(1).max(64);

const signature = z
  .strictObject({
    id,
    studyId: id,
    kind,
    targetId: id.meta({ description: 'The study, subject, recording or export.' }),
    subjectId: id.optional(),
    date: date.optional(),
    meaning: z.enum(SIGNATURE_MEANINGS),
    comment: z.string().optional(),
    userId: id,
    signerName: z.string().meta({ description: 'As it was when they signed.' }),
    signerRole: z.enum(ROLES).optional().meta({
      description: 'In the study, as it was when they signed. Absent in signatures of earlier versions.',
    }),
    signedTs: timestamp,
    contentVersion: z.int(),
    contentSha256: sha256,
    state: z.enum(['current', 'changed', 'gone']).meta({
      description:
        '`changed`: the record is another one than was signed. `gone`: it is no longer there, or its file is missing or damaged.',
    }),
  })
  .meta({ id: 'Signature' });
export type Signature = z.infer<typeof signature>;

export const signatureRoutes = defineRoutes({
  listSignatures: {
    method: 'GET',
    path: '/studies/{studyId}/signatures',
    access: 'user',
    operation: 'study.read',
    tag: 'Signatures',
    summary: 'List the electronic signatures of a study or of one record',
    description: 'Newest first, all or in pages. Each is compared with the present content of its record.',
    order: ['-signedTs', '-id'],
    params: idParams.study,
    query: z.object({
      kind: kind.optional(),
      targetId: id.optional(),
      subjectId: id.optional(),
      date: date.optional(),
      ...pageQuery,
    }),
    status: 200,
    response: pageOf(signature),
  },
  getSignableContent: {
    method: 'GET',
    path: '/studies/{studyId}/signatures/content',
    access: 'user',
    operation: 'study.read',
    tag: 'Signatures',
    summary: 'Get the hash of the present content of a record, which a signature has to name',
    description:
      'Computed from the record as it is now; 404 when there is nothing to sign, 409 when it is not finished.',
    params: idParams.study,
    query: z.object({ kind, targetId: id, date: date.optional() }),
    errorStatuses: [409],
    status: 200,
    response: z.strictObject({ contentVersion: z.int(), contentSha256: sha256 }),
  },
  signRecord: {
    method: 'POST',
    path: '/studies/{studyId}/signatures',
    access: 'user',
    operation: 'record.sign',
    tag: 'Signatures',
    summary: 'Sign a record electronically',
    description:
      'The password of the caller is asked again and throttled as a sign-in; a wrong one is audited. 409 when the record is another one than `contentSha256` names. Signatures cannot be changed or removed.',
    params: idParams.study,
    body: z.object({
      kind: z.enum(SIGNED_KINDS).exclude(['study-lock']),
      targetId: id,
      date: date.optional(),
      meaning: z.enum(SIGNATURE_MEANINGS).exclude(['LOCKED']),
      comment: z.string().trim().min(1).max(1000).optional(),
      contentSha256: sha256,
      password,
    }),
    errorStatuses: [409, 429],
    status: 201,
    response: z.strictObject({ id }).meta({ id: 'SignatureCreated' }),
  },
});
