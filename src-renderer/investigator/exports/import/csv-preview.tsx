import type { CsvMapping } from '../../../../src-server/vocabulary/csv-mapping.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { TableFrame } from '../../../shared/kit/data-table.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from './import.module.css';
import type { RecognisedText } from './recognise.ts';

const SHOWN_FAULTS = 5;

/** The first rows as the mapping reads them, and the lines that do not fit. */
export function CsvPreview({ mapping, preview }: { mapping: CsvMapping; preview: RecognisedText['preview'] }) {
  const { t, format } = useWords();
  if (!preview) {
    return <Notice tone="info">{t('imports.noPreview')}</Notice>;
  }
  const { rows, counts, faults, clock } = preview;
  const heads = mapping.channels.flatMap(({ type, name, unit, columns }) =>
    columns.map((_, place) => {
      const label = type === 'OTHER' ? (name ?? '') : t(`imports.channelTypes.${type}`);
      const axis = columns.length === 3 ? ` ${'XYZ'[place]}` : columns.length > 1 ? ` ${place + 1}` : '';
      return `${label}${axis} (${unit})`;
    }),
  );
  return (
    <section className={styles.part}>
      <h3>{t('imports.preview')}</h3>
      <p role="status">
        {t('imports.previewCounts', { rows: format.number(counts.rows) })} {t(`imports.clocks.${clock}`)}
        {counts.missing > 0 && ` ${t('imports.previewMissing', { cells: format.number(counts.missing) })}`}
      </p>
      {counts.unreadable > 0 && (
        <Notice tone={counts.unreadable * 20 > counts.rows ? 'bad' : 'warn'}>
          {t('imports.previewUnreadable', { rows: format.number(counts.unreadable) })}
          <ul className={styles.faults}>
            {faults.slice(0, SHOWN_FAULTS).map(({ line, column, kind, text }) => (
              <li key={`${line} ${column} ${kind}`}>
                {t('imports.rowFault', { line, fault: t(`imports.rowFaults.${kind}`, { text }) })}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <TableFrame caption={t('imports.previewRows')} className={styles.preview}>
        <thead>
          <tr>
            <th>{t('imports.line')}</th>
            <th>{t('imports.time')}</th>
            {heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, time, values }) => (
            <tr key={line}>
              <td>{line}</td>
              <td>{time.replace('T', ' ')}</td>
              {values.map((value, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a value is its column
                <td key={place}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}
