/**
 * Pages of lists that grow. A caller that sends neither `limit` nor `cursor` gets the whole list; others get a page and, while
 * there is more, a link to the next one. A page continues after the last record read, not after a number of records, so
 * records that are added meanwhile neither repeat nor skip any.
 */
import { z } from 'zod';
import { booleanParameter, count, id, link } from './common.ts';

export const DEFAULT_PAGE = 100;
const LONGEST_PAGE = 1000;
const LONGEST_CURSOR = 1000;

export const pageQuery = {
  limit: z
    .union([z.int(), z.string().regex(/^\d{1,9}$/)], { error: 'must be a whole number' })
    .transform(Number)
    .refine((value) => value >= 1 && value <= LONGEST_PAGE, { error: `must be from 1 to ${LONGEST_PAGE}` })
    .optional()
    .meta({
      description: `Items per page, 1 to ${LONGEST_PAGE}. Without \`limit\` and \`cursor\` the answer is the whole list; with \`cursor\` alone it is ${DEFAULT_PAGE}.`,
    }),
  cursor: z
    .string()
    .min(1)
    .max(LONGEST_CURSOR)
    .optional()
    .meta({ description: 'Where the page begins: taken from the link `next` of the page before. Opaque.' }),
};

/** For lists that ascend in time. */
export const newestFirst = booleanParameter
  .optional()
  .meta({ description: 'true: newest first, the reverse of the order below. Default false.' });

const AT =
  'Where the first page begins: with this item, wherever in the list it is; with `newest` and without it, what lies on either side. 404 if the list does not hold it. Ignored with `cursor`.';
export const startAt = id.optional().meta({ description: AT });
export const startAtSequence = z
  .string()
  .regex(/^\d{1,15}$/)
  .optional()
  .meta({ description: `${AT} An event is named by the \`id\` of its search result.` });

/** `{items, size}`, with a link to the next page when the caller asked for pages. `size` counts the items of the answer. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({
    items: z.array(item),
    size: count,
    links: z
      .array(link)
      .optional()
      .meta({ description: 'One link `next`; absent on the last page and without `limit` and `cursor`.' }),
  });
}
