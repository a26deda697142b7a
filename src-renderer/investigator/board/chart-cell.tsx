/** The chart of a metric of one subject. Opens the days that it shows. */
import { memo } from 'react';
import { useWidth } from '../../shared/charts/use-width.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Faint } from '../../shared/kit/data-table.tsx';
import styles from './board.module.css';
import type { BoardDay } from './board-data.ts';
import { type ChartColumn, smallChart } from './small-chart.ts';

const HEIGHT_PX = 72;
const LEFT_PX = 40;

interface ChartProps {
  days: readonly BoardDay[];
  column: ChartColumn;
  text: (value: number) => string;
}

/** Memoised: an arrow key and scrolling render every cell of the board, each with as many circles as days. */
const Chart = memo(function Chart({ days, column, text, widthPx }: ChartProps & { widthPx: number }) {
  const { t, format } = useWords();
  const frame = { leftPx: LEFT_PX, topPx: 6, widthPx: Math.max(10, widthPx - LEFT_PX - 8), heightPx: HEIGHT_PX - 24 };
  const { lines, dots } = smallChart(days, column.axis, frame, column.scale);
  const bottom = frame.topPx + frame.heightPx;
  const [first, last] = [days[0]?.date, days.at(-1)?.date];
  return (
    <svg viewBox={`0 0 ${widthPx} ${HEIGHT_PX}`} aria-hidden="true">
      <path
        d={`M${frame.leftPx} ${frame.topPx}V${bottom}H${frame.leftPx + frame.widthPx}`}
        fill="none"
        stroke="var(--line-strong)"
      />
      <text x={frame.leftPx - 4} y={frame.topPx + 6} textAnchor="end">
        {column.high}
      </text>
      <text x={frame.leftPx - 4} y={bottom} textAnchor="end">
        {column.low}
      </text>
      <text x={frame.leftPx} y={HEIGHT_PX - 4}>
        {first && format.monthDay(first)}
      </text>
      <text x={frame.leftPx + frame.widthPx} y={HEIGHT_PX - 4} textAnchor="end">
        {last && format.monthDay(last)}
      </text>
      {lines.map((d) => (
        <path key={d} d={d} fill="none" stroke="var(--accent)" strokeWidth={1.4} />
      ))}
      {dots.map(({ x, y, day }) => (
        <circle
          key={day.date}
          cx={x}
          cy={y}
          r={2.4}
          data-partial={day.isPartial || undefined}
          fill={day.isPartial ? 'var(--surface)' : 'var(--accent)'}
          stroke="var(--accent)"
        >
          <title>{t('table.pair', { name: format.date(day.date), value: text(day.value) })}</title>
        </circle>
      ))}
    </svg>
  );
});

export function ChartCell({
  label,
  cell,
  onOpen,
  ...chart
}: ChartProps & {
  label: string;
  /** Of the grid that it is in. */
  cell: object;
  onOpen: () => void;
}) {
  const { t } = useWords();
  const [reference, widthPx] = useWidth();
  return (
    <button type="button" className={styles.cell} aria-label={label} onClick={onOpen} {...cell}>
      <div ref={reference}>
        {chart.days.every(({ value }) => value === null) ? (
          <span className={styles.none}>
            <Faint>{t('board.noValue')}</Faint>
          </span>
        ) : (
          widthPx > 0 && <Chart {...chart} widthPx={widthPx} />
        )}
      </div>
    </button>
  );
}
