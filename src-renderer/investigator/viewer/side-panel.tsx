/** Beside the strip: what the calipers measure, and what was noted on this recording. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { saveText } from '../../shared/api/download.ts';
import { useMay } from '../../shared/api/permissions.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, IconButton, Segments } from '../../shared/kit/controls.tsx';
import { ErrorNotice } from '../../shared/kit/state.tsx';
import { useSelected, useStore } from '../../shared/store.ts';
import { preciseClock } from '../../shared/time/local-day.ts';
import type { LabelHistory } from './data/label-history.ts';
import { isEditable, LABEL_KINDS, type LabelItem, type LabelKind, labelsCsv } from './data/labels.ts';
import { spanOf } from './data/measure.ts';
import type { ViewerModel } from './data/model.ts';
import { parseGoTo } from './view.ts';
import styles from './viewer.module.css';
import { zoomCommands } from './zoom.ts';

/** Time field of a caliper: the value can be typed, as `14:05:30.250`, `+0.4s` or ISO. */
function CaliperField({ model, end, timeZone }: { model: ViewerModel; end: 'startMs' | 'stopMs'; timeZone: string }) {
  const { t } = useWords();
  const ms = useSelected(model.state, (state) => state.calipers[end]);
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const shown = typed ?? (ms === null ? '' : preciseClock(ms, timeZone).clock);
  function take() {
    if (typed === null) return;
    const { calipers, view } = model.state.get();
    const from = calipers[end === 'stopMs' ? 'startMs' : 'stopMs'] ?? view.startMs;
    const next = parseGoTo(typed, from, model.extent, timeZone);
    setWrong(typed.trim() !== '' && next === null);
    if (next !== null) model.setCaliper(end, next);
    if (next !== null || typed.trim() === '') setTyped(null);
  }
  return (
    <Field
      label={t(end === 'startMs' ? 'viewer.caliperStart' : 'viewer.caliperStop')}
      value={shown}
      onChange={setTyped}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
      }}
      error={isWrong ? t('viewer.goToWrong') : undefined}
    />
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
  const snappedTo = useSelected(model.state, (state) => state.snappedTo);
  const isMarching = useSelected(model.state, (state) => state.isMarching);
  const filter = useSelected(model.state, (state) => state.filter);
  const mayEdit = useMay()('annotation.write', model.recording.studyId);
  const interval = spanOf(calipers) && model.interval();
  const words = interval
    ? {
        duration: t('viewer.ms', { value: format.number(interval.durationMs) }),
        rate: t('viewer.perMinute', { value: format.number(interval.perMinute, 1) }),
        difference:
          interval.differenceMv === undefined
            ? undefined
            : t('viewer.mv', { value: format.number(interval.differenceMv, 2) }),
      }
    : null;
  const save = useMutation({
    mutationFn: () => {
      if (!interval || !words) throw new Error('No interval to keep.');
      const value = [words.duration, words.rate, words.difference, filter !== 'off' && t(`viewer.filters.${filter}`)];
      return history.create({
        displayName: t('viewer.interval'),
        startTs: Math.round(interval.startMs),
        stopTs: Math.round(interval.stopMs),
        value: value.filter(Boolean).join(', '),
      });
    },
  });
  return (
    <section className={styles.measure} aria-label={t('viewer.calipers')}>
      <h2>{t('viewer.calipers')}</h2>
      <div className={styles.caliperFields}>
        <CaliperField model={model} end="startMs" timeZone={timeZone} />
        <CaliperField model={model} end="stopMs" timeZone={timeZone} />
      </div>
      {words && interval ? (
        <dl className={styles.figures} data-testid="measurement">
          <div>
            <dt>{t('viewer.time')}</dt>
            <dd>{words.duration}</dd>
          </div>
          <div>
            <dt>{t('viewer.rate')}</dt>
            <dd>{words.rate}</dd>
          </div>
          {words.difference !== undefined && (
            <div>
              <dt>{t('viewer.difference')}</dt>
              <dd>{words.difference}</dd>
            </div>
          )}
        </dl>
      ) : (
        <p className={styles.hint}>{t('viewer.calipersHelp')}</p>
      )}
      <p className={styles.hint} role="status">
        {snappedTo && t(`viewer.snapped.${snappedTo}`)} {filter !== 'off' && t(`viewer.filters.${filter}`)}
      </p>
      {interval && (
        <div className={styles.buttons}>
          <Button small onPress={() => model.set({ isMarching: !isMarching })} aria-pressed={isMarching}>
            {t(isMarching ? 'viewer.marchEnd' : 'viewer.march')}
          </Button>
          {mayEdit && (
            <Button small onPress={() => save.mutate()} isDisabled={save.isPending}>
              {t('viewer.keep')}
            </Button>
          )}
          <Button
            small
            kind="quiet"
            onPress={() => model.set({ calipers: { startMs: null, stopMs: null }, isMarching: false, snappedTo: null })}
          >
            {t('viewer.clear')}
          </Button>
        </div>
      )}
      {save.error && <ErrorNotice error={save.error} onRetry={() => save.mutate()} />}
    </section>
  );
}

/** Names a label over the stretch between the calipers. */
export function LabelForm({ model, history }: { model: ViewerModel; history: LabelHistory }) {
  const { t } = useWords();
  const calipers = useSelected(model.state, (state) => state.calipers);
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const span = spanOf(calipers);
  const save = useMutation({
    mutationFn: () => {
      const startTs = Math.round(span?.startMs ?? calipers.startMs ?? 0);
      const stopTs = span ? Math.round(span.stopMs) : undefined;
      return history.create({ displayName: name.trim(), startTs, stopTs, value: value.trim() || undefined });
    },
    onSuccess: () => {
      setName('');
      setValue('');
      model.set({ calipers: { startMs: null, stopMs: null }, snappedTo: null });
    },
  });
  const isReady = calipers.startMs !== null && name.trim() !== '';
  return (
    <form
      className={styles.labelForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) save.mutate();
      }}
    >
      <h2>{t('viewer.newLabel')}</h2>
      <p className={styles.hint}>{t('viewer.labelHelp')}</p>
      <Field label={t('viewer.labelName')} value={name} onChange={setName} maxLength={200} />
      <Field label={t('viewer.labelValue')} value={value} onChange={setValue} maxLength={1000} />
      <Button type="submit" kind="primary" small isDisabled={!isReady || save.isPending}>
        {t('viewer.saveLabel')}
      </Button>
      {save.error && <ErrorNotice error={save.error} onRetry={() => save.mutate()} />}
    </form>
  );
}

export function LabelList({
  model,
  items,
  timeZone,
  history,
}: {
  model: ViewerModel;
  items: readonly LabelItem[];
  timeZone: string;
  history: LabelHistory;
}) {
  const { t, format } = useWords();
  const mayEdit = useMay()('annotation.write', model.recording.studyId);
  const [kind, setKind] = useState<LabelKind | 'all'>('all');
  const kinds = LABEL_KINDS.filter((one) => items.some((item) => item.kind === one));
  const shown = items.filter((item) => kind === 'all' || item.kind === kind);
  const remove = useMutation({ mutationFn: (item: LabelItem) => history.remove(item) });
  return (
    <section className={styles.labels} aria-label={t('viewer.labels')}>
      <div className={styles.labelsHead}>
        <h2>{t('viewer.labels')}</h2>
        {items.length > 0 && (
          <Button
            small
            kind="quiet"
            icon="download"
            onPress={() => saveText(labelsCsv(shown), 'labels.csv', 'text/csv')}
            aria-label={t('viewer.labelsCsv')}
          >
            CSV
          </Button>
        )}
      </div>
      {kinds.length > 1 && (
        <Segments
          label={t('viewer.kind')}
          value={kind}
          options={[
            { id: 'all' as const, label: `${t('viewer.all')} ${format.number(items.length)}` },
            ...kinds.map((one) => ({
              id: one,
              label: `${t(`viewer.kinds.${one}`)} ${format.number(items.filter((item) => item.kind === one).length)}`,
            })),
          ]}
          onChange={setKind}
        />
      )}
      {remove.error && <ErrorNotice error={remove.error} onRetry={() => remove.reset()} />}
      {shown.length === 0 ? (
        <p className={styles.hint}>{t('viewer.noLabels')}</p>
      ) : (
        <ul className={styles.labelRows}>
          {shown.map((item) => (
            <li key={item.id} data-kind={item.kind}>
              <Button
                kind="quiet"
                className={styles.labelRow}
                onPress={() => {
                  zoomCommands(model).show((item.startMs + item.stopMs) / 2);
                  if (item.kind === 'label' && item.stopMs > item.startMs)
                    model.set({ calipers: { startMs: item.startMs, stopMs: item.stopMs }, snappedTo: null });
                }}
              >
                <strong>{item.name}</strong>
                {item.value !== undefined && <span>{item.value}</span>}
                <small>
                  {format.moment(item.startMs, timeZone)}
                  {item.stopMs > item.startMs && ` · ${format.duration((item.stopMs - item.startMs) / 1000)}`} ·{' '}
                  {t(`viewer.kinds.${item.kind}`)}
                </small>
              </Button>
              {mayEdit && isEditable(item) && (
                <IconButton
                  kind="quiet"
                  small
                  icon="close"
                  label={t('viewer.deleteLabel', { name: item.name })}
                  isDisabled={remove.isPending}
                  onPress={() => remove.mutate(item)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
