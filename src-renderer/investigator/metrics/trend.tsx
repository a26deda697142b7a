/** One metric over the days: points with breaks where a day is missing, median and the middle 80 %. */
import {
  CartesianGrid,
  Line,
  LineChart,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { withUnit } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import type { DayClock } from '../../shared/time/local-day.ts';
import { metricText, quantile, type SingleName, trendRange, unitOf, unitText } from './metric.ts';
import styles from './metrics.module.css';

export interface TrendPoint {
  date: string;
  /** null where the day has no such number. */
  value: number | null;
}

/** Fewer days than this have no meaningful spread. */
const MIN_DAYS_FOR_BAND = 5;

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
  // Durations are drawn in hours, so that the axis has whole ones.
  const scale = unitOf(name) === 'seconds' ? 3600 : 1;
  const axis = trendRange(name, (values[0] ?? 0) / scale, (values.at(-1) ?? 1) / scale);
  const ticks = Array.from(
    { length: Math.round((axis.high - axis.low) / axis.step) + 1 },
    (_, i) => axis.low + i * axis.step,
  );
  const digits = axis.step >= 1 ? 0 : axis.step >= 0.1 ? 1 : 2;
  const title = t(`metrics.single.${name}`);
  const unit = unitText(name, t);
  const hasBand = values.length >= MIN_DAYS_FOR_BAND;
  return (
    <section className={`${panelClass} ${styles.trend}`} aria-label={title}>
      <h3>
        {title} <small>{unitOf(name) === 'seconds' ? t('metrics.hours') : unit}</small>
      </h3>
      {values.length === 0 ? (
        <p>{t('metrics.trendEmpty')}</p>
      ) : (
        <>
          <p>
            {t('metrics.trendSummary', {
              count: values.length,
              low: values.length === 1 ? text(values[0]) : metricText(name, values[0], format, clock),
              high: text(values.at(-1)!),
              median: text(quantile(values, 0.5)),
            })}
          </p>
          <div aria-hidden="true">
            <ResponsiveContainer width="100%" height={140}>
              <LineChart
                data={points.map((point) => ({
                  date: point.date,
                  value: point.value === null ? null : point.value / scale,
                }))}
                margin={{ top: 6, right: 10, bottom: 0, left: 0 }}
                accessibilityLayer={false}
                onClick={(state) => {
                  if (typeof state.activeLabel === 'string') onDate(state.activeLabel);
                }}
              >
                <CartesianGrid vertical={false} stroke="var(--line-soft)" />
                {hasBand && (
                  <ReferenceArea
                    y1={quantile(values, 0.1) / scale}
                    y2={quantile(values, 0.9) / scale}
                    fill="var(--accent)"
                    fillOpacity={0.1}
                    strokeOpacity={0}
                  />
                )}
                {hasBand && (
                  <ReferenceLine y={quantile(values, 0.5) / scale} stroke="var(--line-strong)" strokeDasharray="5 4" />
                )}
                <XAxis
                  dataKey="date"
                  tickFormatter={format.monthDay}
                  tick={{ fill: 'var(--text-faint)', fontSize: 10 }}
                  stroke="var(--line-strong)"
                  tickLine={false}
                  minTickGap={18}
                  height={20}
                />
                <YAxis
                  domain={[axis.low, axis.high]}
                  ticks={ticks}
                  interval={0}
                  width={44}
                  tickFormatter={(value: number) => format.number(value, digits)}
                  tick={{ fill: 'var(--text-faint)', fontSize: 10 }}
                  stroke="none"
                />
                <Tooltip
                  isAnimationActive={false}
                  cursor={{ stroke: 'var(--line-strong)' }}
                  content={({ active, label, payload }) => {
                    const value: unknown = payload?.[0]?.value;
                    return active && typeof label === 'string' ? (
                      <div className={styles.tip}>
                        {t('table.pair', {
                          name: format.date(label),
                          value: typeof value === 'number' ? text(value * scale) : t('metrics.notEnough'),
                        })}
                      </div>
                    ) : null;
                  }}
                />
                <Line
                  dataKey="value"
                  type="linear"
                  stroke="var(--accent)"
                  strokeWidth={1.6}
                  dot={{ r: 3, fill: 'var(--accent)', strokeWidth: 0 }}
                  activeDot={{ r: 5, fill: 'var(--accent)', stroke: 'var(--surface)' }}
                  connectNulls={false}
                  isAnimationActive={false}
                />
              </LineChart>
            </ResponsiveContainer>
          </div>
        </>
      )}
    </section>
  );
}
