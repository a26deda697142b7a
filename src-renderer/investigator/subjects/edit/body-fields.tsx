/** Age, gender, height, weight and dominant hand of a subject: all optional. */
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import styles from './edit.module.css';
import type { SubjectDraft } from './fields.ts';

export function BodyFields({
  draft,
  set,
  errorOf,
}: {
  draft: SubjectDraft;
  set: <K extends keyof SubjectDraft>(key: K) => (value: SubjectDraft[K]) => void;
  errorOf: (path: string) => string | undefined;
}) {
  const { t } = useWords();
  const optional = (label: string) => t('subjectForm.optional', { label });
  return (
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
  );
}
