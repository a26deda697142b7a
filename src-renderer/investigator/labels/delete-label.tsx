/** Deletes a label of a complete study, which takes a reason. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit } from '../../shared/kit/form-dialog.tsx';
import type { LabelHistory } from '../viewer/data/label-history.ts';
import type { LabelItem } from '../viewer/data/labels.ts';

export function DeleteLabelDialog({
  item,
  history,
  onDeleted,
  onClose,
}: {
  item: LabelItem;
  history: LabelHistory;
  onDeleted?: (item: LabelItem) => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [reason, setReason] = useState('');
  const remove = useMutation({
    mutationFn: () => history.remove(item, reason.trim()),
    onSuccess: () => {
      onDeleted?.(item);
      onClose();
    },
  });
  const isMissing = reason.trim() === '';
  const { wasTried, onSubmit } = useCheckedSubmit(!isMissing, () => remove.mutate());
  return (
    <FormDialog
      title={t('labels.deleteTitle', { name: item.name })}
      intro={t('labels.completeHelp')}
      submitLabel={t('labels.delete')}
      mutation={remove}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Field
        label={t('labels.reason')}
        value={reason}
        onChange={setReason}
        maxLength={1000}
        error={wasTried && isMissing ? t('labels.reasonMissing') : undefined}
      />
    </FormDialog>
  );
}
