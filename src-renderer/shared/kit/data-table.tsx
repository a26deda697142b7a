/** Tables of records, sorted by their column headers. */
import {
  type ColumnDef,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useMemo, useState } from 'react';
import { useWords } from '../i18n/i18n.ts';
import { Button } from './controls.tsx';
import { useFrozenList } from './frozen-list.ts';
import { Icon } from './icon.tsx';
import { mergedLines } from './merged-rows.ts';
import { MoreRows, type ShownPages, UNKNOWN_COUNT, useMoreAtEnd, useWholeEnd } from './more-rows.tsx';
import { placeIn, useRowKeys } from './row-keys.ts';
import { type RowSelection, shareOf, useSelecting, withAllToggled } from './row-selection.ts';
import { type RowWindow, useRowWindow } from './row-window.ts';
import { SelectBox } from './select-box.tsx';
import styles from './table.module.css';

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

export interface Column<Row> {
  id: string;
  header: string;
  /** Sort key; undefined sorts last. A column without `value` cannot be sorted. */
  value?: (row: Row) => string | number | undefined;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** Tooltip of the header: what the column means. */
  help?: string;
  /** Hidden in a narrow window; another page shows the same. */
  isSecondary?: boolean;
}

function classOf<Row>(column: Column<Row>): string {
  return [column.isNumber && styles.number, column.isSecondary && styles.secondary].filter(Boolean).join(' ');
}

/** Sorts rows by the column that the user chose; the user's choice lasts as long as the table shows. */
function useSortedTable<Row extends RowData>(
  rows: Row[],
  columns: Column<Row>[],
  rowId: (row: Row) => string,
  initialSort: { id: string; desc: boolean },
  onSort: (() => void) | undefined,
) {
  const { format } = useWords();
  const [sorting, setSorting] = useState<SortingState>([initialSort]);
  const definitions = useMemo(
    () =>
      columns.map(
        (column): ColumnDef<typeof features, Row> => ({
          id: column.id,
          accessorFn: (row) => column.value?.(row),
          enableSorting: column.value !== undefined,
          sortUndefined: 'last',
          sortDescFirst: column.isNumber === true,
          sortFn: (a, b, id) => {
            const [left, right] = [a.getValue<string | number>(id), b.getValue<string | number>(id)];
            return typeof left === 'string' ? format.compare(left, String(right)) : left - Number(right);
          },
        }),
      ),
    [columns, format],
  );
  return useTable({
    features,
    data: rows,
    columns: definitions,
    getRowId: rowId,
    state: { sorting },
    onSortingChange: (next) => {
      onSort?.();
      setSorting(next);
    },
    enableSortingRemoval: false,
  });
}

/** @param onSort absent for a column that cannot be sorted */
function HeaderCell<Row>({
  column,
  sorted,
  onSort,
}: {
  column: Column<Row>;
  sorted: 'asc' | 'desc' | false;
  onSort: ((event: unknown) => void) | undefined;
}) {
  const { t } = useWords();
  return (
    <th
      scope="col"
      className={classOf(column)}
      aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined}
    >
      {onSort ? (
        <button
          type="button"
          className={`${styles.sort} ${sorted ? styles.sorted : ''}`}
          title={[column.help, t('table.sortBy', { column: column.header })].filter(Boolean).join('\n')}
          onClick={onSort}
        >
          {column.header}
          <Icon name={sorted === 'desc' ? 'down' : 'up'} size={14} />
        </button>
      ) : (
        column.header
      )}
    </th>
  );
}

/** The space of rows that are left out, so that the scroll bar is that of the whole table. */
function Space({ rows, pitchPx, columns }: { rows: number; pitchPx: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without tabindex takes no focus
    <tr aria-hidden="true" className={styles.space}>
      <td colSpan={columns} style={{ height: rows * pitchPx }} />
    </tr>
  );
}

/** The rows of a body that are in the document, with the space of those that are left out. */
export function WindowedRows<Row>({
  rowWindow,
  rows,
  columns,
  keyOf,
  children,
}: {
  /** Undefined for rows that are all shown. */
  rowWindow: RowWindow | undefined;
  rows: readonly Row[];
  columns: number;
  keyOf: (row: Row) => string;
  children: (row: Row, index: number) => ReactNode;
}) {
  if (!rowWindow) return rows.map(children);
  const { segments, pitchPx } = rowWindow;
  return (
    <>
      {segments.flatMap(({ skip, first, last }) => [
        // Keyed by the row that follows: a row that React had to move or mount again would lose the focus.
        <Space
          key={`before ${rows[first] === undefined ? '' : keyOf(rows[first])}`}
          {...{ rows: skip, pitchPx, columns }}
        />,
        ...rows.slice(first, last).map((row, offset) => children(row, first + offset)),
      ])}
      <Space rows={rows.length - (segments.at(-1)?.last ?? 0)} {...{ pitchPx, columns }} />
    </>
  );
}

export interface Merge<Row> {
  /** What rows that may share a line have in common; undefined for a row with content. */
  emptyKey: (row: Row) => string | undefined;
  text: (first: Row, last: Row, count: number) => string;
}

const NO_LINES: ReadonlySet<string> = new Set();
const NO_IDS: readonly string[] = [];
const NEVER_EMPTY = () => undefined;

/** A line in place of a run of rows without content. */
function MergedLine({ text, isOpen, onToggle }: { text: string; isOpen: boolean; onToggle: () => void }) {
  return (
    <button type="button" className={styles.merged} aria-expanded={isOpen} onClick={onToggle}>
      <Icon name={isOpen ? 'down' : 'right'} size={16} />
      {text}
    </button>
  );
}

/** A sortable table of records. Searching and filtering are the caller's. */
export function DataTable<Row extends RowData>({
  caption,
  rows,
  columns,
  rowId,
  initialSort,
  onSort,
  liveOf,
  list,
  shownId,
  merge,
  selection,
}: {
  caption: string;
  rows: Row[];
  columns: Column<Row>[];
  rowId: (row: Row) => string;
  initialSort: { id: string; desc: boolean };
  /** The user has chosen another order. */
  onSort?: () => void;
  /**
   * For rows that change while the table shows: what they are of, such as a day and a filter. While it stays the same, rows
   * do not move under the pointer or the focus, and new rows wait for a button.
   */
  liveOf?: string;
  /** The list of which `rows` are those that match. Its next page is read when the table's end comes near. */
  list?: ShownPages;
  /** A row that the address names: marked, and brought into view with the focus once it is there. */
  shownId?: string | undefined;
  /** Runs of rows without content become one line that opens, while the table has its first order or the reverse. */
  merge?: Merge<Row>;
  /** Where the rows can be selected for an action on many: a column of checkboxes, and keys. */
  selection?: RowSelection | undefined;
}) {
  const { t } = useWords();
  const isLive = liveOf !== undefined;
  const { shown, waiting, hold, holder } = useFrozenList<Row, HTMLElement>(rows, rowId, list !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: releases the list when it becomes a list of something else
  useEffect(() => hold(false), [liveOf]);
  const gone = new Set(shown.filter(({ isGone }) => isGone).map(({ item }) => rowId(item)));
  const frozenRows = useMemo(() => shown.map(({ item }) => item), [shown]);
  const table = useSortedTable(isLive ? frozenRows : rows, columns, rowId, initialSort, onSort ?? list?.rest);
  const sorted = table.getRowModel().rows;
  const [open, setOpen] = useState(NO_LINES);
  const isFirstOrder = table.state.sorting[0]?.id === initialSort.id;
  const lines = mergedLines(
    sorted,
    ({ id }) => id,
    merge && isFirstOrder ? ({ original }) => merge.emptyKey(original) : NEVER_EMPTY,
    open,
  );
  const rowWindow = useRowWindow(lines.length);
  const [nameColumn] = columns;
  const keys = useRowKeys(rowWindow, lines.length, (index) => {
    const line = lines[index];
    return line?.kind === 'row' ? String(nameColumn?.value?.(line.row.original) ?? '') : '';
  });
  const shownRow =
    shownId === undefined ? -1 : lines.findIndex((line) => line.kind === 'row' && line.row.id === shownId);
  const isShownThere = shownRow >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each row that is named; later the reader scrolls
  useEffect(() => {
    if (!isShownThere) return undefined;
    // Not within the effect: the row has to be rendered before it can take the focus.
    const frame = requestAnimationFrame(() => keys.focusRow(shownRow, 0, 'center'));
    return () => cancelAnimationFrame(frame);
  }, [shownId, isShownThere]);
  const hasMore = list?.hasMore === true;
  const onRowKey = useWholeEnd(keys, lines.length, list);
  const shownIds = selection ? sorted.map(({ id }) => id) : NO_IDS;
  const { toggle, onKey } = useSelecting(selection, shownIds, keys.isTyping);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target } = event;
    const row = target instanceof HTMLElement ? target.closest<HTMLElement>('tr[data-row]') : null;
    const line = row ? lines[Number(row.dataset.row)] : undefined;
    const isTaken = onKey(event, line?.kind === 'row' ? line.row.id : undefined, (next) => {
      const index = lines.findIndex((one) => one.kind === 'row' && one.row.id === next);
      if (row && target instanceof HTMLElement) keys.focusRow(index, placeIn(row, target));
    });
    if (!isTaken) return onRowKey(event);
    event.preventDefault();
    event.stopPropagation();
  };
  const share = shareOf(shownIds, selection?.ids ?? NO_LINES);
  const frame = { ...(selection && { ref: selection.list }), ...(isLive && holder) };
  const columnCount = columns.length + (selection ? 1 : 0);
  useMoreAtEnd(list, (rowWindow.segments.at(-1)?.last ?? 0) >= lines.length);
  const byId = new Map(columns.map((column) => [column.id, column]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles.frame} aria-label={caption} tabIndex={0} onKeyDown={onKeyDown} {...frame}>
      {isLive && waiting > 0 && (
        <Button
          className={styles.more}
          onPress={() => {
            hold(false);
            // The button unmounts, so the table takes the focus.
            holder.ref.current?.focus({ preventScroll: true });
          }}
        >
          {t('table.showNew', { count: waiting })}
        </Button>
      )}
      <table
        className={styles.table}
        aria-rowcount={hasMore ? UNKNOWN_COUNT : rowWindow.isPartial ? lines.length + 1 : undefined}
      >
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr aria-rowindex={rowWindow.isPartial ? 1 : undefined}>
            {selection && (
              <th scope="col" className={styles.boxCell}>
                <SelectBox
                  label={t('table.selectAll')}
                  isSelected={share === 'all'}
                  isPartly={share === 'some'}
                  isOfRow={false}
                  onChange={() => selection.change(withAllToggled(shownIds, selection.ids))}
                />
              </th>
            )}
            {table.getFlatHeaders().map((header) => (
              <HeaderCell
                key={header.id}
                column={byId.get(header.column.id)!}
                sorted={header.column.getIsSorted()}
                onSort={header.column.getCanSort() ? header.column.getToggleSortingHandler() : undefined}
              />
            ))}
          </tr>
        </thead>
        <tbody ref={rowWindow.body}>
          <WindowedRows
            rowWindow={rowWindow}
            rows={lines}
            columns={columnCount}
            keyOf={(line) => (line.kind === 'row' ? line.row.id : `merged ${line.id}`)}
          >
            {(line, index) =>
              line.kind === 'merged' ? (
                <tr
                  key={`merged ${line.id}`}
                  data-row={index}
                  aria-rowindex={rowWindow.isPartial ? index + 2 : undefined}
                >
                  <td colSpan={columnCount}>
                    <MergedLine
                      text={merge?.text(line.first.original, line.last.original, line.count) ?? ''}
                      isOpen={line.isOpen}
                      onToggle={() => {
                        const next = new Set(open);
                        if (!next.delete(line.id)) next.add(line.id);
                        setOpen(next);
                      }}
                    />
                  </td>
                </tr>
              ) : (
                <tr
                  key={line.row.id}
                  data-row={index}
                  data-gone={gone.has(line.row.id) || undefined}
                  data-shown={line.row.id === shownId || undefined}
                  aria-current={line.row.id === shownId || undefined}
                  aria-rowindex={rowWindow.isPartial ? index + 2 : undefined}
                  aria-selected={selection ? selection.ids.has(line.row.id) : undefined}
                >
                  {selection && (
                    <td className={styles.boxCell}>
                      <SelectBox
                        label={t('table.select', { name: String(nameColumn?.value?.(line.row.original) ?? '') })}
                        isSelected={selection.ids.has(line.row.id)}
                        onChange={(isRange) => toggle(line.row.id, isRange)}
                      />
                    </td>
                  )}
                  {columns.map((column) => (
                    <td key={column.id} className={classOf(column)}>
                      {column.cell(line.row.original)}
                    </td>
                  ))}
                </tr>
              )
            }
          </WindowedRows>
        </tbody>
      </table>
      {list && <MoreRows list={list} />}
    </section>
  );
}

/** A table of the caller's own rows in the frame that scrolls. `children` are the head and body; `after` follows the table. */
export function TableFrame({
  caption,
  className,
  tableClassName,
  grid,
  after,
  children,
}: {
  caption: string;
  className?: string;
  tableClassName?: string;
  /** Of cells with one tab stop, as `useGridFocus` has it. */
  grid?: { ref: RefObject<HTMLTableElement | null>; onKeyDown: (event: KeyboardEvent) => void };
  after?: ReactNode;
  children: ReactNode;
}) {
  const joined = (base: string | undefined, extra: string | undefined) => [base, extra].filter(Boolean).join(' ');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={joined(styles.frame, className)} aria-label={caption} tabIndex={0}>
      <table className={joined(styles.table, tableClassName)} {...(grid && { role: 'grid', ...grid })}>
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
      {after}
    </section>
  );
}

/** Muted text: a missing value in words, or a remark beside a value. */
export function Faint({
  children,
  help,
  isSecondary,
}: {
  children: ReactNode;
  help?: string;
  /** Hidden in tables in a narrow window. */
  isSecondary?: boolean;
}) {
  return (
    <span className={isSecondary ? `${styles.faint} ${styles.aside}` : styles.faint} title={help}>
      {children}
    </span>
  );
}

/** For a quiet button that is the text of a cell: aligned with the other cells, and recognisable as a button. */
export const cellButtonClass = styles.bare;
