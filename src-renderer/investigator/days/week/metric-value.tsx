/** A daily metric in words, and its median over the study. */
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Faint } from '../../../shared/kit/data-table.tsx';
import type { DayClock } from '../../../shared/time/local-day.ts';
import { metricText, quantile, type SingleName } from '../../metrics/metric.ts';
import styles from './week.module.css';
import { MIN_MEDIAN_DAYS, WEEK_METRICS, type WeekMetrics } from './week-metrics.ts';

export function MetricValue({ name, value, clock }: { name: SingleName; value: number | undefined; clock: DayClock }) {
  const { t, format } = useWords();
  return value === undefined ? <Faint>{t('metrics.notEnough')}</Faint> : metricText(name, value, format, clock);
}

/** Median and 10th to 90th percentile of each metric over all days of the study. */
export function MedianRow({ metrics: { sorted, count, isKnown }, clock }: { metrics: WeekMetrics; clock: DayClock }) {
  const { t } = useWords();
  return (
    <tr>
      <th scope="row" colSpan={2}>
        {isKnown && (count >= MIN_MEDIAN_DAYS ? t('week.median', { count }) : t('week.medianFew'))}
      </th>
      {WEEK_METRICS.map((name) => {
        const values = sorted.get(name) ?? [];
        const valueAt = (share: number) => <MetricValue name={name} value={quantile(values, share)} clock={clock} />;
        return (
          <td key={name} className={styles.number}>
            {values.length >= MIN_MEDIAN_DAYS && (
              <>
                {valueAt(0.5)}
                <small>
                  <span>{valueAt(0.1)} –</span> <span>{valueAt(0.9)}</span>
                </small>
              </>
            )}
          </td>
        );
      })}
    </tr>
  );
}
