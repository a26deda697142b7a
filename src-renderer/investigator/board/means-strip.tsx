/** The means of the subjects of a group on the axis of the metric, and their mean as a line. The numbers stand beside it. */
import styles from './board.module.css';
import type { ChartColumn } from './small-chart.ts';

const WIDTH_PX = 180;
const HEIGHT_PX = 22;
const EDGE_PX = 40;

export function MeansStrip({ means, mean, column }: { means: readonly number[]; mean: number; column: ChartColumn }) {
  const { low, high } = column.axis;
  const x = (value: number) => EDGE_PX + ((value / column.scale - low) / (high - low || 1)) * (WIDTH_PX - 2 * EDGE_PX);
  const middle = HEIGHT_PX / 2;
  return (
    <svg className={styles.strip} width={WIDTH_PX} height={HEIGHT_PX} aria-hidden="true">
      <text x={EDGE_PX - 4} y={middle + 4} textAnchor="end">
        {column.low}
      </text>
      <text x={WIDTH_PX - EDGE_PX + 4} y={middle + 4}>
        {column.high}
      </text>
      <path d={`M${EDGE_PX} ${middle}H${WIDTH_PX - EDGE_PX}`} stroke="var(--line-strong)" />
      {means.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a subject has no other place here
        <circle key={index} cx={x(value)} cy={middle} r={2.6} fill="var(--accent)" fillOpacity={0.55} />
      ))}
      <path d={`M${x(mean)} 2V${HEIGHT_PX - 2}`} stroke="var(--text)" strokeWidth={2} />
    </svg>
  );
}
