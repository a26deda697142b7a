/** One question of an activity or a survey: its text, its type and the answers to choose from. */
import { useId } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Checkbox, Select } from '../../../shared/kit/forms.tsx';
import { useReorderItem } from '../../../shared/kit/reorder.tsx';
import styles from './builder.module.css';
import { Choices } from './choices.tsx';
import { kindOf, type Locks, ofKind, QUESTION_KINDS, type Question } from './draft.ts';
import { QuestionCondition } from './question-condition.tsx';

export function QuestionEditor({
  question,
  earlier,
  locks,
  path,
  errorOf,
  isReadOnly,
  number,
  isNew,
  onFocus,
  onChange,
  onDuplicate,
  onRemove,
}: {
  question: Question;
  /** Earlier questions of the task whose answers can decide whether this one is asked. */
  earlier: readonly { question: Question; number: number }[];
  locks: Locks;
  path: string;
  errorOf: (path: string) => string | undefined;
  isReadOnly: boolean;
  number: number;
  /** Just added: its text field takes the focus. */
  isNew: boolean;
  onFocus: () => void;
  onChange: (question: Question) => void;
  onDuplicate: () => void;
  onRemove: () => void;
}) {
  const { t } = useWords();
  const { target, handle } = useReorderItem(number - 1);
  const nameId = useId();
  const isLocked = locks.ids.has(question.id ?? '');
  const kind = kindOf(question);
  const isKnown = QUESTION_KINDS.some((one) => one === kind);
  return (
    <fieldset
      {...target}
      ref={(element) => {
        target.ref.current = element;
      }}
      className={styles.question}
      disabled={isReadOnly}
      // Without the handle, which has a name of its own.
      aria-labelledby={nameId}
      onFocus={onFocus}
    >
      <legend>
        {!isReadOnly && handle}
        <span id={nameId}>{t('builder.question', { number })}</span>
      </legend>
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
        value={kind}
        isDisabled={isLocked || isReadOnly}
        help={isLocked ? t('builder.lockedType') : undefined}
        options={[
          ...QUESTION_KINDS.map((id) => ({ id: id as string, label: t(`builder.questionTypes.${id}`) })),
          ...(isKnown ? [] : [{ id: kind, label: kind }]),
        ]}
        onChange={(next) => onChange(ofKind(question, next))}
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
      {question.type === 'NUMERIC' && (
        <Field
          label={t('builder.unit')}
          help={t('builder.unitHelp')}
          value={question.unit ?? ''}
          isDisabled={isLocked || isReadOnly}
          onChange={(unit) => onChange({ ...question, unit })}
          error={errorOf(`${path}.unit`)}
        />
      )}
      <Checkbox
        label={t('builder.required')}
        help={t('builder.requiredHelp')}
        isSelected={question.isRequired === true}
        isDisabled={isReadOnly}
        onChange={(isRequired) => onChange({ ...question, isRequired })}
      />
      <QuestionCondition
        question={question}
        earlier={earlier}
        error={errorOf(`${path}.showIf`)}
        isReadOnly={isReadOnly}
        onChange={(showIf) => onChange({ ...question, showIf })}
      />
      {!isReadOnly && (
        <div className={styles.row}>
          <Button small kind="quiet" icon="copy" onPress={onDuplicate}>
            {t('builder.duplicateQuestion', { number })}
          </Button>
          {!isLocked && (
            <Button small kind="quiet" icon="trash" onPress={onRemove}>
              {t('builder.removeQuestion', { number })}
            </Button>
          )}
        </div>
      )}
    </fieldset>
  );
}
