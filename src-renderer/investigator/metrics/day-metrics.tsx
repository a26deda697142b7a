import type { DailyMetricsItem } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import type { DayClock } from '../../shared/time/local-day.ts';
import { hasRow, LEADING, metricText, ROWS, SINGLES, STATES, secondsBehind, stateOf, unitText } from './metric.ts';
import { MetricHelp, useMetricWords } from './metric-help.tsx';
import styles from './metrics.module.css';

const STATE_LABELS = { SLEEPING: 'metrics.sleeping', RESTING: 'metrics.resting', MOVING: 'metrics.moving' } as const;
const GROUP_STARTS: ReadonlySet<string> = new Set([
  'AVG_HRV_RMSSD',
  'AVG_HRV',
  'COMBINED_ACT_COUNT',
  'AVG_RESPIRATION',
  'AVG_HR',
]);

/** Rows that say in a line of their own how much data stands behind them. */
const SHOWS_DATA: ReadonlySet<string> = new Set(['AVG_HR']);

/** Every metric of one day: value, unit, the data behind it, and words where the data cannot carry a number. */
export function DayMetrics({
  item,
  date,
  clock,
}: {
  /** Undefined when the day has none. */
  item: DailyMetricsItem | undefined;
  date: string;
  clock: DayClock;
}) {
  const { t, format } = useWords();
  const words = useMetricWords();
  const metrics: Readonly<Record<string, number>> = item?.metrics ?? {};
  const isSleepless = (name: string) => name.startsWith('SLEEPING_') && metrics.SLEEPING_DURATION === undefined;
  const needOf = (name: string) => {
    const need = words?.get(name)?.minimumData;
    return need === undefined ? undefined : t('metrics.needs', { need });
  };
  const value = (name: string) =>
    metrics[name] === undefined ? (
      <span className={styles.absent} title={needOf(name) ?? t('metrics.notEnoughHelp')}>
        {isSleepless(name) ? t('metrics.noSleep') : t('metrics.notEnough')}
      </span>
    ) : (
      metricText(name, metrics[name], format, clock)
    );
  const dataBehind = (name: string) => {
    const seconds = item && metrics[name] !== undefined ? secondsBehind(name, item.validSeconds) : undefined;
    return seconds === undefined ? undefined : t('metrics.from', { duration: format.duration(seconds) });
  };

  const dataInState = (name: string) => {
    const seconds = item && metrics[name] !== undefined ? secondsBehind(name, item.validSeconds) : undefined;
    const state = stateOf(name);
    return seconds && state ? t(`metrics.fromIn.${state}`, { duration: format.duration(seconds) }) : undefined;
  };

  return (
    <section className={`${panelClass} ${styles.panel}`} aria-label={t('metrics.ofDay', { date: format.date(date) })}>
      <h2>{t('metrics.ofDay', { date: format.date(date) })}</h2>
      <dl className={styles.tiles}>
        {LEADING.map((name) => (
          <div key={name} className={styles.tile}>
            <dt>{t(`metrics.single.${name}`)}</dt>
            <dd>
              {value(name)} {metrics[name] !== undefined && <small>{unitText(name, t)}</small>}
            </dd>
            <dd className={styles.behind}>{dataInState(name)}</dd>
            <dd className={styles.behind}>{needOf(name)}</dd>
          </div>
        ))}
      </dl>
      <div className={styles.columns}>
        <table className={styles.matrix}>
          <caption className="visually-hidden">{t('metrics.ofDay', { date: format.date(date) })}</caption>
          <thead>
            <tr>
              <th scope="col">{t('metrics.measure')}</th>
              {STATES.map((state) => (
                <th key={state} scope="col">
                  {t(STATE_LABELS[state])}
                  <small>{t(state === 'SLEEPING' ? 'metrics.windowNight' : 'metrics.windowDay')}</small>
                  {item && item.validSeconds[state] > 0 && (
                    <small>{t('metrics.fromState', { duration: format.duration(item.validSeconds[state]) })}</small>
                  )}
                </th>
              ))}
              <th scope="col">
                <span className="visually-hidden">{t('metrics.unit')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {ROWS.map((row) => (
              <tr key={row} className={GROUP_STARTS.has(row) ? styles.group : undefined}>
                <th scope="row">
                  {t(`metrics.rows.${row}`)}
                  <MetricHelp
                    label={t(`metrics.rows.${row}`)}
                    names={STATES.filter((state) => hasRow(state, row)).map((state) => `${state}_${row}`)}
                  />
                </th>
                {STATES.map((state) => (
                  <td key={state}>
                    {hasRow(state, row) && value(`${state}_${row}`)}
                    {SHOWS_DATA.has(row) && <small>{dataBehind(`${state}_${row}`)}</small>}
                  </td>
                ))}
                <td className={styles.unit}>{unitText(row, t)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <div className={styles.side}>
          {SINGLES.map(({ group, names }) => (
            <div key={group}>
              <h3>{t(`metrics.groups.${group}`)}</h3>
              <dl>
                {names.map((name) => (
                  <div key={name}>
                    <dt>
                      {t(`metrics.single.${name}`)}
                      <MetricHelp label={t(`metrics.single.${name}`)} names={[name]} />
                    </dt>
                    <dd>
                      {value(name)} {metrics[name] !== undefined && <small>{unitText(name, t)}</small>}
                    </dd>
                  </div>
                ))}
              </dl>
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}
