import {
  CSV_TIME_UNITS,
  type CsvTime,
  DATE_ORDERS,
  timeColumnsOf,
} from '../../../../src-server/vocabulary/csv-mapping.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { columnOptions } from './csv-columns.ts';
import styles from './import.module.css';

const KINDS = ['DATE_TIME', 'UNIX', 'ELAPSED', 'SAMPLE_NUMBER'] as const;

function changedKind(before: CsvTime, kind: CsvTime['kind']): CsvTime {
  const column = timeColumnsOf(before)[0] ?? 0;
  const unit = 'unit' in before ? before.unit : 's';
  if (kind === 'DATE_TIME') return { kind, column, order: 'YMD' };
  if (kind === 'SAMPLE_NUMBER') return { kind, rateHz: 100 };
  return { kind, column, unit };
}

/** How a row's time is written. */
export function CsvTimeFields({
  time,
  columns,
  onChange,
}: {
  time: CsvTime;
  columns: readonly string[];
  onChange: (time: CsvTime) => void;
}) {
  const { t } = useWords();
  const isOptional = time.kind === 'SAMPLE_NUMBER';
  return (
    <section className={styles.part}>
      <h3>{t('imports.time')}</h3>
      <div className={styles.fields}>
        <Select
          label={t('imports.timeKind')}
          value={time.kind}
          options={KINDS.map((id) => ({ id, label: t(`imports.timeKinds.${id}`) }))}
          onChange={(kind) => onChange(changedKind(time, kind))}
        />
        <Select
          label={t('imports.column')}
          value={time.column === undefined ? '' : String(time.column)}
          options={columnOptions(columns, isOptional ? t('imports.countRows') : undefined)}
          onChange={(value) => {
            const column = value === '' ? undefined : Number(value);
            if (time.kind === 'SAMPLE_NUMBER') {
              onChange({ kind: time.kind, rateHz: time.rateHz, ...(column !== undefined && { column }) });
            } else if (column !== undefined) onChange({ ...time, column });
          }}
        />
        {time.kind === 'DATE_TIME' && (
          <>
            <Select
              label={t('imports.timeOfDay')}
              value={time.timeColumn === undefined ? '' : String(time.timeColumn)}
              options={columnOptions(columns, t('imports.sameColumn'))}
              onChange={(value) => {
                const { timeColumn: _, ...rest } = time;
                onChange(value === '' ? rest : { ...rest, timeColumn: Number(value) });
              }}
            />
            <Select
              label={t('imports.dateOrder')}
              value={time.order}
              options={DATE_ORDERS.map((id) => ({ id, label: t(`imports.dateOrders.${id}`) }))}
              onChange={(order) => onChange({ ...time, order })}
            />
          </>
        )}
        {(time.kind === 'UNIX' || time.kind === 'ELAPSED') && (
          <Select
            label={t('imports.unit')}
            value={time.unit}
            options={CSV_TIME_UNITS.map((id) => ({ id, label: id === 'us' ? 'µs' : id }))}
            onChange={(unit) => onChange({ ...time, unit })}
          />
        )}
        {time.kind === 'SAMPLE_NUMBER' && (
          <Field
            label={t('imports.rateHz')}
            type="number"
            value={String(time.rateHz)}
            onChange={(value) => onChange({ ...time, rateHz: Math.min(100_000, Math.abs(Number(value)) || 1) })}
          />
        )}
      </div>
    </section>
  );
}
