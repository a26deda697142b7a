/** The measurement between the calipers, computed from data, and saving it as a label. */
import { usePermissions } from '../../../shared/api/permissions.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { ErrorNotice } from '../../../shared/kit/state.tsx';
import { useSelected, useStore } from '../../../shared/store.ts';
import type { LabelHistory } from '../data/label-history.ts';
import { heightOf, spanOf } from '../data/measure.ts';
import type { ViewerModel } from '../data/model.ts';
import styles from '../viewer.module.css';
import { CaliperFields } from './caliper-fields.tsx';
import { intervalWords } from './interval-words.ts';
import { SaveInterval, useSaveInterval } from './save-interval.tsx';

interface Figure {
  name: string;
  value: string;
}

/** Time and rate of the interval, difference in mV, height between the levels; as far as each is measured. */
function useMeasurement(model: ViewerModel) {
  const { t, format } = useWords();
  useStore(model.arrivals);
  const calipers = useSelected(model.state, (state) => state.calipers);
  const levels = useSelected(model.state, (state) => state.levels);
  const interval = spanOf(calipers) && model.interval();
  const height = heightOf(levels);
  const mv = (value: number) => t('viewer.mv', { value: format.number(value, 2) });
  const figures: Figure[] = [];
  if (interval) {
    const [time, rate] = intervalWords(interval, t, format);
    figures.push({ name: t('viewer.time'), value: time }, { name: t('viewer.rate'), value: rate });
  }
  if (interval?.differenceMv !== undefined)
    figures.push({ name: t('viewer.difference'), value: mv(interval.differenceMv) });
  if (height !== null) figures.push({ name: t('viewer.height'), value: mv(height) });
  return { interval, height, figures };
}

function CaliperButtons({
  model,
  hasInterval,
  hasLevels,
  hasFigures,
}: {
  model: ViewerModel;
  hasInterval: boolean;
  hasLevels: boolean;
  hasFigures: boolean;
}) {
  const { t } = useWords();
  const isMarching = useSelected(model.state, (state) => state.isMarching);
  return (
    <div className={styles.buttons}>
      {hasInterval && (
        <Button small onPress={() => model.set({ isMarching: !isMarching })} aria-pressed={isMarching}>
          {t(isMarching ? 'viewer.stopRepeating' : 'viewer.repeatInterval')}
        </Button>
      )}
      {model.lead && (
        <Button small onPress={() => model.toggleLevels()} aria-pressed={hasLevels}>
          {t('viewer.levels')}
        </Button>
      )}
      {hasFigures && (
        <Button small kind="quiet" onPress={() => model.clearCalipers()}>
          {t('viewer.clear')}
        </Button>
      )}
    </div>
  );
}

export function Measurement({
  model,
  timeZone,
  history,
}: {
  model: ViewerModel;
  timeZone: string;
  history: LabelHistory;
}) {
  const { t } = useWords();
  const snappedTo = useSelected(model.state, (state) => state.snappedTo);
  const filter = useSelected(model.state, (state) => state.filter);
  const mayEdit = usePermissions()('annotation.write', model.recording.studyId);
  const { interval, height, figures } = useMeasurement(model);
  const filterName = filter === 'off' ? undefined : t(`viewer.filters.${filter}`);
  // Time and rate, which come first, need no name.
  const values = figures.map(({ name, value }, i) => (i < 2 ? value : `${name} ${value}`));
  const labelValue = [...values, filterName].filter((text) => text !== undefined).join(', ');
  const draft = useSaveInterval(history, interval, labelValue);
  return (
    <section className={styles.measure} aria-label={t('viewer.calipers')}>
      <h2>{t('viewer.calipers')}</h2>
      <CaliperFields model={model} timeZone={timeZone} showsLevels={model.lead !== undefined && height !== null} />
      {figures.length > 0 ? (
        <dl className={styles.figures} data-testid="measurement">
          {figures.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className={styles.hint}>{t('viewer.calipersHelp')}</p>
      )}
      <p className={styles.hint} role="status">
        {snappedTo && t(`viewer.snapped.${snappedTo}`)} {filterName}
      </p>
      <CaliperButtons
        model={model}
        hasInterval={interval !== null}
        hasLevels={height !== null}
        hasFigures={figures.length > 0}
      />
      {interval && mayEdit && <SaveInterval draft={draft} studyId={history.studyId} />}
      {draft.save.error && <ErrorNotice error={draft.save.error} onRetry={() => draft.save.mutate()} />}
    </section>
  );
}
