/** Definitions of the metrics and the minimum data each needs: in a popover beside a row, and as one table. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import type { AnalysisParameters } from '../../../src-server/vocabulary/analysis-parameters.ts';
import { metricDefinitionsQuery } from '../../shared/api/queries.ts';
import { type Translate, useWords } from '../../shared/i18n/i18n.ts';
import kit from '../../shared/kit/controls.module.css';
import { IconButton } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import type { MetricWords } from '../../shared/locales/metric-definitions.ja.ts';
import { type LabelValues, labelValues } from './label-values.ts';
import { isRow, isSingle, singleLabel, stateOf } from './metric.ts';
import styles from './metrics.module.css';

const STATE_LABELS = { SLEEPING: 'metrics.sleeping', RESTING: 'metrics.resting', MOVING: 'metrics.moving' } as const;

/** Returns the definition of each metric in the current language; undefined until it has loaded. */
export function useMetricWords(): ReadonlyMap<string, MetricWords> | undefined {
  const { language } = useWords();
  const english = useQuery({ ...metricDefinitionsQuery(), enabled: language === 'en' });
  const japanese = useQuery({
    queryKey: ['metricDefinitions', 'ja'],
    queryFn: async () => (await import('../../shared/locales/metric-definitions.ja.ts')).metricDefinitions,
    enabled: language === 'ja',
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  return language === 'ja' ? japanese.data : english.data;
}

/** Returns the label of a metric, with its state where the label alone is ambiguous. */
export function metricLabel(name: string, t: Translate, values: LabelValues): string {
  if (isSingle(name)) return singleLabel(name, t, values);
  const state = stateOf(name);
  const row = state ? name.slice(state.length + 1) : name;
  return state && isRow(row)
    ? t('table.withNote', { name: t(`metrics.rows.${row}`), aside: t(STATE_LABELS[state]) })
    : name;
}

/** A button that opens the definitions of one or several metrics. */
export function MetricHelp({ label, names }: { label: string; names: readonly string[] }) {
  const { t } = useWords();
  const words = useMetricWords();
  return (
    <DialogTrigger>
      <IconButton small kind="quiet" icon="info" label={t('metrics.about', { name: label })} className={styles.about} />
      <Popover className={kit.popover} placement="end top">
        <Dialog aria-label={t('metrics.about', { name: label })} className={styles.help}>
          <h3>{label}</h3>
          <dl>
            {names.map((name) => {
              const state = stateOf(name);
              const entry = words?.get(name);
              return (
                <div key={name}>
                  {names.length > 1 && state && <dt>{t(STATE_LABELS[state])}</dt>}
                  <dd>{entry?.definition ?? t('app.loading')}</dd>
                  {entry && (
                    <dd className={styles.need}>
                      {t('table.pair', { name: t('metrics.leastData'), value: entry.minimumData })}
                    </dd>
                  )}
                  <dd>
                    <Link to="/manual/metrics" search={{ metric: name }}>
                      {t('manual.openEntry')}
                    </Link>
                  </dd>
                </div>
              );
            })}
          </dl>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

/** A table of all metrics with the names used in the CSV and the API. */
export function MetricDefinitions({ parameters }: { parameters: readonly AnalysisParameters[] }) {
  const { t, format } = useWords();
  const values = labelValues(parameters, format);
  const query = useQuery(metricDefinitionsQuery());
  const words = useMetricWords();
  return (
    <details className={`${panelClass} ${styles.definitions}`}>
      <summary>
        <h2>{t('metrics.definitions')}</h2>
        <p>{t('metrics.definitionsHelp')}</p>
      </summary>
      <QueryView query={query}>
        {(definitions) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          <section className={styles.definitionsFrame} aria-label={t('metrics.definitions')} tabIndex={0}>
            <table>
              <caption className="visually-hidden">{t('metrics.definitions')}</caption>
              <thead>
                <tr>
                  <th scope="col">{t('metrics.measure')}</th>
                  <th scope="col">{t('metrics.definition')}</th>
                  <th scope="col">{t('metrics.leastData')}</th>
                  <th scope="col">{t('metrics.unit')}</th>
                  <th scope="col">{t('metrics.wireName')}</th>
                </tr>
              </thead>
              <tbody>
                {[...definitions.values()].map(({ name, unit }) => (
                  <tr key={name}>
                    <th scope="row">{metricLabel(name, t, values)}</th>
                    <td>{words?.get(name)?.definition}</td>
                    <td>{words?.get(name)?.minimumData}</td>
                    <td>{unit}</td>
                    <td>
                      <code>{name}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </QueryView>
    </details>
  );
}
