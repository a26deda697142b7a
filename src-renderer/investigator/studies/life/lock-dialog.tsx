/** Locks a study or unlocks it: with a reason, and the password of the person who does it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { StudyDetail } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { PasswordAgain } from '../../signatures/password-again.tsx';
import styles from '../studies.module.css';

export function LockDialog({ study, onClose }: { study: StudyDetail; onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const [password, setPassword] = useState('');
  const step = study.lockedTs === undefined ? 'lock' : 'unlock';
  const save = useMutation({
    mutationFn: () =>
      client.call(`${step}Study`, { params: { studyId: study.id }, body: { reason: reason.trim(), password } }),
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['study'] }),
        queries.invalidateQueries({ queryKey: ['signature', study.id] }),
      ]);
      onClose();
    },
  });
  const errorOf = useFieldErrors(save.error);
  const isValid = reason.trim() !== '' && password !== '';
  const { wasTried, onSubmit } = useCheckedSubmit(isValid, () => save.mutate());
  return (
    <FormDialog
      title={t(`lock.${step}.title`, { name: study.displayName })}
      intro={t('lifecycle.effectsTitle')}
      submitLabel={t(`lock.${step}.action`)}
      mutation={save}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <ul className={styles.effects}>
        {Object.values(t(`lock.${step}.effects`, { returnObjects: true })).map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      <Field
        label={t('lock.reason')}
        help={t('lifecycle.reasonHelp')}
        autoFocus
        isRequired
        maxLength={1000}
        value={reason}
        onChange={setReason}
        error={wasTried && reason.trim() === '' ? t('lifecycle.reasonMissing') : errorOf('reason')}
      />
      <PasswordAgain
        value={password}
        onChange={setPassword}
        isMissing={wasTried && password === ''}
        isWrong={errorOf('password') !== undefined}
      />
    </FormDialog>
  );
}
