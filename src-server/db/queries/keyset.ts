/** Pages of a list by the key of its last record, which an index finds at once however long the list is. */
import { type RawBuilder, sql } from 'kysely';

/** Values of the columns that order a list; the last one is unique, so records of one instant have an order too. */
export type Key = readonly (string | number)[];

export interface Keyset {
  limit: number;
  /** Only records after this one in the order of the list; absent on the first page. */
  after?: Key;
  /** Whether the record of `after` itself is included. */
  isFrom?: boolean;
}

/** A condition for the records after one in an order by `columns`, ascending or descending; with `isFrom`, also for that one. */
export function isAfter(
  columns: readonly string[],
  after: Key,
  isDescending = false,
  isFrom = false,
): RawBuilder<boolean> {
  const names = sql.join(columns.map((name) => sql.ref(name)));
  return sql<boolean>`(${names}) ${comparison(isDescending, isFrom)} (${sql.join(after)})`;
}

/** The operator between the key of a record and that after which, or from which, a page begins. */
export const comparison = (isDescending: boolean, isFrom: boolean): RawBuilder<unknown> =>
  sql.raw(`${isDescending ? '<' : '>'}${isFrom ? '=' : ''}`);

interface Pageable {
  where(condition: RawBuilder<boolean>): this;
  orderBy(column: RawBuilder<unknown>, direction: 'asc' | 'desc'): this;
  limit(limit: number): this;
}

/** Orders a query by columns and, with a keyset, limits it to one page. */
export function inPages<Q extends Pageable>(
  query: Q,
  columns: readonly string[],
  { keyset, isDescending = false }: { keyset?: Keyset | undefined; isDescending?: boolean | undefined } = {},
): Q {
  let ordered = query;
  for (const name of columns) ordered = ordered.orderBy(sql.ref(name), isDescending ? 'desc' : 'asc');
  if (!keyset) return ordered;
  if (keyset.after) ordered = ordered.where(isAfter(columns, keyset.after, isDescending, keyset.isFrom));
  return ordered.limit(keyset.limit);
}
