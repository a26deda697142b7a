/** Electronic signatures as query options. Every change in a study may have changed a signed record, see `trailKeysOf`. */
import { queryOptions } from '@tanstack/react-query';
import type { Signature } from '../../../src-server/api/contract/index.ts';
import { client } from './client.ts';
import { loadPages } from './list-queries.ts';
import { longListQuery } from './long-list.ts';

/** What can be signed on the desk: the definition of a study, a day, a recording or an export. */
export type SignTarget = { [K in SignedKind]: { kind: K; targetId: string; date?: string } }[SignedKind];
type SignedKind = Exclude<Signature['kind'], 'study-lock'>;

/** A lock is signed by locking. */
export type SignedRecord = SignTarget | { kind: 'study-lock'; targetId: string };

/** Of one record. */
export const signaturesQuery = (studyId: string, target: SignedRecord) =>
  queryOptions({
    queryKey: ['signature', studyId, target.kind, target.targetId, 'date' in target ? (target.date ?? '') : ''],
    queryFn: ({ signal }) => client.call('listSignatures', { params: { studyId }, query: target, signal }),
  });

/** Of a study, newest first. */
export const signaturePagesQuery = (studyId: string) =>
  longListQuery(['signature', studyId, 'all'], (query, signal) =>
    client.call('listSignatures', { params: { studyId }, query, signal }),
  );

/** One function for every render: a new one would group again and hand out a new map each time. */
const byRecord = (items: Signature[]): ReadonlyMap<string, Signature[]> =>
  Map.groupBy(items, ({ targetId }) => targetId);

/** Of all exports of a study or all recordings of a subject, by the record, each newest first. */
export const signaturesOfKindQuery = (studyId: string, filter: { kind: SignedKind; subjectId?: string }) =>
  queryOptions({
    queryKey: ['signature', studyId, 'kind', filter.kind, filter.subjectId ?? ''],
    queryFn: async ({ signal }) => {
      const { items } = await loadPages<Signature>(true, (page) =>
        client.call('listSignatures', { params: { studyId }, query: { ...filter, ...page }, signal }),
      );
      return items;
    },
    select: byRecord,
  });
