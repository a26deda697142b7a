/**
 * Signs a record: asks for the meaning and, each time, for the password. The signature is bound to the content that the record had
 * when the dialog opened, so a change in between is refused by the site.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { personName } from '../../../src-server/study/person-name.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import type { SignTarget } from '../../shared/api/signature-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { PasswordAgain } from './password-again.tsx';
import styles from './signatures.module.css';

const MEANINGS = ['REVIEWED', 'APPROVED', 'RESPONSIBLE', 'AUTHORED'] as const;

export function SignDialog({
  studyId,
  target,
  name,
  onClose,
}: {
  studyId: string;
  target: SignTarget;
  /** Of the record. */
  name: string;
  onClose: () => void;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [meaning, setMeaning] = useState<(typeof MEANINGS)[number]>('REVIEWED');
  const [comment, setComment] = useState('');
  const [password, setPassword] = useState('');
  const content = useQuery({
    queryKey: ['signature', studyId, 'content', target.kind, target.targetId, target.date ?? ''],
    queryFn: ({ signal }) => client.call('getSignableContent', { params: { studyId }, query: target, signal }),
    // What the person saw when the dialog opened, not what it became while they typed.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const sign = useMutation({
    mutationFn: async () => {
      if (!content.data) return;
      const { contentSha256 } = content.data;
      const given = comment.trim() === '' ? {} : { comment: comment.trim() };
      const body = { ...target, ...given, meaning, contentSha256, password };
      await client.call('signRecord', { params: { studyId }, body });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['signature', studyId] });
      onClose();
    },
  });
  const errorOf = useFieldErrors(sign.error);
  const isValid = password !== '';
  const { wasTried, onSubmit } = useCheckedSubmit(isValid, () => sign.mutate());
  return (
    <FormDialog
      title={t('signatures.signTitle', { name })}
      intro={t('signatures.signIntro', { name: personName(user), email: user.email })}
      submitLabel={t('signatures.sign')}
      mutation={{ isPending: sign.isPending, error: sign.error ?? content.error }}
      isDisabled={!content.data}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Select
        label={t('signatures.meaning')}
        value={meaning}
        options={MEANINGS.map((id) => ({ id, label: t(`signatures.meanings.${id}`) }))}
        onChange={setMeaning}
      />
      <Field
        label={t('signatures.comment')}
        value={comment}
        onChange={setComment}
        maxLength={1000}
        error={errorOf('comment')}
      />
      <PasswordAgain
        value={password}
        onChange={setPassword}
        isMissing={wasTried && !isValid}
        isWrong={errorOf('password') !== undefined}
      />
      {content.data && (
        <p className={styles.hash}>
          {t('signatures.content')} <code>{content.data.contentSha256}</code>
        </p>
      )}
    </FormDialog>
  );
}
