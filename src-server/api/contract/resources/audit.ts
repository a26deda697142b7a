/** The audit log: who changed what, when and why. */
import { z } from 'zod';
import { count, diagnostic, id, idParams, instantParameter, link, signedUrl, timestamp } from '../common.ts';
import { withFormerNames } from '../former-names.ts';
import { defineRoutes } from '../route.ts';

const auditEntry = z
  .strictObject(
    withFormerNames({
      sequence: z.int().meta({ description: 'Position in the audit chain of the site.' }),
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
              'The current name of the record, or the last name of a deleted one. For a recording, its sensor.',
          }),
          code: z.string().optional().meta({ description: 'The format of an export or the kind of a job.' }),
          startTs: timestamp.optional().meta({ description: 'When the record begins or was created.' }),
          isGone: z.literal(true).optional().meta({ description: 'The record was deleted.' }),
        })
        .optional()
        .meta({ description: 'The record that the entry is about, by its display name. Absent when it has none.' }),
      studyId: id.optional(),
      studyName: z.string().optional(),
      subjectId: id.optional(),
      subjectName: z.string().optional(),
      reason: z.string().optional(),
      diagnostic: diagnostic
        .optional()
        .meta({ description: '`reason` with its code, when the site itself stated it.' }),
      changes: z
        .array(
          z.strictObject({
            field: z.string(),
            old: z.unknown().optional(),
            new: z.unknown().optional(),
            oldName: z.string().optional().meta({ description: 'Name of the subject or user that `old` identifies.' }),
            newName: z.string().optional().meta({ description: 'Name of the subject or user that `new` identifies.' }),
          }),
        )
        .meta({
          description: 'In the order of the field names. `old` or `new` is absent where the field had or has no value.',
        }),
      hash: z.string().meta({ description: 'Hash of this entry and all earlier ones.' }),
      erasedBy: z.int().optional().meta({
        description:
          'The entry lost its content when a person was erased: `sequence` of the entry that says so. `entityId` may be empty then.',
      }),
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
  userId: id.optional().meta({ description: 'The user who made the change.' }),
  entityType: z.string().min(1).max(40).optional(),
  entityId: z.string().min(1).max(200).optional().meta({ description: 'History of one record, with `entityType`.' }),
  from: instantParameter.optional(),
  to: instantParameter.optional(),
  before: whole(Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'Only entries with a smaller `sequence`; the cursor of the link `next`.' }),
  limit: whole(500).optional().meta({ description: 'Entries per page, 1 to 500. Default 100.' }),
});

const selection = z.object({
  subjectId: id.optional(),
  userId: id.optional().meta({ description: 'The user who made the changes.' }),
  entityType: z.string().min(1).max(40).optional(),
  entityId: z.string().min(1).max(200).optional().meta({ description: 'One record, with `entityType`.' }),
  from: z.int().optional().meta({ description: 'Epoch milliseconds, UTC. Inclusive.' }),
  to: z.int().optional().meta({ description: 'Epoch milliseconds, UTC. Inclusive.' }),
});

const auditExport = signedUrl
  .extend({
    rows: count.meta({ description: 'Rows of the export.' }),
    closingHash: z.string().meta({
      description:
        'Of the whole trail, the hash of its last entry; of a selection, one over all its rows. Keep it apart from the file: it shows that no rows were removed at the end.',
    }),
    upToSequence: count.meta({ description: 'The last entry of the chain at the export.' }),
    isWhole: z.boolean().meta({ description: 'Whether it holds every entry of the site.' }),
  })
  .meta({ id: 'AuditExport' });
export type AuditExport = z.infer<typeof auditExport>;

const EXPORT_DESCRIPTION =
  'Makes a ZIP with the entries as CSV and a Python program that verifies them without Outpost. The export is recorded in the audit log with its closing hash. The address is valid for one hour and needs no credentials.';

export const auditRoutes = defineRoutes({
  listStudyAudit: {
    method: 'GET',
    path: '/studies/{studyId}/audit',
    access: 'user',
    operation: 'audit.read',
    tag: 'Audit',
    summary: 'List the audit log of a study, of a subject or of one record',
    description: 'Always newest first. Filters are combined with AND; follow `links` for older entries.',
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
    summary: 'List the audit log of an account: its studies, users, equipment and the site',
    description: 'Always newest first. Filters are combined with AND; follow `links` for older entries.',
    params: idParams.account,
    query: filter,
    status: 200,
    response: auditPage,
  },
  exportStudyAudit: {
    method: 'POST',
    path: '/studies/{studyId}/audit/exports',
    access: 'user',
    operation: 'audit.export',
    tag: 'Audit',
    summary: 'Export the audit log of a study, of a subject or of one record, for verification elsewhere',
    description: EXPORT_DESCRIPTION,
    params: idParams.study,
    body: selection,
    status: 200,
    response: auditExport,
  },
  exportAccountAudit: {
    method: 'POST',
    path: '/accounts/{accountId}/audit/exports',
    access: 'user',
    operation: 'site.manage',
    tag: 'Audit',
    summary: 'Export the audit log of an account, for verification elsewhere',
    description: `${EXPORT_DESCRIPTION} Without a filter, and unless the site holds several accounts, it is the whole log.`,
    params: idParams.account,
    body: selection,
    status: 200,
    response: auditExport,
  },
  downloadAuditExport: {
    method: 'GET',
    path: '/files/audit/{auditExportId}/audit.zip',
    access: 'signed-url',
    tag: 'Audit',
    summary: 'Download an export of the audit log',
    description: 'Needs no credentials while the signature is valid.',
    params: z.object({ auditExportId: id }),
    query: z.object({ expires: z.string(), signature: z.string() }),
    status: 200,
    media: 'application/zip',
  },
});
