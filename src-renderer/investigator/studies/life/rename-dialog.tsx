/** Creates a study or renames one. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Study } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import styles from '../studies.module.css';

export function StudyNameDialog({
  study,
  onClose,
  onCreated,
}: {
  study?: Study;
  onClose: () => void;
  onCreated?: (studyId: string) => void;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [displayName, setName] = useState(study?.displayName ?? '');
  const [title, setTitle] = useState(study?.title ?? '');
  const save = useMutation({
    mutationFn: async () => {
      const body = { displayName: displayName.trim(), title: title.trim() };
      if (study) {
        await client.call('updateStudy', { params: { studyId: study.id }, body });
        return study.id;
      }
      // The site uses the name where there is no title.
      const given = { ...body, title: body.title || undefined };
      return (await client.call('createStudy', { params: { accountId: user.accountId }, body: given })).id;
    },
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ['study'] });
      onClose();
      if (!study) onCreated?.(id);
    },
  });
  const errorOf = useFieldErrors(save.error);
  const isValid = displayName.trim() !== '';
  const { wasTried, onSubmit } = useCheckedSubmit(isValid, () => save.mutate());
  return (
    <FormDialog
      title={study ? t('studyForm.editTitle', { name: study.displayName }) : t('studyForm.newTitle')}
      submitLabel={study ? t('studyForm.save') : t('studyForm.create')}
      mutation={save}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <Field
        label={t('studyForm.name')}
        help={t('studyForm.nameHelp')}
        autoFocus
        isRequired
        value={displayName}
        onChange={setName}
        error={wasTried && !isValid ? t('studyForm.nameMissing') : errorOf('displayName')}
      />
      <Field
        label={t('subjectForm.optional', { label: t('studyForm.title') })}
        help={t('studyForm.titleHelp')}
        value={title}
        onChange={setTitle}
        error={errorOf('title')}
      />
      {!study && (
        <div>
          <p>{t('studyForm.defaults')}</p>
          <ul className={styles.effects}>
            {(['state', 'empty', 'members'] as const).map((part) => (
              <li key={part}>{t(`studyForm.defaultList.${part}`)}</li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}
