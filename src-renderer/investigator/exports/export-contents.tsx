/** What an export contains: which subjects, and which free words a de-identified export keeps. */
import { useQuery } from '@tanstack/react-query';
import { studyQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Checkbox, FieldGroup } from '../../shared/kit/forms.tsx';
import styles from './exports.module.css';

/** All subjects, or some of them. */
export function SubjectChoice({
  studyId,
  chosen,
  onChange,
}: {
  studyId: string;
  /** Undefined for all subjects; an empty set is nobody. */
  chosen: ReadonlySet<string> | undefined;
  onChange: (chosen: ReadonlySet<string> | undefined) => void;
}) {
  const { t } = useWords();
  const subjects = (useQuery(subjectsQuery(studyId)).data?.items ?? []).filter((subject) => !subject.isTest);
  return (
    <FieldGroup label={t('exports.subjects')}>
      <Checkbox
        label={t('exports.allSubjects', { count: subjects.length })}
        help={t('exports.allSubjectsHelp')}
        isSelected={!chosen}
        onChange={(all) => onChange(all ? undefined : new Set())}
      />
      {chosen && (
        <div className={styles.subjects}>
          {subjects.map((subject) => (
            <Checkbox
              key={subject.id}
              label={subject.displayName}
              isSelected={chosen.has(subject.id)}
              onChange={(isSelected) => {
                const next = new Set(chosen);
                if (isSelected) next.add(subject.id);
                else next.delete(subject.id);
                onChange(next);
              }}
            />
          ))}
        </div>
      )}
      {chosen?.size === 0 && <p className={styles.hint}>{t('exports.noSubjectChosen')}</p>}
    </FieldGroup>
  );
}

export interface Words {
  /** Names of the metadata fields. */
  fields: ReadonlySet<string>;
  definition: boolean;
}

export const NO_WORDS: Words = { fields: new Set(), definition: false };

/** Which texts a de-identified export keeps although its rules remove them: none, unless chosen here. */
export function WordsChoice({
  studyId,
  words,
  onChange,
}: {
  studyId: string;
  words: Words;
  onChange: (words: Words) => void;
}) {
  const { t } = useWords();
  const fields = useQuery(studyQuery(studyId)).data?.subjectMetadataFields ?? [];
  return (
    <FieldGroup label={t('exports.freeText')}>
      <p className={styles.hint}>{t('exports.freeTextHelp')}</p>
      <Checkbox
        label={t('exports.definitionText')}
        help={t('exports.definitionTextHelp')}
        isSelected={words.definition}
        onChange={(definition) => onChange({ ...words, definition })}
      />
      {fields
        .filter(({ type }) => type !== 'FREETEXT')
        .map(({ displayName, type }) => (
          <Checkbox
            key={displayName}
            label={t('exports.fieldText', { name: displayName })}
            help={type === 'NUMBER' ? t('exports.numberTextHelp') : undefined}
            isSelected={words.fields.has(displayName)}
            onChange={(isSelected) => {
              const next = new Set(words.fields);
              if (isSelected) next.add(displayName);
              else next.delete(displayName);
              onChange({ ...words, fields: next });
            }}
          />
        ))}
    </FieldGroup>
  );
}
