/** The audit: who changed what, when and why. */
import { z } from 'zod';
import { count, diagnostic, id, idParams, instantParameter, link, timestamp } from '../common.ts';
import { withFormerNames } from '../former-names.ts';
import { defineRoutes } from '../route.ts';

const auditEntry = z
  .strictObject(
    withFormerNames({
      sequence: z.int().meta({ description: 'Place in the one chain of the site.' }),
      timeTs: timestamp,
      actor: z.strictObject({
        type: z.enum(['USER', 'SUBJECT', 'DEVICE', 'SYSTEM']),
        id: id.optional(),
        displayName: z.string().optional(),
      }),
      action: z.string().meta({ description: 'Such as `subject.update`.' }),
      entityType: z.string(),
      entityId: z.string(),
      entity: z
        .strictObject({
          displayName: z.string().optional().meta({
            description:
              'The present name of the record; of one that was deleted, the last one. Of a recording, its sensor.',
          }),
          code: z.string().optional().meta({ description: 'Format of an export, kind of a job.' }),
          startTs: timestamp.optional().meta({ description: 'When it begins or was made.' }),
          isGone: z.literal(true).optional().meta({ description: 'The record was deleted.' }),
        })
        .optional()
        .meta({ description: 'What the entry is about, as people call it; absent where there is no name.' }),
      studyId: id.optional(),
      studyName: z.string().optional(),
      subjectId: id.optional(),
      subjectName: z.string().optional(),
      reason: z.string().optional(),
      diagnostic: diagnostic.optional().meta({ description: '`reason` with its code, when the site itself gave it.' }),
      changes: z
        .array(
          z.strictObject({
            field: z.string(),
            old: z.unknown().optional(),
            new: z.unknown().optional(),
            oldName: z.string().optional().meta({ description: 'Name of the subject or user whose id `old` is.' }),
            newName: z.string().optional().meta({ description: 'Name of the subject or user whose id `new` is.' }),
          }),
        )
        .meta({ description: 'In the order of the field names. A member that was or is nothing is absent.' }),
      hash: z.string().meta({ description: 'Of this entry and all before it.' }),
    }),
  )
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntry>;

const auditPage = z
  .strictObject({
    items: z.array(auditEntry),
    size: count,
    links: z.array(link).optional().meta({ description: 'One link `next` to older entries; absent on the last page.' }),
  })
  .meta({ id: 'AuditPage' });

const whole = (maximum: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, { error: 'must be a whole number from 1' })
    .transform(Number)
    .refine((value) => value <= maximum, { error: `must be at most ${maximum}` });

const filter = z.object({
  subjectId: id.optional(),
  userId: id.optional().meta({ description: 'Who did it.' }),
  entityType: z.string().min(1).max(40).optional(),
  entityId: z.string().min(1).max(200).optional().meta({ description: 'History of one record, with `entityType`.' }),
  from: instantParameter.optional(),
  to: instantParameter.optional(),
  before: whole(Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'Only entries with a smaller `sequence`: the cursor of the link `next`.' }),
  limit: whole(500).optional().meta({ description: 'Entries of a page, 1 to 500; default 100.' }),
});

export const auditRoutes = defineRoutes({
  listStudyAudit: {
    method: 'GET',
    path: '/studies/{studyId}/audit',
    access: 'user',
    operation: 'audit.read',
    tag: 'Audit',
    summary: 'Audit of a study, of a subject or of one record',
    description: 'Newest first, always. Filters narrow it together; follow `links` for older entries.',
    params: idParams.study,
    query: filter,
    status: 200,
    response: auditPage,
  },
  listAccountAudit: {
    method: 'GET',
    path: '/accounts/{accountId}/audit',
    access: 'user',
    operation: 'site.manage',
    tag: 'Audit',
    summary: 'Audit of all studies of an account, its users, its equipment and the site',
    description: 'Newest first, always. Filters narrow it together; follow `links` for older entries.',
    params: idParams.account,
    query: filter,
    status: 200,
    response: auditPage,
  },
});
