/** The access log: who signed in, who opened which subject, and what left the site as a file. */
import { z } from 'zod';
import { ACCESS_DETAILS, ACCESS_KINDS, type AccessDetail, type AccessKind } from '../../../vocabulary/access-log.ts';
import { count, id, idParams, instantParameter, link, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const kind = z.enum(ACCESS_KINDS as [AccessKind, ...AccessKind[]]);
const details = [...new Set(Object.values(ACCESS_DETAILS).flat())] as [AccessDetail, ...AccessDetail[]];
const named = z.strictObject({ id, displayName: z.string().optional() });

const accessEntry = z
  .strictObject({
    sequence: z.int().meta({ description: 'Rises with each entry; gaps are entries that were removed.' }),
    timeTs: timestamp,
    lastTs: timestamp.meta({ description: 'Of the last time, when `count` is above 1.' }),
    count: z.int().min(1).meta({ description: 'The same within ten minutes is one entry.' }),
    kind,
    detail: z.enum(details).meta({ description: 'The page that was opened, the way of a sign-in or why it failed.' }),
    user: named.optional().meta({ description: 'Whose access it is. Absent for a name that no user has.' }),
    by: named.optional().meta({ description: 'Who did it to `user`.' }),
    nameHash: z.string().optional().meta({
      description: 'Keyed hash of a name that no user has: equal for the same name. The name itself is not stored.',
    }),
    study: named.optional(),
    subject: named.optional(),
    address: z.string().optional().meta({ description: 'Network address.' }),
  })
  .meta({ id: 'AccessEntry' });
export type AccessEntry = z.infer<typeof accessEntry>;

const accessPage = z
  .strictObject({
    items: z.array(accessEntry),
    size: count,
    links: z.array(link).optional().meta({ description: 'One link `next` to older entries; absent on the last page.' }),
  })
  .meta({ id: 'AccessPage' });

const whole = (maximum: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, { error: 'must be a whole number from 1' })
    .transform(Number)
    .refine((value) => value <= maximum, { error: `must be at most ${maximum}` });

const selection = z.object({
  userId: id.optional(),
  kind: kind.optional(),
  subjectId: id.optional(),
  address: z.string().min(1).max(60).optional().meta({ description: 'An address from its beginning.' }),
  from: instantParameter.optional(),
  to: instantParameter.optional(),
});
const filter = selection.extend({
  before: whole(Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'Only entries with a smaller `sequence`; the cursor of the link `next`.' }),
  limit: whole(500).optional().meta({ description: 'Entries per page, 1 to 500. Default 100.' }),
});

const LIST = 'Always newest first. Filters are combined with AND; follow `links` for older entries.';
const CSV = 'One row per entry, newest first, with ids and present names. The export is an entry of the log itself.';

export const accessLogRoutes = defineRoutes({
  listAccountAccess: {
    method: 'GET',
    path: '/accounts/{accountId}/access',
    access: 'user',
    operation: 'site.manage',
    tag: 'Audit',
    summary: 'List the access log of an account',
    description: LIST,
    params: idParams.account,
    query: filter,
    status: 200,
    response: accessPage,
  },
  listStudyAccess: {
    method: 'GET',
    path: '/studies/{studyId}/access',
    access: 'user',
    operation: 'audit.read',
    tag: 'Audit',
    summary: 'List the access log of a study: who read and took what of it',
    description: LIST,
    params: idParams.study,
    query: filter,
    status: 200,
    response: accessPage,
  },
  exportAccountAccess: {
    method: 'GET',
    path: '/accounts/{accountId}/access/csv',
    access: 'user',
    operation: 'site.manage',
    tag: 'Audit',
    summary: 'Export the access log of an account as CSV',
    description: CSV,
    params: idParams.account,
    query: selection,
    status: 200,
    media: 'text/csv',
  },
  exportStudyAccess: {
    method: 'GET',
    path: '/studies/{studyId}/access/csv',
    access: 'user',
    operation: 'audit.export',
    tag: 'Audit',
    summary: 'Export the access log of a study as CSV',
    description: CSV,
    params: idParams.study,
    query: selection,
    status: 200,
    media: 'text/csv',
  },
});
