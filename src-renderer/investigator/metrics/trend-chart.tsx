/** The line chart of a trend: breaks where a day is missing, the median, and the band of the middle 80 %. */

import { type Key, useMemo } from 'react';
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
import { useWords } from '../../shared/i18n/i18n.ts';
import { quantile, type SingleName, trendRange, unitOf } from './metric.ts';
import styles from './metrics.module.css';

export interface TrendPoint {
  date: string;
  /** Null on a day without the metric. */
  value: number | null;
  /** Too little of the day was worn: its value is drawn hollow. */
  isPartial: boolean;
}

/** With fewer days the spread means nothing. */
const MIN_DAYS_FOR_BAND = 5;

interface DotProps {
  key?: Key | null | undefined;
  cx?: number;
  cy?: number;
  payload?: { isPartial?: boolean };
}

/** A day: filled, or hollow where only a part of it was worn. */
function Dot({ cx, cy, isPartial }: { cx: number | undefined; cy: number | undefined; isPartial: boolean }) {
  // Recharts places no dot where there is no value.
  if (cx === undefined || cy === undefined || Number.isNaN(cy) || cy === null) return null;
  return (
    <circle
      cx={cx}
      cy={cy}
      r={3}
      data-partial={isPartial || undefined}
      fill={isPartial ? 'var(--surface)' : 'var(--accent)'}
      stroke="var(--accent)"
      strokeWidth={isPartial ? 1.4 : 0}
    />
  );
}

/** Durations are drawn in hours, so that the axis has whole hours. */
const scaleOf = (name: SingleName) => (unitOf(name) === 'seconds' ? 3600 : 1);

function axisOf(name: SingleName, ascending: readonly number[]) {
  const scale = scaleOf(name);
  const axis = trendRange(name, (ascending[0] ?? 0) / scale, (ascending.at(-1) ?? 1) / scale);
  const count = Math.round((axis.high - axis.low) / axis.step) + 1;
  return {
    domain: [axis.low, axis.high],
    ticks: Array.from({ length: count }, (_, index) => axis.low + index * axis.step),
    digits: axis.step >= 1 ? 0 : axis.step >= 0.1 ? 1 : 2,
  };
}

/**
 * @param values the values of the points, ascending
 * @param text puts a value in words
 */
export function TrendChart({
  name,
  points,
  values,
  text,
  onDate,
}: {
  name: SingleName;
  points: readonly TrendPoint[];
  values: readonly number[];
  text: (value: number) => string;
  onDate: (date: string) => void;
}) {
  const { t, format } = useWords();
  const scale = scaleOf(name);
  const { domain, ticks, digits } = axisOf(name, values);
  const partial = useMemo(() => new Set(points.flatMap((point) => (point.isPartial ? point.date : []))), [points]);
  const hasBand = values.length >= MIN_DAYS_FOR_BAND;
  return (
    <div aria-hidden="true">
      <ResponsiveContainer width="100%" height={140}>
        <LineChart
          data={points.map((point) => ({
            date: point.date,
            value: point.value === null ? null : point.value / scale,
            isPartial: point.isPartial,
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
            domain={domain}
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
              const isPartial = partial.has(String(label));
              return active && typeof label === 'string' ? (
                <div className={styles.tip}>
                  {t('table.pair', {
                    name: format.date(label),
                    value: typeof value === 'number' ? text(value * scale) : t('metrics.notEnough'),
                  })}
                  {isPartial && <small>{t('metrics.partial')}</small>}
                </div>
              ) : null;
            }}
          />
          <Line
            dataKey="value"
            type="linear"
            stroke="var(--accent)"
            strokeWidth={1.6}
            dot={({ key, cx, cy, payload }: DotProps) => (
              <Dot key={key} cx={cx} cy={cy} isPartial={payload?.isPartial === true} />
            )}
            activeDot={{ r: 5, fill: 'var(--accent)', stroke: 'var(--surface)' }}
            connectNulls={false}
            isAnimationActive={false}
          />
        </LineChart>
      </ResponsiveContainer>
    </div>
  );
}
