/** Enrols a subject, or changes the record of one. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Study, Subject } from '../../../../src-server/api/contract/index.ts';
import { studyPlanQuery } from '../../../shared/api/participation-queries.ts';
import { ApiError } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Checkbox, FieldGroup, Select } from '../../../shared/kit/forms.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { ZoneField } from '../../../shared/kit/zone-field.tsx';
import { BodyFields } from './body-fields.tsx';
import { draftOf, metadataOf, problemsOf, type SubjectDraft } from './fields.ts';
import { MetadataFields } from './metadata-fields.tsx';
import { useSaveSubject } from './use-save-subject.ts';

interface FieldProps {
  draft: SubjectDraft;
  set: <K extends keyof SubjectDraft>(key: K) => (value: SubjectDraft[K]) => void;
  errorOf: (path: string) => string | undefined;
}

/** The time zone, and for an existing subject since when it applies and what a change affects. */
function ZoneFields({ draft, set, errorOf, subject }: FieldProps & { subject: Subject | undefined }) {
  const { t } = useWords();
  return (
    <>
      <ZoneField
        label={t('subjectForm.zone')}
        help={t('subjectForm.zoneHelp')}
        value={draft.timezone}
        onChange={set('timezone')}
        error={errorOf('timezone')}
      />
      {subject && (
        <Field
          label={t('subjectForm.optional', { label: t('subjectForm.since') })}
          help={t('subjectForm.sinceHelp')}
          value={draft.zoneSince}
          onChange={set('zoneSince')}
          error={errorOf('timezoneFromTs')}
        />
      )}
      {subject && draft.zoneSince.trim() !== '' ? (
        <Notice tone="info">{t('subjectForm.zoneChangePast', { zone: draft.timezone.trim() })}</Notice>
      ) : (
        subject &&
        subject.timezone !== draft.timezone.trim() && (
          <Notice tone="info">{t('subjectForm.zoneChange', { before: subject.timezone })}</Notice>
        )
      )}
    </>
  );
}

export function SubjectDialog({
  studies,
  subject,
  onClose,
  onSaved,
}: {
  /** The studies to choose from; for an existing subject, its own. */
  studies: readonly Study[];
  subject?: Subject;
  onClose: () => void;
  onSaved?: (studyId: string, subjectId: string) => void;
}) {
  const { t, language } = useWords();
  const { user } = useSession();
  const [studyId, setStudyId] = useState(studies[0]?.id ?? '');
  const [opened] = useState(() => ({ draft: draftOf(subject, user.timezone), modifiedTs: subject?.modifiedTs }));
  const [draft, setDraft] = useState(opened.draft);
  const study = studies.find(({ id }) => id === studyId);
  const fields = study?.subjectMetadataFields ?? [];
  const problems = problemsOf(draft, fields, Date.now());
  const set: FieldProps['set'] = (key) => (value) => setDraft((now) => ({ ...now, [key]: value }));
  const save = useSaveSubject({
    ...{ studyId, subject, opened: opened.draft, draft, fields },
    onSaved: (id) => {
      onClose();
      onSaved?.(studyId, id);
    },
  });
  const { wasTried, onSubmit } = useCheckedSubmit(problems.size === 0, () => save.mutate());
  const siteErrorOf = useFieldErrors(save.error);
  const errorOf = (path: string) => {
    const problem = wasTried ? problems.get(path) : undefined;
    return problem ? t(`subjectForm.problem.${problem}`) : siteErrorOf(path);
  };
  const metadataError = (displayName: string) => {
    const index = metadataOf(draft, fields).findIndex((field) => field.displayName === displayName);
    return errorOf(`metadata.${displayName}`) ?? (index < 0 ? undefined : siteErrorOf(`metadataFields.${index}`));
  };
  const isRunning = study?.lifecycleState === 'IN_PROGRESS';
  const plan = useQuery({ ...studyPlanQuery(studyId), enabled: !subject && studyId !== '' });
  const isScreened = (plan.data?.consentForms.length ?? 0) > 0;
  const introRunning = isRunning ? 'subjectForm.introRunning' : 'subjectForm.intro';
  const intro = isScreened ? 'subjectForm.introScreening' : introRunning;
  // The site's sentences are English; in another language each field shows a translated one instead.
  const isShownAtFields = save.error instanceof ApiError && save.error.errors.length > 0 && language !== 'en';
  return (
    <FormDialog
      title={subject ? t('subjectForm.editTitle', { name: subject.displayName }) : t('subjectForm.newTitle')}
      intro={subject ? undefined : t(intro)}
      submitLabel={t(subject ? 'subjectForm.save' : isScreened ? 'subjectForm.createScreening' : 'subjectForm.create')}
      mutation={{ isPending: save.isPending, error: isShownAtFields ? null : save.error }}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      {subject && subject.modifiedTs !== opened.modifiedTs && !save.isPending && (
        <Notice tone="info">{t('subjectForm.editConflict')}</Notice>
      )}
      {!subject && studies.length > 1 && (
        <Select
          label={t('subjects.study')}
          value={studyId}
          options={studies.map(({ id, displayName }) => ({ id, label: displayName }))}
          onChange={setStudyId}
        />
      )}
      <Field
        label={t('subjectForm.name')}
        help={t('subjectForm.nameHelp')}
        autoFocus
        isRequired
        value={draft.displayName}
        onChange={set('displayName')}
        error={errorOf('displayName')}
      />
      <ZoneFields draft={draft} set={set} errorOf={errorOf} subject={subject} />
      <BodyFields draft={draft} set={set} errorOf={errorOf} />
      {fields.length > 0 && (
        <FieldGroup label={t('subjectForm.fields')}>
          <MetadataFields
            fields={fields}
            values={draft.metadata}
            errorOf={metadataError}
            onChange={(name, value) => set('metadata')({ ...draft.metadata, [name]: value })}
          />
        </FieldGroup>
      )}
      {subject ? (
        <Field
          label={t('subjectForm.optional', { label: t('subjectForm.reason') })}
          help={t('subjectForm.reasonHelp')}
          value={draft.reason}
          onChange={set('reason')}
        />
      ) : (
        <Checkbox
          label={t('subjectForm.test')}
          help={t('subjectForm.testHelp')}
          isSelected={draft.isTest}
          onChange={set('isTest')}
        />
      )}
    </FormDialog>
  );
}
