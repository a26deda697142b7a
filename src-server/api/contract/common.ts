/** Schemas that every resource uses: ids, times, dates, lists, create answers, errors. */
import { z } from 'zod';
import { isShownAsWritten, NAME_WITH_UNSEEN } from '../../vocabulary/shown-text.ts';

export const id = z.string().min(1).max(64).meta({ description: 'UUID of the record.' });
/** A name that lists, exports and other people show; spaces at its ends are dropped. */
export const nameText = (longest: number) =>
  z.string().trim().min(1).max(longest).refine(isShownAsWritten, { error: NAME_WITH_UNSEEN });

/** Epoch milliseconds, UTC. */
export const timestamp = z.int().meta({ description: 'Epoch milliseconds, UTC.' });
export const count = z.int().min(0);
export const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .meta({ description: 'Local date, YYYY-MM-DD.' });

/** Bounds of a list of local dates, both inclusive and optional. */
export const dateWindow = z.object({
  fromDate: date.optional().meta({ description: 'First local date, YYYY-MM-DD. Default: no bound.' }),
  toDate: date.optional().meta({ description: 'Last local date, YYYY-MM-DD. Default: no bound.' }),
});

const INTEGER = /^-?\d{1,15}$/;
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;
const LAST_INSTANT_MS = 8.64e15;

/** Epoch milliseconds of a `from` or `to`; undefined when it is neither an integer nor ISO 8601 with an offset. */
function parseInstant(value: number | string): number | undefined {
  if (typeof value === 'number') return Math.abs(value) <= LAST_INSTANT_MS ? value : undefined;
  if (INTEGER.test(value)) return Number(value);
  // An unescaped plus sign arrives as a space.
  const text = value.replace(' ', '+');
  if (!ISO.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** A `from` or `to` of a query: integer epoch ms, or ISO 8601 with an offset. */
export const instantParameter = z
  .union([z.int(), z.string()], { error: 'must be given once, as epoch milliseconds or as ISO 8601 with an offset' })
  .transform((value, context) => {
    const ms = parseInstant(value);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: 'must be epoch milliseconds or ISO 8601 with an offset' });
    return z.NEVER;
  })
  .meta({ description: 'Epoch milliseconds, or ISO 8601 with an offset. Inclusive.' });

/** A boolean of a query: `true` or `false`. */
export const booleanParameter = z
  .union([z.boolean(), z.enum(['true', 'false'])], { error: 'must be true or false' })
  .transform((value) => value === true || value === 'true');

/** A parameter that may be repeated: `type=a&type=b`. */
export function repeatedParameter<T extends z.ZodType>(item: T) {
  return z.union([z.array(item), item.transform((one) => [one])]);
}

/** Every list but Get Studies: `{items, size}`. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.strictObject({ items: z.array(item), size: count });
}

export const link = z.strictObject({ href: z.string(), rel: z.string() }).meta({ id: 'Link' });

/** Answer of every create; the link's path answers under `/api`. */
export const created = z.strictObject({ id, links: z.array(link) }).meta({ id: 'Created' });
export type Created = z.infer<typeof created>;

export const fieldError = z
  .strictObject({
    path: z.string().meta({ description: 'Dotted path of the field, such as `user.email`.' }),
    message: z.string(),
  })
  .meta({ id: 'FieldError' });

/** A problem that the site detected: its English sentence, and the code and facts from which a program makes its own. */
export const diagnostic = z
  .strictObject({
    message: z.string().meta({ description: 'A full English sentence.' }),
    code: z
      .string()
      .optional()
      .meta({ description: 'Stable. Absent on problems recorded by a version without codes.' }),
    facts: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .meta({ description: 'The variable parts of the sentence by name, such as host, status or recordingId.' }),
  })
  .meta({ id: 'Diagnostic' });
export type Diagnostic = z.infer<typeof diagnostic>;

export const errorBody = z
  .strictObject({
    message: z.string().meta({ description: 'A full sentence that says what happened and what to do.' }),
    code: z.string().meta({ description: 'Stable code for programs.' }),
    errors: z.array(fieldError).optional(),
    requestId: z.string().meta({ description: 'Also in the header X-Request-Id and in the log of the site.' }),
    permanent: z.boolean().optional().meta({
      description: 'Below /device and /phone: true when the same request must not be repeated without a person.',
    }),
    retryAfterSeconds: z.number().optional().meta({ description: 'Below /device and /phone; also in Retry-After.' }),
    reason: z.enum(['REVOKED', 'SIGNED_OUT', 'SIGNED_IN_AGAIN']).optional().meta({
      description: "With DEVICE_REVOKED of a subject's own phone: why. The phone removes the subject's data.",
    }),
    offset: z
      .int()
      .optional()
      .meta({ description: 'Of an upload: the offset to continue from; also in Upload-Offset.' }),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof errorBody>;

/** The answer to a device about its upload; upload.md, section 5. */
export const uploadState = z.strictObject({
  id,
  recordingId: z.string(),
  state: z.enum(['RECEIVING', 'RECEIVED', 'STORED', 'QUARANTINED', 'REJECTED', 'REFUSED', 'EXPIRED', 'ENDED']),
  size: count.meta({ description: 'Bytes of the file.' }),
  offset: count
    .optional()
    .meta({ description: 'The offset to continue from. Absent when there is nothing left to send.' }),
  storedRecordingId: z.string().optional(),
  code: z.string().optional().meta({ description: 'Why it was refused or waits for a decision.' }),
  message: z.string().optional(),
});

export const idParams = {
  account: z.object({ accountId: id }),
  user: z.object({ userId: id }),
  study: z.object({ studyId: id }),
  subject: z.object({ studyId: id, subjectId: id }),
  job: z.object({ jobId: id }),
};

/** Where the file of a study export or a recording export can be downloaded. */
export const signedUrl = z
  .strictObject({
    href: z.string().meta({ description: 'Absolute address, valid without credentials until `expiration`.' }),
    expiration: timestamp,
  })
  .meta({ id: 'SignedUrl' });
