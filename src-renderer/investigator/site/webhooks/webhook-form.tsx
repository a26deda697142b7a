import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EVENT_ACTIONS, type EventAction } from '../../../shared/api/event-actions.ts';
import { studiesQuery } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Checkbox, FieldGroup, TextAreaField } from '../../../shared/kit/forms.tsx';
import styles from '../site.module.css';

export interface WebhookDraft {
  displayName: string;
  url: string;
  /** Empty: all. */
  actions: EventAction[];
  /** Empty: all. */
  studyIds: string[];
  trustedCertificate: string | null;
}

export const EMPTY_WEBHOOK: WebhookDraft = {
  displayName: '',
  url: '',
  actions: [],
  studyIds: [],
  trustedCertificate: null,
};

/** A multiple choice in which an empty selection means all. */
function Several<T extends string>({
  label,
  allLabel,
  options,
  chosen,
  onChange,
}: {
  label: string;
  allLabel: string;
  options: readonly { id: T; label: string }[];
  chosen: readonly T[];
  onChange: (chosen: T[]) => void;
}) {
  const [isSome, setSome] = useState(chosen.length > 0);
  return (
    <FieldGroup label={label}>
      <Checkbox
        label={allLabel}
        isSelected={!isSome}
        onChange={(all) => {
          setSome(!all);
          if (all) onChange([]);
        }}
      />
      {isSome && (
        <div className={styles.pair}>
          {options.map((option) => (
            <Checkbox
              key={option.id}
              label={option.label}
              isSelected={chosen.includes(option.id)}
              onChange={(isSelected) =>
                onChange(isSelected ? [...chosen, option.id] : chosen.filter((id) => id !== option.id))
              }
            />
          ))}
        </div>
      )}
    </FieldGroup>
  );
}

export function WebhookForm({
  title,
  submitLabel,
  initial,
  onSave,
  onClose,
}: {
  title: string;
  submitLabel: string;
  initial: WebhookDraft;
  onSave: (draft: WebhookDraft) => Promise<void>;
  onClose: () => void;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const studies = useQuery(studiesQuery(user.accountId)).data ?? [];
  const [draft, setDraft] = useState(initial);
  const change = (part: Partial<WebhookDraft>) => setDraft({ ...draft, ...part });
  const save = useMutation({ mutationFn: () => onSave(draft), onSuccess: onClose });
  const fieldError = useFieldErrors(save.error);
  return (
    <FormDialog
      title={title}
      intro={t('webhooks.intro')}
      submitLabel={submitLabel}
      mutation={save}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Field
        label={t('webhooks.name')}
        value={draft.displayName}
        onChange={(displayName) => change({ displayName })}
        error={fieldError('displayName')}
      />
      <Field
        label={t('webhooks.url')}
        type="url"
        value={draft.url}
        onChange={(url) => change({ url })}
        help={t('webhooks.urlHelp')}
        error={fieldError('url')}
      />
      <Several
        label={t('webhooks.actions')}
        allLabel={t('webhooks.allActions')}
        options={EVENT_ACTIONS.map((id) => ({ id, label: t(`webhooks.action.${id}`) }))}
        chosen={draft.actions}
        onChange={(actions) => change({ actions })}
      />
      <Several
        label={t('nav.studies')}
        allLabel={t('webhooks.allStudies')}
        options={studies.map((study) => ({ id: study.id, label: study.displayName }))}
        chosen={draft.studyIds}
        onChange={(studyIds) => change({ studyIds })}
      />
      <details open={draft.trustedCertificate !== null}>
        <summary>{t('mail.certificate')}</summary>
        <TextAreaField
          isCode
          label={t('mail.certificateLabel')}
          help={t('webhooks.certificateHelp')}
          value={draft.trustedCertificate ?? ''}
          onChange={(text) => change({ trustedCertificate: text.trim() === '' ? null : text })}
          error={fieldError('trustedCertificate')}
        />
      </details>
    </FormDialog>
  );
}
