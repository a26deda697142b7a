/** The signatures of a printed record, with whether each still holds when it is read. */
import type { QueryClient } from '@tanstack/react-query';
import type { Signature } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { type SignedRecord, signaturesQuery } from '../../../shared/api/signature-queries.ts';

/** About ten pages; the desk and the exports of a study hold all. */
const MOST_SIGNATURES = 200;

/** Of one record. */
export async function signaturesOfRecord(queries: QueryClient, studyId: string, target: SignedRecord) {
  return (await queries.fetchQuery({ ...signaturesQuery(studyId, target), staleTime: 0 })).items;
}

/** The newest of a study or a subject. */
export async function newestSignatures(
  studyId: string,
  filter: { subjectId?: string; kind?: Signature['kind'] },
): Promise<Signature[]> {
  const query = { ...filter, limit: String(MOST_SIGNATURES) };
  return (await client.call('listSignatures', { params: { studyId }, query })).items;
}
