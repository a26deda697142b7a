/** The comparison of a run with what is in use: a row per metric, and the plot of one. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { MetricAgreement } from '../../../src-server/api/contract/index.ts';
import type { AnalysisParameters } from '../../../src-server/vocabulary/analysis-parameters.ts';
import { comparisonQuery } from '../../shared/api/analysis-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Checkbox } from '../../shared/kit/forms.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { type LabelValues, labelValues } from '../metrics/label-values.ts';
import styles from './analysis.module.css';
import { BlandAltmanPlot } from './bland-altman-plot.tsx';
import { useIsBeingDeleted } from './dialogs.tsx';
import { differenceText, differenceUnit, metricLabel } from './difference.ts';

const differs = ({ pairs, equalPairs, onlyInUse, onlyInRun }: MetricAgreement) =>
  equalPairs < pairs || onlyInUse > 0 || onlyInRun > 0;

function useColumns(onShow: (name: string) => void, values: LabelValues): Column<MetricAgreement>[] {
  const { t, format } = useWords();
  return useMemo(() => {
    const text = ({ name }: MetricAgreement, value: number | undefined) =>
      value === undefined ? <Faint>{t('runs.none')}</Faint> : differenceText(name, value, format);
    const range = ({ name }: MetricAgreement, interval: { low: number; high: number } | undefined) =>
      interval &&
      t('runs.range', {
        low: differenceText(name, interval.low, format),
        high: differenceText(name, interval.high, format),
      });
    const withRange = (row: MetricAgreement, value: number | undefined, interval: MetricAgreement['biasInterval']) => (
      <>
        {text(row, value)} {interval && <Faint>{range(row, interval)}</Faint>}
      </>
    );
    return [
      {
        id: 'metric',
        header: t('runs.metric'),
        value: ({ name }) => metricLabel(name, t, values),
        cell: ({ name, pairs }) =>
          pairs > 0 ? (
            <Button kind="quiet" small onPress={() => onShow(name)}>
              <span className={styles.name}>{metricLabel(name, t, values)}</span>
            </Button>
          ) : (
            <span className={styles.name}>{metricLabel(name, t, values)}</span>
          ),
      },
      { id: 'unit', header: t('runs.unit'), cell: ({ name }) => differenceUnit(name, t) },
      {
        id: 'pairs',
        header: t('runs.pairs'),
        help: t('runs.pairsHelp'),
        isNumber: true,
        value: ({ pairs }) => pairs,
        cell: ({ pairs }) => format.number(pairs),
      },
      {
        id: 'different',
        header: t('runs.different'),
        isNumber: true,
        value: ({ pairs, equalPairs }) => pairs - equalPairs,
        cell: ({ pairs, equalPairs }) => format.number(pairs - equalPairs),
      },
      {
        id: 'bias',
        header: t('runs.bias'),
        help: t('runs.biasHelp'),
        isNumber: true,
        value: ({ bias }) => bias,
        cell: (row) => (row.pairs === 0 ? <Faint>{t('runs.none')}</Faint> : withRange(row, row.bias, row.biasInterval)),
      },
      {
        id: 'lower',
        header: t('runs.lower'),
        help: t('runs.limitHelp'),
        isNumber: true,
        value: ({ lower }) => lower,
        cell: (row) => withRange(row, row.lower, row.lowerInterval),
      },
      {
        id: 'upper',
        header: t('runs.upper'),
        help: t('runs.limitHelp'),
        isNumber: true,
        value: ({ upper }) => upper,
        cell: (row) => withRange(row, row.upper, row.upperInterval),
      },
      {
        id: 'missing',
        isSecondary: true,
        header: t('runs.missing'),
        help: t('runs.missingHelp'),
        isNumber: true,
        value: ({ onlyInUse, onlyInRun }) => onlyInUse + onlyInRun,
        cell: ({ onlyInUse, onlyInRun }) => `${format.number(onlyInUse)} / ${format.number(onlyInRun)}`,
      },
    ];
  }, [t, format, onShow, values]);
}

/** @param parameters of the results in use, and of the run */
export function Comparison({
  studyId,
  runId,
  parameters,
}: {
  studyId: string;
  runId: string;
  parameters: readonly [inUse: AnalysisParameters, run: AnalysisParameters];
}) {
  const { t, format } = useWords();
  const [inUse, ofRun] = parameters;
  const values = useMemo(() => labelValues([inUse, ofRun], format), [inUse, ofRun, format]);
  const isBeingDeleted = useIsBeingDeleted(runId);
  const query = useQuery({ ...comparisonQuery(studyId, runId), enabled: !isBeingDeleted });
  const [isAll, setAll] = useState(false);
  const [shown, setShown] = useState<string | null>(null);
  const columns = useColumns(setShown, values);
  return (
    <QueryView query={query}>
      {({ days, metrics }) => {
        const rows = isAll ? metrics : metrics.filter(differs);
        const chosen =
          metrics.find(({ name, pairs }) => name === shown && pairs > 0) ?? rows.find(({ pairs }) => pairs > 1);
        if (days.both === 0) return <Empty icon="info" title={t('runs.noDaysTitle')} help={t('runs.noDaysHelp')} />;
        return (
          <div className={styles.run}>
            <h3>{t('runs.comparison')}</h3>
            <p className={styles.help}>{t('runs.comparisonHelp', { count: days.both })}</p>
            <Checkbox label={t('runs.showEqual')} isSelected={isAll} onChange={setAll} />
            {rows.length === 0 ? (
              <p>{t('runs.allEqual')}</p>
            ) : (
              <DataTable
                caption={t('runs.comparison')}
                rows={rows}
                columns={columns}
                rowId={({ name }) => name}
                initialSort={{ id: 'different', desc: true }}
              />
            )}
            {chosen && <BlandAltmanPlot studyId={studyId} runId={runId} agreement={chosen} values={values} />}
          </div>
        );
      }}
    </QueryView>
  );
}
