/** Lists that grow: the first page of each, or the whole list where a reader searches, filters or sorts it. */
import { queryOptions } from '@tanstack/react-query';
import { DAY_MS } from '../../../src-server/durations.ts';
import { client } from './client.ts';

/** About ten screens of rows. */
export const FIRST_PAGE = 200;
export const LARGEST_PAGE = 1000;

/** What a request for a page adds to the query. */
export interface PageQuery {
  limit: string;
  cursor?: string;
}

export interface Page<T> {
  items: T[];
  links?: readonly { href: string; rel: string }[];
}

/** Items of a list as far as they have been fetched. */
export interface Loaded<T> {
  items: T[];
  /** True where the list continues after `items`. */
  hasMore: boolean;
}

/** Where the next page begins; undefined after the last one. */
export function nextCursor({ links }: Page<unknown>): string | undefined {
  const next = links?.find(({ rel }) => rel === 'next');
  const query = next && new URL(next.href, location.origin).searchParams;
  // Audit trails continue before a sequence number.
  return query?.get('cursor') ?? query?.get('before') ?? undefined;
}

/**
 * Fetches the first page of a list, or all of its pages one after another.
 * @param limit items of a page
 */
export async function loadPages<T>(
  isWhole: boolean,
  fetchPage: (page: PageQuery) => Promise<Page<T>>,
  limit = isWhole ? LARGEST_PAGE : FIRST_PAGE,
): Promise<Loaded<T>> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchPage({ limit: String(limit), ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    cursor = nextCursor(page);
  } while (isWhole && cursor !== undefined);
  return { items, hasMore: cursor !== undefined };
}

/** The studies of the account with what each holds. */
export const studySummariesQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['summary', accountId],
    queryFn: ({ signal }) => client.call('listStudies', { params: { accountId }, query: { summary: true }, signal }),
  });

/** @param isWhole the whole list; its first page otherwise. The two are kept apart, so that one shows while the other loads */
function pagesQuery<T>(
  key: readonly string[],
  isWhole: boolean,
  fetchPage: (page: PageQuery, signal: AbortSignal) => Promise<Page<T>>,
) {
  return queryOptions({
    queryKey: [...key, isWhole ? 'whole' : 'firstPage'],
    queryFn: ({ signal }) => loadPages(isWhole, (page) => fetchPage(page, signal)),
  });
}
export type PagesQuery<T> = ReturnType<typeof pagesQuery<T>>;

/** The subjects of a study with what each has recorded. */
export const subjectSummariesQuery = (studyId: string, isWhole: boolean) =>
  pagesQuery(['subject', studyId, 'summaries'], isWhole, (page, signal) =>
    client.call('listSubjects', { params: { studyId }, query: { ...page, summary: true }, signal }),
  );

/** Whether a study has subjects at all, and whether they are only tests. */
export const firstSubjectsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['subject', studyId, 'first'],
    queryFn: ({ signal }) => client.call('listSubjects', { params: { studyId }, query: { limit: '20' }, signal }),
  });

/** Tasks and wear of the last days of the same subjects. Two days longer than asked, for subjects in other time zones. */
export const lastDaysQuery = (studyId: string, isWhole: boolean, days: number, nowMs: number) => {
  const utcDate = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const window = { fromDate: utcDate(nowMs - days * DAY_MS), toDate: utcDate(nowMs + DAY_MS) };
  return pagesQuery(['adherence', studyId, 'lastDays', window.toDate], isWhole, (page, signal) =>
    client.call('listAdherence', { params: { studyId }, query: { ...page, ...window }, signal }),
  );
};
