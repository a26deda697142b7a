/** Electronic signatures: what they bind, in which form, and who may give which. Pure. */
import { OutpostError } from '../errors.ts';
import type { SIGNATURE_MEANINGS, SIGNED_KINDS } from '../vocabulary/signatures.ts';
import { canonicalJson } from './changes.ts';

export type SignedKind = (typeof SIGNED_KINDS)[number];
export type SignatureMeaning = (typeof SIGNATURE_MEANINGS)[number];

/** A signed record: the study itself, a day of a subject, a recording or an export. */
export interface SignedTarget {
  studyId: string;
  kind: SignedKind;
  /** The study, subject, recording or export. */
  targetId: string;
  /** Of a day. */
  date?: string;
}

/** The text that is hashed: canonical JSON that says of what, and in which version, it is the content. */
export function contentText(target: SignedTarget, version: number, content: Readonly<Record<string, unknown>>): string {
  return canonicalJson({ format: 'outpost-signed-content', version, ...target, content });
}

/** @throws INVALID_INPUT for a day without a date, or a date of anything else */
export function requireTarget({ kind, date }: Pick<SignedTarget, 'kind' | 'date'>): void {
  if ((kind === 'subject-day') === (date !== undefined)) return;
  const message = kind === 'subject-day' ? '`date` is missing.' : '`date` belongs to a day only.';
  throw new OutpostError('INVALID_INPUT', message, { errors: [{ path: 'date', message }] });
}
