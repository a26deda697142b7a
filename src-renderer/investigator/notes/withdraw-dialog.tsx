/** Withdraws a note, which takes a reason. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Note } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit } from '../../shared/kit/form-dialog.tsx';

export function WithdrawDialog({ note, onClose }: { note: Note; onClose: () => void }) {
  const { t } = useWords();
  const { studyId, id: noteId } = note;
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const withdraw = useMutation({
    mutationFn: () => client.call('withdrawNote', { params: { studyId, noteId }, body: { reason: reason.trim() } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['note', studyId] });
      onClose();
    },
  });
  const isMissing = reason.trim() === '';
  const { wasTried, onSubmit } = useCheckedSubmit(!isMissing, () => withdraw.mutate());
  return (
    <FormDialog
      title={t('notes.withdrawTitle')}
      intro={t('notes.withdrawIntro')}
      submitLabel={t('notes.withdraw')}
      mutation={withdraw}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Field
        label={t('notes.reason')}
        value={reason}
        onChange={setReason}
        maxLength={1000}
        {...(wasTried && isMissing && { error: t('notes.reasonMissing') })}
      />
    </FormDialog>
  );
}
