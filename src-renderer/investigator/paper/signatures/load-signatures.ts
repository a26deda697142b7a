/** The signatures of a printed record, with whether each still holds when it is read. */
import type { QueryClient } from '@tanstack/react-query';
import type { Signature } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { nextCursor } from '../../../shared/api/list-queries.ts';
import { type SignedRecord, signaturesQuery } from '../../../shared/api/signature-queries.ts';

/** About ten pages; the desk and the exports of a study hold all. */
export const MOST_SIGNATURES = 200;

/** Of one record. */
export async function signaturesOfRecord(queries: QueryClient, studyId: string, target: SignedRecord) {
  return (await queries.fetchQuery({ ...signaturesQuery(studyId, target), staleTime: 0 })).items;
}

export interface PrintedSignatures {
  items: readonly Signature[];
  /** Whether there are older ones. */
  isCut: boolean;
}

/** The newest of a study or a subject. */
export async function newestSignatures(studyId: string, filter: { subjectId?: string }): Promise<PrintedSignatures> {
  const query = { ...filter, limit: String(MOST_SIGNATURES) };
  const page = await client.call('listSignatures', { params: { studyId }, query });
  return { items: page.items, isCut: nextCursor(page) !== undefined };
}
