/** Saves the measured interval as a label, with the kind of interval as its name and the numbers as its value. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { useNeedsReason } from '../../labels/label-rules.ts';
import type { LabelHistory } from '../data/label-history.ts';
import type { Interval } from '../data/measure.ts';
import styles from '../viewer.module.css';

const INTERVAL_KINDS = ['interval', 'rr', 'pr', 'qrs', 'qt'] as const;
export type IntervalKind = (typeof INTERVAL_KINDS)[number];

/** The draft lives as long as the panel, so that it survives clearing the calipers. */
export function useSaveInterval(history: LabelHistory, interval: Interval | null, value: string) {
  const { t } = useWords();
  const [kind, setKind] = useState<IntervalKind>('interval');
  const [reason, setReason] = useState('');
  const save = useMutation({
    mutationFn: () => {
      if (!interval) throw new Error('There is no interval to save.');
      const label = {
        displayName: t(`viewer.intervals.${kind}`),
        startTs: Math.round(interval.startMs),
        stopTs: Math.round(interval.stopMs),
        value,
      };
      return history.create(label, reason.trim() || undefined);
    },
  });
  return { kind, setKind, reason, setReason, save };
}

export function SaveInterval({
  draft: { kind, setKind, reason, setReason, save },
  studyId,
}: {
  draft: ReturnType<typeof useSaveInterval>;
  studyId: string;
}) {
  const { t } = useWords();
  const needsReason = useNeedsReason(studyId);
  return (
    <div className={styles.keep}>
      <Select
        label={t('viewer.intervalKind')}
        value={kind}
        options={INTERVAL_KINDS.map((id) => ({ id, label: t(`viewer.intervals.${id}`) }))}
        onChange={setKind}
      />
      {needsReason && <Field label={t('labels.reason')} value={reason} onChange={setReason} maxLength={1000} />}
      <Button small onPress={() => save.mutate()} isDisabled={save.isPending || (needsReason && reason.trim() === '')}>
        {t('viewer.saveAsLabel')}
      </Button>
    </div>
  );
}
