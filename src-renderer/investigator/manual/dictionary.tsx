/** The dictionary of metrics, from the tables in the code that also make `resources/metrics.md`. */
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { DEFAULT_ANALYSIS_PARAMETERS } from '../../../src-server/vocabulary/analysis-parameters.ts';
import { fold } from '../../../src-server/vocabulary/search.ts';
import { metricDictionaryQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Search } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import type { MetricWords } from '../../shared/locales/metric-definitions.ja.ts';
import { labelValues } from '../metrics/label-values.ts';
import { metricLabel, useMetricWords } from '../metrics/metric-help.tsx';
import styles from './manual.module.css';
import { ManualPage, useShown } from './manual-page.tsx';

type Dictionary = ReturnType<NonNullable<ReturnType<typeof metricDictionaryQuery>['select']>>;
type Metric = Dictionary['items'][number];
type Method = NonNullable<ReturnType<Dictionary['methods']['get']>>;

interface EntryProps {
  metric: Metric;
  method: Method | undefined;
  label: string;
  /** In the current language; undefined until they have loaded. */
  words: MetricWords | undefined;
  isShown: boolean;
}

function Entry({ metric, method, label, words, isShown }: EntryProps) {
  const { t } = useWords();
  const ref = useShown<HTMLElement>(isShown);
  return (
    <section
      ref={ref}
      id={metric.name}
      className={`${panelClass} ${styles.entry}`}
      aria-label={label}
      data-shown={isShown || undefined}
    >
      <h2>{label}</h2>
      <dl>
        <dt>{t('manual.definition')}</dt>
        <dd>{words?.definition ?? metric.definition}</dd>
        <dt>{t('manual.unit')}</dt>
        <dd>{metric.unit}</dd>
        <dt>{t('manual.minimum')}</dt>
        <dd>{words?.minimumData ?? metric.minimumData}</dd>
        <dt>{t('manual.window')}</dt>
        <dd lang="en">{metric.window}</dd>
        {method && (
          <>
            <dt>{t('manual.method')}</dt>
            <dd lang="en">
              <details open={isShown}>
                <summary>{method.title}</summary>
                <p>{method.description}</p>
                <h3 lang={undefined}>{t('manual.limits')}</h3>
                <ul>
                  {method.limits.map((limit) => (
                    <li key={limit}>{limit}</li>
                  ))}
                </ul>
              </details>
            </dd>
            <dt>{t('manual.sources')}</dt>
            <dd lang="en">
              <ul>
                {method.citations.map((citation) => (
                  <li key={citation}>{citation}</li>
                ))}
              </ul>
            </dd>
          </>
        )}
        <dt>{t('manual.wireName')}</dt>
        <dd>
          <code>{metric.name}</code>
        </dd>
      </dl>
    </section>
  );
}

function Entries({ dictionary: { items, methods } }: { dictionary: Dictionary }) {
  const { t, format } = useWords();
  const { metric: shown } = useSearch({ from: '/desk/manual/metrics' });
  const words = useMetricWords();
  const [text, setText] = useState('');
  const values = labelValues([DEFAULT_ANALYSIS_PARAMETERS], format);
  const wanted = fold(text).split(/\s+/).filter(Boolean);
  const labelled = items.map((metric) => ({ metric, label: metricLabel(metric.name, t, values) }));
  const found = labelled.filter(({ metric, label }) => {
    const { definition = '' } = words?.get(metric.name) ?? {};
    const content = fold(`${label} ${metric.name} ${metric.unit} ${definition} ${metric.definition}`);
    return wanted.every((word) => content.includes(word));
  });
  return (
    <>
      <div className={styles.screenOnly}>
        <Search label={t('manual.search')} value={text} onChange={setText} />
      </div>
      {found.length === 0 && (
        <Empty icon="search" title={t('manual.empty', { text })} help={t('manual.emptyHelp')}>
          <Button onPress={() => setText('')}>{t('manual.clear')}</Button>
        </Empty>
      )}
      {found.map(({ metric, label }) => (
        <Entry
          key={metric.name}
          metric={metric}
          method={methods.get(metric.method)}
          label={label}
          words={words?.get(metric.name)}
          isShown={metric.name === shown}
        />
      ))}
    </>
  );
}

export function Dictionary() {
  const { t } = useWords();
  const query = useQuery(metricDictionaryQuery());
  return (
    <ManualPage summary={t('manual.dictionarySummary')}>
      <QueryView query={query}>{(dictionary) => <Entries dictionary={dictionary} />}</QueryView>
    </ManualPage>
  );
}
