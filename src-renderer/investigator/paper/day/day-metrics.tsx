/** All metrics of a day as tables, each value with its unit, or why it is missing. */
import type { DailyMetricsItem } from '../../../../src-server/api/contract/index.ts';
import type { Format } from '../../../shared/i18n/format.ts';
import { withUnit } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import type { DayClock } from '../../../shared/time/local-day.ts';
import { hasRow, LEADING, metricText, ROWS, SINGLES, STATES, unitText } from '../../metrics/metric.ts';
import { type Content, type PaperTable, TablePart } from '../contents.tsx';
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
  const singles: PaperTable = {
    caption: t('paper.day.further'),
    columns: [
      { id: 'measure', label: t('metrics.measure'), share: 3 },
      { id: 'value', label: t('paper.value'), share: 2, isNumber: true },
    ],
    rows: [...wear, ...SINGLES.flatMap(({ names }) => names)].map((name) => ({
      id: name,
      cells: [t(`metrics.single.${name}`), text(name)],
    })),
  };
  return [
    {
      id: 'metrics',
      block: (
        <div className={styles.columns}>
          <TablePart table={states} />
          <TablePart table={singles} />
        </div>
      ),
    },
  ];
}
