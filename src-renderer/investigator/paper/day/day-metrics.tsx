/** All metrics of a day as tables, each value with its unit, or why it is missing. */
import type { DailyMetricsItem } from '../../../../src-server/api/contract/index.ts';
import type { Format } from '../../../shared/i18n/format.ts';
import { withUnit } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import type { DayClock } from '../../../shared/time/local-day.ts';
import { labelValues } from '../../metrics/label-values.ts';
import { hasRow, LEADING, metricText, ROWS, STATES, singleLabel, singlesOf, unitText } from '../../metrics/metric.ts';
import type { Content, PaperTable } from '../contents.tsx';
import styles from '../paper.module.css';

const STATE_LABELS = { SLEEPING: 'metrics.sleeping', RESTING: 'metrics.resting', MOVING: 'metrics.moving' } as const;

export function metricTables(
  item: DailyMetricsItem | undefined,
  date: string,
  clock: DayClock,
  t: Translate,
  format: Format,
): Content[] {
  if (!item) return [{ id: 'metrics', block: <p>{t('paper.day.noMetrics')}</p> }];
  const metrics: Readonly<Record<string, number>> = item.metrics;
  const text = (name: string) => {
    const value = metrics[name];
    if (value !== undefined) return withUnit(metricText(name, value, format, clock), unitText(name, t));
    const isSleepless = name.startsWith('SLEEPING_') && metrics.SLEEPING_DURATION === undefined;
    return <span className={styles.muted}>{t(isSleepless ? 'metrics.noSleep' : 'metrics.notEnough')}</span>;
  };
  const states: PaperTable = {
    caption: t('metrics.ofDay', { date: format.date(date) }),
    columns: [
      { id: 'measure', label: t('metrics.measure'), share: 3 },
      ...STATES.map((state) => ({
        id: state,
        label: (
          <>
            {t(STATE_LABELS[state])}
            <small>{t(state === 'SLEEPING' ? 'metrics.windowNight' : 'metrics.windowDay')}</small>
            {(item.validSeconds[state] ?? 0) > 0 && (
              <small>{t('metrics.fromState', { duration: format.duration(item.validSeconds[state] ?? 0) })}</small>
            )}
          </>
        ),
        share: 3,
        isNumber: true,
      })),
    ],
    rows: ROWS.map((row) => ({
      id: row,
      cells: [t(`metrics.rows.${row}`), ...STATES.map((state) => hasRow(state, row) && text(`${state}_${row}`))],
    })),
  };
  const wear = LEADING.filter((name) => name === 'SENSOR_WEAR_DURATION');
  const names = [...wear, ...singlesOf([item.metrics]).flatMap((group) => group.names)];
  const values = labelValues([item.parameters], format);
  const half = Math.ceil(names.length / 2);
  const cellsOf = (name: (typeof names)[number] | undefined) =>
    name === undefined ? ['', ''] : [singleLabel(name, t, values), text(name)];
  // Two names in a row, read down: a day of ECG has more metrics than a sheet has rows.
  const singles: PaperTable = {
    caption: t('paper.day.further'),
    columns: ['left', 'right'].flatMap((side) => [
      { id: `${side} measure`, label: t('metrics.measure'), share: 3 },
      { id: `${side} value`, label: t('paper.value'), share: 2, isNumber: true },
    ]),
    rows: names.slice(0, half).map((name, at) => ({
      id: name,
      cells: [name, names[half + at]].flatMap(cellsOf),
    })),
  };
  return [
    { id: 'metrics', table: states },
    { id: 'further', table: singles },
  ];
}
