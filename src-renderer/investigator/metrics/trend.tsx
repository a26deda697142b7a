/** One metric over the days: its range and median in words, and the chart of its values. */
import { withUnit } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import type { DayClock } from '../../shared/time/local-day.ts';
import { metricText, quantile, type SingleName, unitOf, unitText } from './metric.ts';
import styles from './metrics.module.css';
import { TrendChart, type TrendPoint } from './trend-chart.tsx';

export function Trend({
  name,
  points,
  clock,
  onDate,
}: {
  name: SingleName;
  points: TrendPoint[];
  clock: DayClock;
  onDate: (date: string) => void;
}) {
  const { t, format } = useWords();
  const values = points.flatMap((point) => point.value ?? []).sort((a, b) => a - b);
  const text = (value: number) => withUnit(metricText(name, value, format, clock), unitText(name, t));
  const title = t(`metrics.single.${name}`);
  const unit = unitText(name, t);
  const [lowest, highest] = [values[0], values.at(-1)];
  return (
    <section className={`${panelClass} ${styles.trend}`} aria-label={title}>
      <h3>
        {title} <small>{unitOf(name) === 'seconds' ? t('metrics.hours') : unit}</small>
      </h3>
      {lowest === undefined || highest === undefined ? (
        <p>{t('metrics.trendEmpty')}</p>
      ) : (
        <>
          <p>
            {t('metrics.trendSummary', {
              count: values.length,
              low: values.length === 1 ? text(lowest) : metricText(name, lowest, format, clock),
              high: text(highest),
              median: text(quantile(values, 0.5)),
            })}
          </p>
          <TrendChart name={name} points={points} values={values} text={text} onDate={onDate} />
        </>
      )}
    </section>
  );
}
