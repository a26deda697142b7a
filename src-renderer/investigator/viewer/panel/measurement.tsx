/** What the calipers measure, always from data, and how it is kept. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { ErrorNotice } from '../../../shared/kit/state.tsx';
import { useSelected, useStore } from '../../../shared/store.ts';
import { useNeedsReason } from '../../labels/label-rules.ts';
import type { LabelHistory } from '../data/label-history.ts';
import { heightOf, spanOf } from '../data/measure.ts';
import type { ViewerModel } from '../data/model.ts';
import { TimeField } from '../time-field.tsx';
import styles from '../viewer.module.css';

/** What an interval is called when it is kept. */
const INTERVAL_KINDS = ['interval', 'rr', 'pr', 'qrs', 'qt'] as const;
type IntervalKind = (typeof INTERVAL_KINDS)[number];

/** A level in mV that can be typed; full-width digits count as their narrow forms. */
function LevelField({ model, end }: { model: ViewerModel; end: 'fromMv' | 'toMv' }) {
  const { t, format } = useWords();
  const mv = useSelected(model.state, (state) => state.levels[end]);
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const take = () => {
    if (typed === null) return;
    const next = Number(typed.normalize('NFKC').trim().replace(',', '.').replace('−', '-'));
    setWrong(!Number.isFinite(next));
    if (!Number.isFinite(next)) return;
    if (typed.trim() !== '') model.setLevel(end, next);
    setTyped(null);
  };
  return (
    <Field
      label={t(end === 'fromMv' ? 'viewer.levelFrom' : 'viewer.levelTo')}
      value={typed ?? (mv === null ? '' : format.number(mv, 2))}
      onChange={setTyped}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
      }}
      error={isWrong ? t('viewer.levelWrong') : undefined}
    />
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
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
  const { t, format } = useWords();
  useStore(model.arrivals);
  const calipers = useSelected(model.state, (state) => state.calipers);
  const levels = useSelected(model.state, (state) => state.levels);
  const snappedTo = useSelected(model.state, (state) => state.snappedTo);
  const isMarching = useSelected(model.state, (state) => state.isMarching);
  const filter = useSelected(model.state, (state) => state.filter);
  const mayEdit = usePermissions()('annotation.write', model.recording.studyId);
  const [kind, setKind] = useState<IntervalKind>('interval');
  const [reason, setReason] = useState('');
  const needsReason = useNeedsReason(history.studyId);
  const interval = spanOf(calipers) && model.interval();
  const height = heightOf(levels);
  const mv = (value: number) => t('viewer.mv', { value: format.number(value, 2) });
  const filterWords = filter === 'off' ? undefined : t(`viewer.filters.${filter}`);
  const figures = [
    ...(interval
      ? [
          { name: t('viewer.time'), value: t('viewer.ms', { value: format.number(interval.durationMs) }) },
          { name: t('viewer.rate'), value: t('viewer.perMinute', { value: format.number(interval.perMinute, 1) }) },
        ]
      : []),
    ...(interval?.differenceMv === undefined
      ? []
      : [{ name: t('viewer.difference'), value: mv(interval.differenceMv) }]),
    ...(height === null ? [] : [{ name: t('viewer.height'), value: mv(height) }]),
  ];
  const save = useMutation({
    mutationFn: () => {
      if (!interval) throw new Error('No interval to keep.');
      const values = figures.map(({ name, value }, i) => (i < 2 ? value : `${name} ${value}`));
      const label = {
        displayName: t(`viewer.intervals.${kind}`),
        startTs: Math.round(interval.startMs),
        stopTs: Math.round(interval.stopMs),
        value: [...values, filterWords].filter((part) => part !== undefined).join(', '),
      };
      return history.create(label, reason.trim() || undefined);
    },
  });
  const from = (end: 'startMs' | 'stopMs') =>
    calipers[end === 'stopMs' ? 'startMs' : 'stopMs'] ?? model.state.get().view.startMs;
  return (
    <section className={styles.measure} aria-label={t('viewer.calipers')}>
      <h2>{t('viewer.calipers')}</h2>
      <div className={styles.caliperFields}>
        {(['startMs', 'stopMs'] as const).map((end) => (
          <TimeField
            key={end}
            label={t(end === 'startMs' ? 'viewer.caliperStart' : 'viewer.caliperStop')}
            ms={calipers[end]}
            fromMs={from(end)}
            extent={model.extent}
            timeZone={timeZone}
            onTime={(ms) => model.setCaliper(end, ms)}
          />
        ))}
        {model.lead && height !== null && (
          <>
            <LevelField model={model} end="fromMv" />
            <LevelField model={model} end="toMv" />
          </>
        )}
      </div>
      {figures.length > 0 ? (
        <dl className={styles.figures} data-testid="measurement">
          {figures.map((figure) => (
            <Figure key={figure.name} {...figure} />
          ))}
        </dl>
      ) : (
        <p className={styles.hint}>{t('viewer.calipersHelp')}</p>
      )}
      <p className={styles.hint} role="status">
        {snappedTo && t(`viewer.snapped.${snappedTo}`)} {filterWords}
      </p>
      <div className={styles.buttons}>
        {interval && (
          <Button small onPress={() => model.set({ isMarching: !isMarching })} aria-pressed={isMarching}>
            {t(isMarching ? 'viewer.stopRepeating' : 'viewer.repeatInterval')}
          </Button>
        )}
        {model.lead && (
          <Button small onPress={() => model.toggleLevels()} aria-pressed={height !== null}>
            {t('viewer.levels')}
          </Button>
        )}
        {figures.length > 0 && (
          <Button small kind="quiet" onPress={() => model.clearCalipers()}>
            {t('viewer.clear')}
          </Button>
        )}
      </div>
      {interval && mayEdit && (
        <div className={styles.keep}>
          <Select
            label={t('viewer.intervalKind')}
            value={kind}
            options={INTERVAL_KINDS.map((id) => ({ id, label: t(`viewer.intervals.${id}`) }))}
            onChange={setKind}
          />
          {needsReason && <Field label={t('labels.reason')} value={reason} onChange={setReason} maxLength={1000} />}
          <Button
            small
            onPress={() => save.mutate()}
            isDisabled={save.isPending || (needsReason && reason.trim() === '')}
          >
            {t('viewer.saveAsLabel')}
          </Button>
        </div>
      )}
      {save.error && <ErrorNotice error={save.error} onRetry={() => save.mutate()} />}
    </section>
  );
}
