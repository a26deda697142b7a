/** Electronic signatures as query options. Every change in a study may have changed a signed record, see `trailKeysOf`. */
import { queryOptions } from '@tanstack/react-query';
import type { Signature } from '../../../src-server/api/contract/index.ts';
import { client } from './client.ts';

/** What can be signed on the desk: the definition of a study, a day, a recording or an export. */
export type SignTarget = { [K in SignedKind]: { kind: K; targetId: string; date?: string } }[SignedKind];
type SignedKind = Exclude<Signature['kind'], 'study-lock'>;

export const signaturesQuery = (studyId: string, target?: SignTarget) =>
  queryOptions({
    queryKey: ['signature', studyId, target?.kind ?? 'all', target?.targetId ?? '', target?.date ?? ''],
    queryFn: ({ signal }) =>
      client.call('listSignatures', { params: { studyId }, ...(target && { query: target }), signal }),
  });
