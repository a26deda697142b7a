import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Subject } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog } from '../../../shared/kit/form-dialog.tsx';

/** Hides a subject from the lists, or shows it again; nothing is deleted. */
export function HideDialog({ subject, onClose }: { subject: Subject; onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const isHidden = !subject.isHidden;
  const params = { studyId: subject.studyId, subjectId: subject.id };
  const save = useMutation({
    mutationFn: () => client.call('updateSubject', { params, body: { isHidden, reason: reason.trim() || undefined } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['subject', subject.studyId] });
      onClose();
    },
  });
  const kind = isHidden ? 'hide' : 'show';
  return (
    <FormDialog
      title={t(`hide.${kind}Title`, { name: subject.displayName })}
      intro={t(`hide.${kind}Effect`)}
      submitLabel={t(`hide.${kind}`)}
      mutation={save}
      onClose={onClose}
      onSubmit={() => save.mutate()}
    >
      <Field
        label={t('subjectForm.optional', { label: t('subjectForm.reason') })}
        help={t('subjectForm.reasonHelp')}
        value={reason}
        onChange={setReason}
      />
    </FormDialog>
  );
}
