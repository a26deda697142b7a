import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import { hasRow, LEADING, metricText, ROWS, SINGLES, STATES, unitText } from './metric.ts';
import styles from './metrics.module.css';

const STATE_LABELS = { SLEEPING: 'metrics.sleeping', RESTING: 'metrics.resting', MOVING: 'metrics.moving' } as const;
const GROUP_STARTS: ReadonlySet<string> = new Set([
  'AVG_HRV_RMSSD',
  'AVG_HRV',
  'COMBINED_ACT_COUNT',
  'AVG_RESPIRATION',
  'AVG_HR',
]);

/** Every metric of one day: value, unit, and words where the data cannot carry a number. */
export function DayMetrics({
  metrics,
  date,
  timeZone,
}: {
  metrics: Readonly<Record<string, number>>;
  date: string;
  timeZone: string;
}) {
  const { t, format } = useWords();
  const absent = (name: string) => {
    const isSleepless = name.startsWith('SLEEPING_') && metrics.SLEEPING_DURATION === undefined;
    return (
      <span className={styles.absent} title={t('metrics.notEnoughHelp')}>
        {isSleepless ? t('metrics.noSleep') : t('metrics.notEnough')}
      </span>
    );
  };
  const value = (name: string) =>
    metrics[name] === undefined ? absent(name) : metricText(name, metrics[name], format, timeZone);

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
                <th scope="row">{t(`metrics.rows.${row}`)}</th>
                {STATES.map((state) => (
                  <td key={state}>{hasRow(state, row) && value(`${state}_${row}`)}</td>
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
                    <dt>{t(`metrics.single.${name}`)}</dt>
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
