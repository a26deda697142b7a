/** What is plugged in, what watched folders hold, and the recordings that are taken from them. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

const COPY_POLL_MS = 2000;
/** Only to see that the site still looks: changes are pushed. */
const LOOK_POLL_MS = 15_000;

export const docksQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['transfer', accountId, 'docks'],
    queryFn: ({ signal }) => client.call('getDocks', { params: { accountId }, signal }),
    refetchInterval: LOOK_POLL_MS,
  });

export const transfersQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['transfer', accountId],
    queryFn: ({ signal }) => client.call('listTransfers', { params: { accountId }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(
        ({ state, isAnalysed }) => state === 'COPYING' || state === 'IMPORTING' || (state === 'STORED' && !isAnalysed),
      )
        ? COPY_POLL_MS
        : false,
  });
