/** Creating a label. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { ErrorNotice } from '../../../shared/kit/state.tsx';
import { useSelected, useStore } from '../../../shared/store.ts';
import { useNeedsReason } from '../../labels/label-rules.ts';
import type { LabelHistory } from '../data/label-history.ts';
import { spanOf } from '../data/measure.ts';
import type { ViewerModel } from '../data/model.ts';
import styles from '../viewer.module.css';

/** Form of a new label for the span between the calipers. */
export function LabelForm({ model, history }: { model: ViewerModel; history: LabelHistory }) {
  const { t } = useWords();
  const calipers = useSelected(model.state, (state) => state.calipers);
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [reason, setReason] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const drags = useStore(model.labelDrags);
  // Opened over an interval or a point that is set, or given an interval by a drag, the form waits for the name.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each drag
  useEffect(() => {
    if (model.state.get().calipers.startMs !== null) form.current?.querySelector('input')?.focus();
  }, [drags, model]);
  const needsReason = useNeedsReason(history.studyId);
  const span = spanOf(calipers);
  const save = useMutation({
    mutationFn: () => {
      const startTs = Math.round(span?.startMs ?? calipers.startMs ?? 0);
      const stopTs = span ? Math.round(span.stopMs) : undefined;
      const label = { displayName: name.trim(), startTs, stopTs, value: value.trim() || undefined };
      return history.create(label, reason.trim() || undefined);
    },
    onSuccess: () => {
      setName('');
      setValue('');
      model.clearCalipers();
    },
  });
  const isReady = calipers.startMs !== null && name.trim() !== '' && !(needsReason && reason.trim() === '');
  return (
    <form
      ref={form}
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
      {needsReason && (
        <>
          <Field label={t('labels.reason')} value={reason} onChange={setReason} maxLength={1000} />
          <p className={styles.hint}>{t('labels.completeHelp')}</p>
        </>
      )}
      <Button type="submit" kind="primary" small isDisabled={!isReady || save.isPending}>
        {t('viewer.saveLabel')}
      </Button>
      {save.error && <ErrorNotice error={save.error} onRetry={() => save.mutate()} />}
    </form>
  );
}
