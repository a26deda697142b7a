/** Activities or surveys: a list, and beside it the form of the chosen one. */
import { useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Checkbox, TextAreaField } from '../../../shared/kit/forms.tsx';
import { Empty } from '../../../shared/kit/state.tsx';
import styles from './builder.module.css';
import { type Activity, type Diary, decidingQuestions, type Locks, newQuestion } from './draft.ts';
import { NumberField } from './number-field.tsx';
import { QuestionEditor } from './question-editor.tsx';

const DURATION_LIMITS = { min: 0, max: 86_400 };

type ErrorOf = (path: string) => string | undefined;

function TaskForm<T extends Activity | Diary>({
  kind,
  task,
  path,
  locks,
  errorOf,
  isReadOnly,
  onChange,
  onRemove,
}: {
  kind: 'activities' | 'diaries';
  task: T;
  /** Where the task is in the definition, as errors name it. */
  path: string;
  locks: Locks;
  errorOf: ErrorOf;
  isReadOnly: boolean;
  onChange: (task: T) => void;
  onRemove: () => void;
}) {
  const { t } = useWords();
  const [newest, setNewest] = useState<string>();
  const isLocked = locks.ids.has(task.id);
  return (
    <div className={styles.form}>
      <Field
        key={task.id}
        label={t('builder.name')}
        autoFocus={task.displayName === ''}
        value={task.displayName}
        isReadOnly={isReadOnly}
        onChange={(displayName) => onChange({ ...task, displayName })}
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
            onChange={(durationSec) => onChange({ ...task, durationSec })}
            error={errorOf(`${path}.durationSec`)}
          />
          <Checkbox
            label={t('builder.calibration')}
            help={t('builder.calibrationHelp')}
            isSelected={task.guide === 'POSTURE_CALIBRATION'}
            isDisabled={isReadOnly}
            onChange={(isGuided) => {
              const { guide: _, ...plain } = task;
              onChange((isGuided ? { ...task, guide: 'POSTURE_CALIBRATION' } : plain) as T);
            }}
          />
          <TextAreaField
            label={t('builder.instructions')}
            value={task.instructions}
            onChange={(instructions) => !isReadOnly && onChange({ ...task, instructions })}
            error={errorOf(`${path}.instructions`)}
          />
        </>
      )}
      {task.questions.map((question, at) => (
        <QuestionEditor
          key={question.id}
          question={question}
          earlier={decidingQuestions(task.questions, at)}
          locks={locks}
          number={at + 1}
          isNew={question.id === newest}
          path={`${path}.questions.${at}`}
          errorOf={errorOf}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange({ ...task, questions: task.questions.with(at, next) })}
          onRemove={() => onChange({ ...task, questions: task.questions.toSpliced(at, 1) })}
        />
      ))}
      {!isReadOnly && (
        <div className={styles.row}>
          <Button
            icon="plus"
            onPress={() => {
              const fresh = newQuestion();
              setNewest(fresh.id);
              onChange({ ...task, questions: [...task.questions, fresh] });
            }}
          >
            {t('builder.addQuestion')}
          </Button>
          {isLocked ? (
            <small>{t('builder.lockedTask')}</small>
          ) : (
            <Button kind="quiet" icon="trash" onPress={onRemove}>
              {task.displayName ? t('builder.remove', { name: task.displayName }) : t(`builder.removeUnnamed.${kind}`)}
            </Button>
          )}
        </div>
      )}
    </div>
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
  /** Id of the task whose form shows. */
  chosen: string | undefined;
  make: () => T;
  onChoose: (id: string) => void;
  onChange: (tasks: T[]) => void;
}) {
  const { t } = useWords();
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
      <TaskForm
        kind={kind}
        task={task}
        path={`${kind}.${index}`}
        locks={locks}
        errorOf={errorOf}
        isReadOnly={isReadOnly}
        onChange={put}
        onRemove={() => onChange(tasks.toSpliced(index, 1))}
      />
    </div>
  );
}
