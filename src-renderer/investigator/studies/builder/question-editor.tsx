/** One question of an activity or a survey: its text, its type and the answers to choose from. */
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import styles from './builder.module.css';
import { Choices } from './choices.tsx';
import { firstValues, type Locks, QUESTION_TYPES, type Question } from './draft.ts';

export function QuestionEditor({
  question,
  locks,
  path,
  errorOf,
  isReadOnly,
  number,
  isNew,
  onChange,
  onRemove,
}: {
  question: Question;
  locks: Locks;
  path: string;
  errorOf: (path: string) => string | undefined;
  isReadOnly: boolean;
  number: number;
  /** Just added: its text field takes the focus. */
  isNew: boolean;
  onChange: (question: Question) => void;
  onRemove: () => void;
}) {
  const { t } = useWords();
  const isLocked = locks.ids.has(question.id ?? '');
  const isKnown = QUESTION_TYPES.some((type) => type === question.type);
  return (
    <fieldset className={styles.question} disabled={isReadOnly}>
      <legend>{t('builder.question', { number })}</legend>
      <Field
        label={t('builder.questionText')}
        autoFocus={isNew}
        value={question.text}
        onChange={(text) => onChange({ ...question, text })}
        isReadOnly={isReadOnly}
        error={errorOf(`${path}.text`)}
      />
      <Select
        label={t('builder.questionType')}
        value={question.type}
        isDisabled={isLocked || isReadOnly}
        help={isLocked ? t('builder.lockedType') : undefined}
        options={[
          ...QUESTION_TYPES.map((id) => ({ id: id as string, label: t(`builder.questionTypes.${id}`) })),
          ...(isKnown ? [] : [{ id: question.type, label: question.type }]),
        ]}
        onChange={(type) => onChange({ ...question, type, values: firstValues(type) })}
      />
      {question.type === 'MULTIPLECHOICE' && (
        <Choices
          values={question.values}
          kept={locks.choices.get(question.id ?? '') ?? []}
          error={errorOf(`${path}.values`)}
          onChange={(values) => onChange({ ...question, values })}
        />
      )}
      {question.type === 'RANGE' && (
        <div className={styles.pair}>
          {[0, 1].map((end) => (
            <Field
              key={end}
              label={t(end === 0 ? 'builder.lowest' : 'builder.highest')}
              value={question.values[end] ?? ''}
              isDisabled={isLocked || isReadOnly}
              onChange={(value) => onChange({ ...question, values: question.values.with(end, value) })}
              error={end === 0 ? errorOf(`${path}.values`) : undefined}
            />
          ))}
        </div>
      )}
      {!isLocked && !isReadOnly && (
        <Button small kind="quiet" icon="trash" onPress={onRemove}>
          {t('builder.removeQuestion', { number })}
        </Button>
      )}
    </fieldset>
  );
}
