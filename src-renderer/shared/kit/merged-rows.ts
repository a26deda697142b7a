/** Runs of rows without content as one line of a table each, which opens to show its rows. Pure. */

/** Shorter runs show as they are: a line that hides one row saves nothing. */
const SHORTEST_RUN = 2;

export type TableLine<Row> =
  | { kind: 'row'; row: Row; index: number }
  | {
      kind: 'merged';
      /** That of the earlier end of the run, so that it stays when later rows arrive. */
      id: string;
      first: Row;
      last: Row;
      count: number;
      isOpen: boolean;
    };

/**
 * @param emptyKey what rows that may share a line have in common; undefined for a row that has content
 * @param open ids of the lines that were opened: their rows follow them
 */
export function mergedLines<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  emptyKey: (row: Row) => string | undefined,
  open: ReadonlySet<string>,
): TableLine<Row>[] {
  const lines: TableLine<Row>[] = [];
  for (let start = 0; start < rows.length; ) {
    const key = emptyKey(rows[start]!);
    let stop = start + 1;
    while (key !== undefined && stop < rows.length && emptyKey(rows[stop]!) === key) stop++;
    const [first, last] = [rows[start]!, rows[stop - 1]!];
    const isMerged = stop - start >= SHORTEST_RUN;
    const id = [rowId(first), rowId(last)].sort()[0]!;
    const isOpen = open.has(id);
    if (isMerged) lines.push({ kind: 'merged', id, first, last, count: stop - start, isOpen });
    if (!isMerged || isOpen) {
      for (let index = start; index < stop; index++) lines.push({ kind: 'row', row: rows[index]!, index });
    }
    start = stop;
  }
  return lines;
}
