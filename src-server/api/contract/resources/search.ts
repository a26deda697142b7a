/** Search over names, notes, messages, labels, free answers, data queries, definitions and events. */
import { z } from 'zod';
import { LONGEST_SEARCH, MOST_HITS, SEARCH_KINDS, SEARCHED_EVENTS } from '../../../vocabulary/search.ts';
import { count, id, idParams, repeatedParameter, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const hit = z
  .strictObject({
    kind: z.enum(SEARCH_KINDS),
    id: id.meta({
      description: 'Of the record; of an answer, of its report; of a step of a data query, of the query.',
    }),
    recordId: id.optional().meta({
      description: 'Of what was found itself, where `id` is that of what it belongs to: an answer, a step, a question.',
    }),
    studyId: id.optional(),
    studyName: z.string().optional(),
    subjectId: id.optional(),
    subjectName: z.string().optional(),
    title: z.string().optional().meta({ description: 'Of an answer its question, of a question its task.' }),
    action: z
      .enum(SEARCHED_EVENTS)
      .optional()
      .meta({ description: 'Of an event, whose `text` is in every language of the desk.' }),
    text: z.string().meta({ description: 'The part of the text around what was found.' }),
    matches: z
      .array(z.tuple([count, count]))
      .meta({ description: 'Beginnings and ends of what was found, in UTF-16 units of `text`.' }),
    isWithdrawn: z.literal(true).optional().meta({ description: 'Of a note that was withdrawn. Absent otherwise.' }),
    ts: timestamp.meta({ description: 'When it was written; of labels and answers, when they begin.' }),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.infer<typeof hit>;

const results = z
  .strictObject({
    items: z.array(hit),
    size: count,
    more: z.array(z.enum(SEARCH_KINDS)).meta({ description: 'Kinds of which there is more than the results show.' }),
    indexing: z.strictObject({ done: count, total: count }).optional().meta({
      description: 'While what an older version stored is added to the index, so that results may be missing.',
    }),
  })
  .meta({ id: 'SearchResults' });
export type SearchResults = z.infer<typeof results>;

export const searchRoutes = defineRoutes({
  search: {
    method: 'GET',
    path: '/accounts/{accountId}/search',
    access: 'user',
    operation: 'study.read',
    tag: 'Search',
    summary: 'Search',
    description:
      'Finds what the caller may read, and nothing else. Every part of the text must occur as the beginning of a word; case, accents, full and half width, and hiragana and katakana are the same. What several texts lead to, such as the steps of a data query, is found once, by the newest. Chinese and Japanese text is found from one character. Chosen answers and figures are not searched.',
    order: 'kind as listed in the schema, then newest first',
    params: idParams.account,
    query: z.object({
      text: z.string().max(LONGEST_SEARCH),
      kind: repeatedParameter(z.enum(SEARCH_KINDS)).optional().meta({ description: 'Only these. Default: all.' }),
      limit: z.coerce.number().int().min(1).max(MOST_HITS).optional().meta({ description: 'Of each kind. Default 5.' }),
    }),
    status: 200,
    response: results,
  },
});
