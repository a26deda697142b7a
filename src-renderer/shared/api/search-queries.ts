/** The search of the site, as a query option. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SearchHit } from '../../../src-server/api/contract/index.ts';
import { client } from './client.ts';

/** Studies and subjects are not among them: the palette has those already. */
export const FOUND_KINDS = [
  'note',
  'message',
  'query',
  'label',
  'answer',
  'equipment',
  'staff',
  'task',
  'event',
] as const satisfies readonly SearchHit['kind'][];

const FRESH_MS = 10_000;

/** One Latin letter or digit begins too many words; one Chinese or Japanese character is a word. */
export const isSearchable = (text: string): boolean => {
  const asked = text.trim();
  return asked.length > 1 || /[^\p{ASCII}]/u.test(asked);
};

/** A text that is replaced before its answer cancels the request. */
export const searchQuery = (accountId: string, text: string) =>
  queryOptions({
    queryKey: ['search', accountId, text],
    queryFn: ({ signal }) =>
      client.call('search', { params: { accountId }, query: { text, kind: [...FOUND_KINDS], limit: 4 }, signal }),
    enabled: isSearchable(text),
    staleTime: FRESH_MS,
    placeholderData: isSearchable(text) ? keepPreviousData : undefined,
  });
