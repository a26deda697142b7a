/** Enrols a subject, or changes the record of one. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Study, Subject } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { ApiError } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Checkbox, FieldGroup, Select } from '../../../shared/kit/forms.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { ZoneField } from '../../../shared/kit/zone-field.tsx';
import styles from './edit.module.css';
import { draftOf, metadataOf, newSubjectOf, problemsOf, type SubjectDraft, updateOf } from './fields.ts';
import { MetadataFields } from './metadata-fields.tsx';

export function SubjectDialog({
  studies,
  subject,
  onClose,
  onSaved,
}: {
  /** Where it can be enrolled; the one of the subject when it is changed. */
  studies: readonly Study[];
  subject?: Subject;
  onClose: () => void;
  onSaved?: (studyId: string, subjectId: string) => void;
}) {
  const { t, language } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [studyId, setStudyId] = useState(studies[0]?.id ?? '');
  const [opened] = useState(() => ({ draft: draftOf(subject, user.timezone), modifiedTs: subject?.modifiedTs }));
  const [draft, setDraft] = useState(opened.draft);
  const [wasTried, setTried] = useState(false);
  const study = studies.find(({ id }) => id === studyId);
  const fields = study?.subjectMetadataFields ?? [];
  const problems = problemsOf(draft, fields, Date.now());
  const set = <K extends keyof SubjectDraft>(key: K) => {
    return (value: SubjectDraft[K]) => setDraft((now) => ({ ...now, [key]: value }));
  };

  const save = useMutation({
    mutationFn: async (): Promise<string> => {
      if (subject) {
        const params = { studyId: subject.studyId, subjectId: subject.id };
        await client.call('updateSubject', {
          params,
          body: updateOf(draft, opened.draft, draftOf(subject, user.timezone), fields),
        });
        return subject.id;
      }
      return (await client.call('createSubject', { params: { studyId }, body: newSubjectOf(draft, fields) })).id;
    },
    onSuccess: async (id) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['subject', studyId] }),
        queries.invalidateQueries({ queryKey: ['study', studyId] }),
        queries.invalidateQueries({ queryKey: ['analytics', studyId, id] }),
      ]);
      onClose();
      onSaved?.(studyId, id);
    },
  });
  const ofSite = useFieldErrors(save.error);
  const errorOf = (path: string) => {
    const problem = wasTried ? problems.get(path) : undefined;
    return problem ? t(`subjectForm.problem.${problem}`) : ofSite(path);
  };
  const metadataError = (displayName: string) => {
    const index = metadataOf(draft, fields).findIndex((field) => field.displayName === displayName);
    return errorOf(`metadata.${displayName}`) ?? (index < 0 ? undefined : ofSite(`metadataFields.${index}`));
  };
  const optional = (label: string) => t('subjectForm.optional', { label });
  const isRunning = study?.lifecycleState === 'IN_PROGRESS';

  return (
    <FormDialog
      title={subject ? t('subjectForm.editTitle', { name: subject.displayName }) : t('subjectForm.newTitle')}
      intro={subject ? undefined : t(isRunning ? 'subjectForm.introRunning' : 'subjectForm.intro')}
      submitLabel={subject ? t('subjectForm.save') : t('subjectForm.create')}
      mutation={{
        isPending: save.isPending,
        error: save.error instanceof ApiError && save.error.errors.length > 0 && language !== 'en' ? null : save.error,
      }}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (problems.size === 0) save.mutate();
      }}
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
      <ZoneField
        label={t('subjectForm.zone')}
        help={t('subjectForm.zoneHelp')}
        value={draft.timezone}
        onChange={set('timezone')}
        error={errorOf('timezone')}
      />
      {subject && (
        <Field
          label={optional(t('subjectForm.since'))}
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
      <div className={styles.columns}>
        <Field
          label={optional(t('subjectForm.age'))}
          inputMode="numeric"
          value={draft.age}
          onChange={set('age')}
          error={errorOf('age')}
        />
        <Select
          label={optional(t('subjectForm.gender'))}
          value={draft.gender}
          options={[
            { id: '', label: t('subjectForm.notGiven') },
            { id: 'FEMALE', label: t('subjectForm.FEMALE') },
            { id: 'MALE', label: t('subjectForm.MALE') },
          ]}
          onChange={set('gender')}
          error={errorOf('gender')}
        />
        <Field
          label={optional(t('subjectForm.height'))}
          inputMode="decimal"
          value={draft.height}
          onChange={set('height')}
          error={errorOf('height')}
        />
        <Field
          label={optional(t('subjectForm.weight'))}
          inputMode="decimal"
          value={draft.weight}
          onChange={set('weight')}
          error={errorOf('weight')}
        />
        <Select
          label={optional(t('subjectForm.hand'))}
          help={t('subjectForm.handHelp')}
          value={draft.dominantHand}
          options={[
            { id: '', label: t('subjectForm.notGiven') },
            { id: 'RIGHT', label: t('subjectForm.RIGHT') },
            { id: 'LEFT', label: t('subjectForm.LEFT') },
          ]}
          onChange={set('dominantHand')}
        />
      </div>
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
          label={optional(t('subjectForm.reason'))}
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
