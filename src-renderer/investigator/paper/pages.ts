/** Divides the contents of a report into pages, whole blocks and whole rows. Heights are CSS pixels. Pure. */

/** A block that stays in one piece, or a table, whose rows do. */
export interface Measured {
  heightPx: number;
  table?: {
    /** Everything above the first row, which each page repeats. */
    headPx: number;
    rowsPx: readonly number[];
  };
}

/** A part of the contents on one page: for a table, the rows from `from` to before `to`. */
export interface Piece {
  index: number;
  from: number;
  to: number;
}

/** Contents that do not fit on any page stand alone on one: nothing is left out. */
export function dividePages(contents: readonly Measured[], roomPx: number): Piece[][] {
  const pages: Piece[][] = [];
  let page: Piece[] = [];
  let leftPx = roomPx;
  const turn = () => {
    if (page.length > 0) pages.push(page);
    page = [];
    leftPx = roomPx;
  };
  for (const [index, { heightPx, table }] of contents.entries()) {
    if (!table) {
      if (heightPx > leftPx) turn();
      page.push({ index, from: 0, to: 0 });
      leftPx -= heightPx;
      continue;
    }
    let from = 0;
    do {
      // A head never stands without a row below it.
      if (table.headPx + (table.rowsPx[from] ?? 0) > leftPx) turn();
      leftPx -= table.headPx;
      let to = from;
      while (to < table.rowsPx.length && (to === from || table.rowsPx[to]! <= leftPx)) leftPx -= table.rowsPx[to++]!;
      page.push({ index, from, to });
      from = to;
      if (from < table.rowsPx.length) turn();
    } while (from < table.rowsPx.length);
  }
  turn();
  return pages;
}
