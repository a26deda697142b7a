import type { DailyMetricsItem } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import type { DayClock } from '../../shared/time/local-day.ts';
import { labelValues } from './label-values.ts';
import { MethodText } from './method-text.tsx';
import {
  hasRow,
  heartOrigin,
  leadingOf,
  metricText,
  ROWS,
  STATES,
  secondsBehind,
  singleLabel,
  singlesOf,
  stateOf,
  TRUSTED_LEFT_OUT,
  unitText,
} from './metric.ts';
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

/** Rows that state in a line of their own how much data they are based on. */
const SHOWS_DATA: ReadonlySet<string> = new Set(['AVG_HR']);

/** How the metrics of one day read: the value, how much data it is based on, and why one is missing. */
function useDayMetricTexts(item: DailyMetricsItem | undefined, clock: DayClock) {
  const { t, format } = useWords();
  const words = useMetricWords();
  const metrics: Readonly<Record<string, number>> = item?.metrics ?? {};
  const isSleepless = (name: string) => name.startsWith('SLEEPING_') && metrics.SLEEPING_DURATION === undefined;
  const secondsOf = (name: string) =>
    item && metrics[name] !== undefined ? secondsBehind(name, item.validSeconds) : undefined;
  const needOf = (name: string) => {
    const need = words?.get(name)?.minimumData;
    return need === undefined ? undefined : t('metrics.needs', { need });
  };
  const textOf = (name: string, value: number | undefined) =>
    value === undefined ? undefined : metricText(name, value, format, clock);
  const without: Readonly<Record<string, number>> | undefined = item?.uncorrected?.metrics;
  return {
    needOf,
    metricValue: (name: string) => {
      const text = textOf(name, metrics[name]);
      const shown = text ?? (
        <span className={styles.absent} title={needOf(name) ?? t('metrics.notEnoughHelp')}>
          {isSleepless(name) ? t('metrics.noSleep') : t('metrics.notEnough')}
        </span>
      );
      const plain = without && textOf(name, without[name]);
      if (!without || plain === text) return shown;
      return (
        <>
          {shown}
          <small className={styles.without}>{t('metrics.without', { value: plain ?? t('metrics.notEnough') })}</small>
        </>
      );
    },
    /** The unit beside a value; nothing where the value is missing. */
    unitOf: (name: string) => metrics[name] !== undefined && <small>{unitText(name, t)}</small>,
    dataBehind: (name: string) => {
      const seconds = secondsOf(name);
      return seconds === undefined ? undefined : t('metrics.from', { duration: format.duration(seconds) });
    },
    dataInState: (name: string) => {
      const seconds = secondsOf(name);
      const state = stateOf(name);
      return seconds && state ? t(`metrics.fromIn.${state}`, { duration: format.duration(seconds) }) : undefined;
    },
  };
}

type DayMetricTexts = ReturnType<typeof useDayMetricTexts>;

/** The metrics that each state has, as rows; the states as columns. */
function StateTable({
  item,
  date,
  texts: { metricValue, dataBehind },
}: {
  item: DailyMetricsItem | undefined;
  date: string;
  texts: DayMetricTexts;
}) {
  const { t, format } = useWords();
  return (
    <table className={styles.matrix}>
      <caption className="visually-hidden">{t('metrics.ofDay', { date: format.date(date) })}</caption>
      <thead>
        <tr>
          <th scope="col">{t('metrics.measure')}</th>
          {STATES.map((state) => (
            <th key={state} scope="col">
              {t(STATE_LABELS[state])}
              <small>{t(state === 'SLEEPING' ? 'metrics.windowNight' : 'metrics.windowDay')}</small>
              {(item?.validSeconds[state] ?? 0) > 0 && (
                <small>{t('metrics.fromState', { duration: format.duration(item?.validSeconds[state] ?? 0) })}</small>
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
                {hasRow(state, row) && metricValue(`${state}_${row}`)}
                {SHOWS_DATA.has(row) && <small>{dataBehind(`${state}_${row}`)}</small>}
              </td>
            ))}
            <td className={styles.unit}>{unitText(row, t)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The metrics that belong to one state only: sleep, movement and postures. */
function SingleMetrics({
  item,
  texts: { metricValue, unitOf },
}: {
  item: DailyMetricsItem | undefined;
  texts: DayMetricTexts;
}) {
  const { t, format } = useWords();
  const values = item && labelValues([item.parameters], format);
  return (
    <div className={styles.side}>
      {singlesOf([item?.metrics ?? {}]).map(({ group, names }) => (
        <div key={group}>
          <h3>{t(`metrics.groups.${group}`)}</h3>
          <dl>
            {names.map((name) => (
              <div key={name}>
                <dt>
                  {singleLabel(name, t, values)}
                  <MetricHelp label={singleLabel(name, t, values)} names={[name]} />
                </dt>
                <dd>
                  {metricValue(name)} {unitOf(name)}
                </dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </div>
  );
}

/** Where the heart rate of a day comes from, in words; nothing where it is an ECG alone. */
function HeartOriginText({ item }: { item: DailyMetricsItem }) {
  const { t, format } = useWords();
  const origin = heartOrigin(item.validSeconds);
  if (!origin) return null;
  const { sources, leftOutShare } = origin;
  const named = sources.map(({ source, seconds }) =>
    t(`metrics.heartSources.${source}`, { duration: format.duration(seconds) }),
  );
  const sentences = [
    t('metrics.heartFrom', { sources: format.list(named) }),
    leftOutShare !== undefined && t('metrics.leftOut', { share: format.number(100 * leftOutShare, 1) }),
    leftOutShare !== undefined &&
      leftOutShare > TRUSTED_LEFT_OUT &&
      t('metrics.leftOutDoubtful', { limit: format.number(100 * TRUSTED_LEFT_OUT) }),
    sources.some(({ source }) => source === 'PPI') && t('metrics.noPulseVariability'),
  ].filter((sentence) => sentence !== false);
  return <p className={styles.origin}>{sentences.join(' ')}</p>;
}

/** Every metric of one day: value, unit and the data it is based on, or why there is too little data. */
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
  const texts = useDayMetricTexts(item, clock);
  return (
    <section className={`${panelClass} ${styles.panel}`} aria-label={t('metrics.ofDay', { date: format.date(date) })}>
      <h2>{t('metrics.ofDay', { date: format.date(date) })}</h2>
      <dl className={styles.tiles}>
        {leadingOf([item?.metrics ?? {}]).map((name) => (
          <div key={name} className={styles.tile}>
            <dt>{t(`metrics.single.${name}`)}</dt>
            <dd>
              {texts.metricValue(name)} {texts.unitOf(name)}
            </dd>
            <dd className={styles.behind}>{texts.dataInState(name)}</dd>
            {item?.metrics[name] === undefined && <dd className={styles.behind}>{texts.needOf(name)}</dd>}
          </div>
        ))}
      </dl>
      {item?.uncorrected && <p className={styles.origin}>{t('metrics.corrected')}</p>}
      {item && <HeartOriginText item={item} />}
      {item && <MethodText item={item} />}
      <div className={styles.columns}>
        <StateTable item={item} date={date} texts={texts} />
        <SingleMetrics item={item} texts={texts} />
      </div>
    </section>
  );
}
