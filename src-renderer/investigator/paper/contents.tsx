/** What a report consists of: blocks that stay in one piece, and tables that are divided between their rows. */
import type { ReactNode } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import styles from './paper.module.css';

export interface PaperColumn {
  id: string;
  label: ReactNode;
  /** Width in relation to the other columns: widths must not depend on the rows of a page. */
  share: number;
  isNumber?: boolean;
}

export interface PaperTable {
  caption: string;
  columns: readonly PaperColumn[];
  rows: readonly { id: string; cells: readonly ReactNode[] }[];
}

export type Content = { id: string; block: ReactNode } | { id: string; table: PaperTable };

/** A part of a table: all of its head, and the rows from `from` to before `to`. */
export function TablePart({
  table: { caption, columns, rows },
  from = 0,
  to = rows.length,
}: {
  table: PaperTable;
  from?: number;
  to?: number;
}) {
  const { t } = useWords();
  const whole = columns.reduce((sum, { share }) => sum + share, 0);
  return (
    <table className={styles.table}>
      <caption>{from > 0 ? t('paper.continued', { name: caption }) : caption}</caption>
      <colgroup>
        {columns.map(({ id, share }) => (
          <col key={id} style={{ width: `${(100 * share) / whole}%` }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map(({ id, label, isNumber }) => (
            <th key={id} scope="col" className={isNumber ? styles.number : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(from, to).map(({ id, cells }) => (
          <tr key={id}>
            {columns.map((column, index) => (
              <td key={column.id} className={column.isNumber ? styles.number : undefined}>
                {cells[index]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function ContentPart({ content, from, to }: { content: Content; from?: number; to?: number }) {
  if ('table' in content) return <TablePart table={content.table} from={from} to={to} />;
  return <div className={styles.block}>{content.block}</div>;
}
