/** Changes one label: name, value and times, with a reason. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { parseTimeText, timeText } from '../../shared/time/time-text.ts';
import type { LabelHistory } from '../viewer/data/label-history.ts';
import type { LabelItem } from '../viewer/data/labels.ts';
import { useNeedsReason } from './label-rules.ts';

export function LabelDialog({
  item,
  timeZone,
  history,
  onClose,
}: {
  item: LabelItem;
  timeZone: string;
  history: LabelHistory;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [name, setName] = useState(item.name);
  const [value, setValue] = useState(item.value ?? '');
  const [start, setStart] = useState(timeText(item.startMs, timeZone));
  const [stop, setStop] = useState(item.stopMs > item.startMs ? timeText(item.stopMs, timeZone) : '');
  const [reason, setReason] = useState('');
  const startMs = parseTimeText(start, timeZone);
  const stopMs = stop.trim() === '' ? startMs : parseTimeText(stop, timeZone);
  const isReversed = startMs !== null && stopMs !== null && stopMs < startMs;
  const save = useMutation({
    mutationFn: async () => {
      if (startMs === null || stopMs === null) return;
      const label = { displayName: name.trim(), startTs: startMs, stopTs: stopMs, value: value.trim() || undefined };
      await history.update(item, label, reason.trim() || undefined);
    },
    onSuccess: onClose,
  });
  const needsReason = useNeedsReason(history.studyId);
  const refused = useFieldErrors(save.error);
  const wrongTime = t('labels.timeWrong');
  const problems = {
    name: name.trim() === '' ? t('labels.nameMissing') : undefined,
    start: startMs === null ? wrongTime : undefined,
    stop: stopMs === null ? wrongTime : isReversed ? t('labels.reversed') : undefined,
    reason: needsReason && reason.trim() === '' ? t('labels.reasonMissing') : undefined,
  };
  const isValid = !Object.values(problems).some((problem) => problem !== undefined);
  const { wasTried, onSubmit } = useCheckedSubmit(isValid, () => save.mutate());
  const shown: Partial<typeof problems> = wasTried ? problems : {};
  return (
    <FormDialog
      title={t('labels.editTitle')}
      intro={[t('labels.editHelp', { zone: timeZone }), needsReason && t('labels.completeHelp')]
        .filter(Boolean)
        .join(' ')}
      submitLabel={t('labels.save')}
      mutation={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Field
        label={t('labels.name')}
        value={name}
        onChange={setName}
        maxLength={200}
        error={shown.name ?? refused('displayName')}
      />
      <Field label={t('labels.value')} value={value} onChange={setValue} maxLength={10_000} error={refused('value')} />
      <Field label={t('labels.start')} value={start} onChange={setStart} error={shown.start ?? refused('startTs')} />
      <Field label={t('labels.stop')} value={stop} onChange={setStop} error={shown.stop ?? refused('stopTs')} />
      <Field
        label={t('labels.reason')}
        value={reason}
        onChange={setReason}
        maxLength={1000}
        error={shown.reason ?? refused('reason')}
      />
    </FormDialog>
  );
}
