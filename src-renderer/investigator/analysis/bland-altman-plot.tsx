/** Differences of one metric over their means, with bias, limits of agreement and the confidence intervals of these. */
import { useQuery } from '@tanstack/react-query';
import type { MetricAgreement } from '../../../src-server/api/contract/index.ts';
import { comparisonPointsQuery } from '../../shared/api/analysis-queries.ts';
import { niceRange } from '../../shared/charts/scale.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import type { LabelValues } from '../metrics/label-values.ts';
import styles from './analysis.module.css';
import { differenceText, differenceUnit, inUnit, metricLabel } from './difference.ts';

const WIDTH = 900;
const HEIGHT = 300;
const LEFT = 64;
const RIGHT = 140;
const TOP = 12;
const BOTTOM = 44;

interface Axis {
  low: number;
  high: number;
  step: number;
}

const ticksOf = ({ low, high, step }: Axis): number[] =>
  Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step);

export function BlandAltmanPlot({
  studyId,
  runId,
  agreement,
  values,
}: {
  studyId: string;
  runId: string;
  agreement: MetricAgreement;
  values: LabelValues;
}) {
  const { t, format } = useWords();
  const { name } = agreement;
  const query = useQuery(comparisonPointsQuery(studyId, runId, name));
  return (
    <section className={`${panelClass} ${styles.plot}`} aria-label={metricLabel(name, t, values)}>
      <h3>{metricLabel(name, t, values)}</h3>
      <QueryView query={query}>
        {({ points, pairs }) => (
          <>
            <Plot agreement={agreement} points={points} values={values} />
            <p className={styles.help}>
              {t('runs.plotHelp')}
              {points.length < pairs &&
                ` ${t('runs.plotThinned', { shown: format.number(points.length), all: format.number(pairs) })}`}
            </p>
          </>
        )}
      </QueryView>
    </section>
  );
}

function Plot({
  agreement,
  points,
  values,
}: {
  agreement: MetricAgreement;
  values: LabelValues;
  points: readonly { subjectId: string; date: string; inUse: number; run: number }[];
}) {
  const { t, format } = useWords();
  const { name, bias, lower, upper, biasInterval, lowerInterval, upperInterval } = agreement;
  const unit = differenceUnit(name, t);
  const shown = points.map(({ inUse, run, ...point }) => ({
    ...point,
    mean: inUnit(name, (inUse + run) / 2),
    difference: inUnit(name, run - inUse),
  }));
  const lines = [bias, lower, upper, lowerInterval?.low, upperInterval?.high].flatMap((value) =>
    value === undefined ? [] : [inUnit(name, value)],
  );
  const means = shown.map(({ mean }) => mean);
  const differences = [0, ...lines, ...shown.map(({ difference }) => difference)];
  const across = niceRange(Math.min(...means), Math.max(...means), 6);
  const up = niceRange(Math.min(...differences), Math.max(...differences), 5);
  const x = (value: number) => LEFT + ((value - across.low) / (across.high - across.low)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => TOP + ((up.high - value) / (up.high - up.low)) * (HEIGHT - TOP - BOTTOM);
  const digitsOf = ({ step }: Axis) => Math.max(0, Math.min(4, -Math.floor(Math.log10(step))));
  const tickText = (value: number, axis: Axis) => format.number(value, digitsOf(axis)).replace('-', '−');
  const isTime = name.endsWith('_TS');
  const band = (interval: { low: number; high: number } | undefined, key: string) =>
    interval && (
      <rect
        key={key}
        className={styles.band}
        x={LEFT}
        width={WIDTH - LEFT - RIGHT}
        y={y(inUnit(name, interval.high))}
        height={Math.max(1, y(inUnit(name, interval.low)) - y(inUnit(name, interval.high)))}
      />
    );
  const line = (value: number | undefined, className: string | undefined, label: string) =>
    value !== undefined && (
      <g key={label}>
        <line
          className={className}
          x1={LEFT}
          x2={WIDTH - RIGHT}
          y1={y(inUnit(name, value))}
          y2={y(inUnit(name, value))}
        />
        <text className={styles.mark} x={WIDTH - RIGHT + 6} y={y(inUnit(name, value)) + 4}>
          {t('runs.mark', { label, value: differenceText(name, value, format) })}
        </text>
      </g>
    );
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={t('runs.plotOf', { metric: metricLabel(name, t, values) })}
    >
      {band(lowerInterval, 'lower')}
      {band(upperInterval, 'upper')}
      {band(biasInterval, 'bias')}
      <line className={styles.zero} x1={LEFT} x2={WIDTH - RIGHT} y1={y(0)} y2={y(0)} />
      {shown.map(({ subjectId, date, mean, difference }) => (
        <circle key={`${subjectId} ${date}`} className={styles.point} cx={x(mean)} cy={y(difference)} r={3} />
      ))}
      {line(lower, styles.limit, t('runs.lower'))}
      {line(upper, styles.limit, t('runs.upper'))}
      {line(bias, styles.bias, t('runs.bias'))}
      <line className={styles.axis} x1={LEFT} x2={LEFT} y1={TOP} y2={HEIGHT - BOTTOM} />
      <line className={styles.axis} x1={LEFT} x2={WIDTH - RIGHT} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
      {ticksOf(up).map((value) => (
        <text key={value} className={styles.tick} x={LEFT - 8} y={y(value) + 4} textAnchor="end">
          {tickText(value, up)}
        </text>
      ))}
      {!isTime &&
        ticksOf(across).map((value) => (
          <text key={value} className={styles.tick} x={x(value)} y={HEIGHT - BOTTOM + 16} textAnchor="middle">
            {tickText(value, across)}
          </text>
        ))}
      <text className={styles.tick} x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 6} textAnchor="middle">
        {t('runs.meanOf', { unit: isTime ? t('runs.timeOfDay') : unit })}
      </text>
      <text
        className={styles.tick}
        transform={`translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`}
        textAnchor="middle"
      >
        {t('runs.differenceIn', { unit })}
      </text>
    </svg>
  );
}
