/** Activities or surveys: the list at the left, the chosen one beside it. */
import { useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Select, TextAreaField } from '../../../shared/kit/forms.tsx';
import { Empty } from '../../../shared/kit/state.tsx';
import styles from './builder.module.css';
import { Choices } from './choices.tsx';
import {
  type Activity,
  type Diary,
  firstValues,
  type Locks,
  newQuestion,
  QUESTION_TYPES,
  type Question,
} from './draft.ts';
import { NumberField } from './number-field.tsx';

const DURATION_LIMITS = { min: 0, max: 86_400 };

type ErrorOf = (path: string) => string | undefined;

function QuestionEditor({
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
  errorOf: ErrorOf;
  isReadOnly: boolean;
  number: number;
  /** Just added: one goes on by typing it. */
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

export function TasksEditor<T extends Activity | Diary>({
  kind,
  tasks,
  locks,
  errorOf,
  isReadOnly,
  chosen,
  make,
  onChoose,
  onChange,
}: {
  kind: 'activities' | 'diaries';
  tasks: readonly T[];
  locks: Locks;
  errorOf: ErrorOf;
  isReadOnly: boolean;
  /** Id of the task that shows. */
  chosen: string | undefined;
  make: () => T;
  onChoose: (id: string) => void;
  onChange: (tasks: T[]) => void;
}) {
  const { t } = useWords();
  const [newest, setNewest] = useState<string>();
  const index = Math.max(
    0,
    tasks.findIndex((task) => task.id === chosen),
  );
  const task = tasks[index];
  const add = () => {
    const fresh = make();
    onChange([...tasks, fresh]);
    onChoose(fresh.id);
  };
  const put = (next: T) => onChange(tasks.with(index, next));
  const addButton = !isReadOnly && (
    <Button icon="plus" onPress={add}>
      {t(`builder.add.${kind}`)}
    </Button>
  );
  if (!task) {
    return (
      <Empty icon="rows" title={t(`builder.emptyTitle.${kind}`)} help={t(`builder.emptyHelp.${kind}`)}>
        {addButton}
      </Empty>
    );
  }
  const path = `${kind}.${index}`;
  const isLocked = locks.ids.has(task.id);
  return (
    <div className={styles.split}>
      <div className={styles.list}>
        <ul aria-label={t(`builder.parts.${kind}`)}>
          {tasks.map((one) => (
            <li key={one.id}>
              <button type="button" aria-pressed={one === task} onClick={() => onChoose(one.id)}>
                {one.displayName || t('builder.unnamed')}
                <small>{t('builder.questions', { count: one.questions.length })}</small>
              </button>
            </li>
          ))}
        </ul>
        {addButton}
      </div>
      <div className={styles.form}>
        <Field
          key={task.id}
          label={t('builder.name')}
          autoFocus={task.displayName === ''}
          value={task.displayName}
          isReadOnly={isReadOnly}
          onChange={(displayName) => put({ ...task, displayName })}
          error={errorOf(`${path}.displayName`)}
        />
        {'durationSec' in task && (
          <>
            <NumberField
              key={task.id}
              label={t('builder.duration')}
              help={t('builder.durationHelp')}
              isReadOnly={isReadOnly}
              value={task.durationSec}
              limits={DURATION_LIMITS}
              isDuration
              onChange={(durationSec) => put({ ...task, durationSec })}
              error={errorOf(`${path}.durationSec`)}
            />
            <TextAreaField
              label={t('builder.instructions')}
              value={task.instructions}
              onChange={(instructions) => !isReadOnly && put({ ...task, instructions })}
              error={errorOf(`${path}.instructions`)}
            />
          </>
        )}
        {task.questions.map((question, at) => (
          <QuestionEditor
            key={question.id}
            question={question}
            locks={locks}
            number={at + 1}
            isNew={question.id === newest}
            path={`${path}.questions.${at}`}
            errorOf={errorOf}
            isReadOnly={isReadOnly}
            onChange={(next) => put({ ...task, questions: task.questions.with(at, next) })}
            onRemove={() => put({ ...task, questions: task.questions.toSpliced(at, 1) })}
          />
        ))}
        {!isReadOnly && (
          <div className={styles.row}>
            <Button
              icon="plus"
              onPress={() => {
                const fresh = newQuestion();
                setNewest(fresh.id);
                put({ ...task, questions: [...task.questions, fresh] });
              }}
            >
              {t('builder.addQuestion')}
            </Button>
            {isLocked ? (
              <small>{t('builder.lockedTask')}</small>
            ) : (
              <Button kind="quiet" icon="trash" onPress={() => onChange(tasks.toSpliced(index, 1))}>
                {task.displayName
                  ? t('builder.remove', { name: task.displayName })
                  : t(`builder.removeUnnamed.${kind}`)}
              </Button>
            )}
          </div>
        )}
      </div>
    </div>
  );
}
