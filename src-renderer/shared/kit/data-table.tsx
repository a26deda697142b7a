/** Tables of records: sorted by their headers, searched from outside, real table markup. */
import {
  type ColumnDef,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useWords } from '../i18n/i18n.ts';
import { Button } from './controls.tsx';
import { useFrozenList } from './frozen-list.ts';
import { Icon } from './icon.tsx';
import styles from './table.module.css';

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

export interface Column<Row> {
  id: string;
  header: string;
  /** What the column sorts by; undefined sorts last. A column without it cannot be sorted. */
  value?: (row: Row) => string | number | undefined;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** What the column means, on its header. */
  help?: string;
  /** Left out in a narrow window: what it says is told elsewhere too. */
  isSecondary?: boolean;
}

function classOf<Row>(column: Column<Row>): string {
  return [column.isNumber && styles.number, column.isSecondary && styles.secondary].filter(Boolean).join(' ');
}

/** Rows in the order that the reader chose; searching is the business of the caller. */
export function DataTable<Row extends RowData>({
  caption,
  rows,
  columns,
  rowId,
  initialSort,
  liveOf,
}: {
  caption: string;
  rows: Row[];
  columns: Column<Row>[];
  rowId: (row: Row) => string;
  initialSort: { id: string; desc: boolean };
  /**
   * For rows that come and go by themselves: of what they are, such as a day and a filter. While that is the same, nothing
   * moves under the pointer or the focus, and new rows wait.
   */
  liveOf?: string;
}) {
  const { t, format } = useWords();
  const { shown, waiting, hold, holder } = useFrozenList<Row, HTMLElement>(rows, rowId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are shown at once
  useEffect(() => hold(false), [liveOf]);
  const gone = new Set(shown.filter(({ isGone }) => isGone).map(({ item }) => rowId(item)));
  const data = useMemo(() => shown.map(({ item }) => item), [shown]);
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
  const table = useTable({
    features,
    data: liveOf === undefined ? rows : data,
    columns: definitions,
    getRowId: rowId,
    state: { sorting },
    onSortingChange: setSorting,
    enableSortingRemoval: false,
  });
  const byId = new Map(columns.map((column) => [column.id, column]));

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles.frame} aria-label={caption} tabIndex={0} {...(liveOf !== undefined && holder)}>
      {liveOf !== undefined && waiting > 0 && (
        <Button
          className={styles.more}
          onPress={() => {
            hold(false);
            // The button goes with what waited; who pressed it stays at the table.
            holder.ref.current?.focus({ preventScroll: true });
          }}
        >
          {t('table.showNew', { count: waiting })}
        </Button>
      )}
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {table.getFlatHeaders().map((header) => {
              const column = byId.get(header.column.id)!;
              const sorted = header.column.getIsSorted();
              return (
                <th
                  key={header.id}
                  scope="col"
                  className={classOf(column)}
                  aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined}
                >
                  {header.column.getCanSort() ? (
                    <button
                      type="button"
                      className={`${styles.sort} ${sorted ? styles.sorted : ''}`}
                      title={[column.help, t('table.sortBy', { column: column.header })].filter(Boolean).join('\n')}
                      onClick={header.column.getToggleSortingHandler()}
                    >
                      {column.header}
                      <Icon name={sorted === 'desc' ? 'down' : 'up'} size={14} />
                    </button>
                  ) : (
                    column.header
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} data-gone={gone.has(row.id) || undefined}>
              {columns.map((column) => (
                <td key={column.id} className={classOf(column)}>
                  {column.cell(row.original)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A value that is not there, in words; or what stands beside a value. */
export function Faint({
  children,
  help,
  isSecondary,
}: {
  children: ReactNode;
  help?: string;
  /** Left out of tables in a narrow window. */
  isSecondary?: boolean;
}) {
  return (
    <span className={isSecondary ? `${styles.faint} ${styles.aside}` : styles.faint} title={help}>
      {children}
    </span>
  );
}

/** For a quiet button that is the text of a cell: in line with the other cells, and to be seen as something to press. */
export const cellButtonClass = styles.bare;
