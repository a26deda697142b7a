/** Reads pages of lists: cursors to keys and back, and the link to the next page. */
import type { Request } from 'express';
import type { Key, Keyset } from '../../db/index.ts';
import { DEFAULT_PAGE } from '../contract/paging.ts';
import { invalidField, notFound } from './errors.ts';

/** How a list is ordered. A cursor holds the name, so that it is refused by every other list. */
export interface PagedList<Row> {
  name: string;
  /** Types of the values of the key. */
  key: readonly ('number' | 'string')[];
  keyOf(row: Row): Key;
}

interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  at?: string | number | undefined;
}

interface Page<Row> {
  rows: Row[];
  /** Spread into the answer. */
  links: { links?: { href: string; rel: string }[] };
}

function cursorOf(name: string, key: Key): string {
  return Buffer.from(JSON.stringify([name, ...key])).toString('base64url');
}

/** @throws INVALID_INPUT for a text that is no cursor of this list */
function keyOfCursor({ name, key }: Pick<PagedList<never>, 'name' | 'key'>, cursor: string): Key {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    parts = undefined;
  }
  const [found, ...values] = Array.isArray(parts) ? (parts as unknown[]) : [];
  const isKey =
    found === name &&
    values.length === key.length &&
    values.every((value, i) => typeof value === key[i] && (typeof value === 'string' || Number.isSafeInteger(value)));
  if (!isKey) throw invalidField('cursor', 'is not a cursor of this list. Begin again without it');
  return values as Key;
}

/**
 * Reads what a request asks for: the whole list, or one page of it.
 * @param read returns the rows of the keyset in the order of the list; all of them without one
 * @param find returns the key of the item that `at` names, for lists that take it
 * @throws INVALID_INPUT for a text that is no cursor of this list
 * @throws NOT_FOUND when the list, as it is filtered, does not hold the item that `at` names
 */
export async function readListPage<Row>(
  request: Pick<Request, 'originalUrl'>,
  list: PagedList<Row>,
  { limit, cursor, at }: PageQuery,
  read: (keyset: Keyset | undefined) => Promise<Row[]>,
  find?: (at: string) => Promise<Key | undefined>,
): Promise<Page<Row>> {
  if (limit === undefined && cursor === undefined && at === undefined)
    return { rows: await read(undefined), links: {} };
  const length = limit ?? DEFAULT_PAGE;
  const begin = cursor === undefined && at !== undefined ? await find?.(String(at)) : undefined;
  if (cursor === undefined && at !== undefined && !begin) throw notFound('item');
  const after = cursor === undefined ? begin : keyOfCursor(list, cursor);
  // One more row tells whether there is a next page.
  const rows = await read({ limit: length + 1, ...(after && { after }), ...(begin && { isFrom: true }) });
  // A filter can leave out the item that was asked for.
  if (begin && (!rows[0] || list.keyOf(rows[0]).join() !== begin.join())) throw notFound('item');
  if (rows.length <= length) return { rows, links: {} };
  const shown = rows.slice(0, length);
  const [path = '', text = ''] = request.originalUrl.split('?', 2);
  const query = new URLSearchParams(text);
  query.delete('at');
  query.set('limit', String(length));
  query.set('cursor', cursorOf(list.name, list.keyOf(shown.at(-1)!)));
  return { rows: shown, links: { links: [{ href: `${path.replace(/^\/api(?=\/)/, '')}?${query}`, rel: 'next' }] } };
}
