/** Creates a study, empty or from a template or another study, or renames one. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Study } from '../../../../src-server/api/contract/index.ts';
import { LONGEST_NAME } from '../../../../src-server/vocabulary/study.ts';
import { client } from '../../../shared/api/client.ts';
import { studiesQuery } from '../../../shared/api/queries.ts';
import { studyTemplatesQuery } from '../../../shared/api/questionnaire-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import type { Language } from '../../../shared/i18n/languages.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import styles from '../studies.module.css';

const NOTHING = 'nothing';
const TEMPLATE = 'template ';
const STUDY = 'study ';

/** What the chosen option asks the site for. */
function sourceOf(from: string, language: Language) {
  if (from.startsWith(TEMPLATE)) return { templateId: from.slice(TEMPLATE.length), language };
  return from.startsWith(STUDY) ? { studyId: from.slice(STUDY.length) } : undefined;
}

export function StudyNameDialog({
  study,
  source,
  onClose,
  onCreated,
}: {
  study?: Study;
  /** The study that is duplicated. */
  source?: Study;
  onClose: () => void;
  onCreated?: (studyId: string) => void;
}) {
  const { t, language } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [displayName, setName] = useState(
    study?.displayName ?? (source ? t('studyForm.copyName', { name: source.displayName }).slice(0, LONGEST_NAME) : ''),
  );
  const templates = useQuery({ ...studyTemplatesQuery(language), enabled: !study });
  const others = useQuery({ ...studiesQuery(user.accountId), enabled: !study });
  const [from, setFrom] = useState(source ? `${STUDY}${source.id}` : NOTHING);
  const template = templates.data?.find(({ id }) => from === `${TEMPLATE}${id}`);
  const [title, setTitle] = useState(study?.title ?? '');
  const save = useMutation({
    mutationFn: async () => {
      const body = { displayName: displayName.trim(), title: title.trim() };
      if (study) {
        await client.call('updateStudy', { params: { studyId: study.id }, body });
        return study.id;
      }
      // The site uses the name where there is no title.
      const given = { ...body, title: body.title || undefined, from: sourceOf(from, language) };
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
      title={
        study
          ? t('studyForm.editTitle', { name: study.displayName })
          : source
            ? t('studyForm.duplicateTitle', { name: source.displayName })
            : t('studyForm.newTitle')
      }
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
        <Select
          label={t('studyForm.from')}
          value={from}
          help={
            template
              ? t('studyForm.templateFacts', { summary: template.summary })
              : from === NOTHING
                ? undefined
                : t('studyForm.fromHelp')
          }
          error={errorOf('from')}
          options={[
            { id: NOTHING, label: t('studyForm.fromNothing') },
            ...(templates.data ?? []).map(({ id, displayName: name }) => ({
              id: `${TEMPLATE}${id}`,
              label: t('studyForm.fromTemplate', { name }),
            })),
            ...(others.data ?? (source ? [source] : [])).map(({ id, displayName: name }) => ({
              id: `${STUDY}${id}`,
              label: t('studyForm.fromStudy', { name }),
            })),
          ]}
          onChange={setFrom}
        />
      )}
      {!study && (
        <div>
          <p>{t('studyForm.defaults')}</p>
          <ul className={styles.effects}>
            {(['state', ...(from === NOTHING ? (['empty'] as const) : []), 'members'] as const).map((part) => (
              <li key={part}>{t(`studyForm.defaultList.${part}`)}</li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}
