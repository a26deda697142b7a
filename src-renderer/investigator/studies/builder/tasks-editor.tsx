/** Activities or surveys: a list, and beside it the form of the chosen one. */
import { lazy, Suspense, useState } from 'react';
import { LONGEST_NAME } from '../../../../src-server/vocabulary/study.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Checkbox, TextAreaField } from '../../../shared/kit/forms.tsx';
import { Reorder, type ReorderWords, useReorderItem } from '../../../shared/kit/reorder.tsx';
import { Empty } from '../../../shared/kit/state.tsx';
import styles from './builder.module.css';
import {
  type Activity,
  copyOfQuestion,
  copyOfTask,
  type Diary,
  decidingQuestions,
  type Locks,
  newQuestion,
} from './draft.ts';
import { diaryOf } from './library/recognised.ts';
import { RecognisedNotice } from './library/recognised-notice.tsx';
import { NumberField } from './number-field.tsx';
import { PhonePreview } from './preview/phone-preview.tsx';
import { QuestionEditor } from './question-editor.tsx';

const LibraryDialog = lazy(async () => ({ default: (await import('./library/library-dialog.tsx')).LibraryDialog }));

const DURATION_LIMITS = { min: 0, max: 86_400 };

type ErrorOf = (path: string) => string | undefined;

function useReorderWords(): ReorderWords {
  const { t } = useWords();
  return {
    handle: (name) => t('builder.move', { name }),
    help: t('builder.moveHelp'),
    moved: (name, place, count) => t('builder.moved', { name, place, count }),
  };
}

/** A task in the list, with the handle that moves it. */
function TaskItem({
  task,
  index,
  isChosen,
  isReadOnly,
  onChoose,
}: {
  task: Activity | Diary;
  index: number;
  isChosen: boolean;
  isReadOnly: boolean;
  onChoose: () => void;
}) {
  const { t } = useWords();
  const { target, handle } = useReorderItem(index);
  return (
    <li
      {...target}
      ref={(element) => {
        target.ref.current = element;
      }}
    >
      {!isReadOnly && handle}
      <button type="button" aria-pressed={isChosen} onClick={onChoose}>
        {task.displayName || t('builder.unnamed')}
        <small>{t('builder.questions', { count: task.questions.length })}</small>
      </button>
    </li>
  );
}

function TaskForm<T extends Activity | Diary>({
  kind,
  task,
  path,
  locks,
  errorOf,
  isReadOnly,
  onChange,
  onDuplicate,
  onRemove,
  onShow,
}: {
  kind: 'activities' | 'diaries';
  task: T;
  /** Where the task is in the definition, as errors name it. */
  path: string;
  locks: Locks;
  errorOf: ErrorOf;
  isReadOnly: boolean;
  onChange: (task: T) => void;
  onDuplicate: () => void;
  onRemove: () => void;
  /** The question that is being edited; undefined for the rest of the form. */
  onShow: (questionId: string | undefined) => void;
}) {
  const { t } = useWords();
  const reorderWords = useReorderWords();
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
      {kind === 'diaries' && <RecognisedNotice questions={task.questions} />}
      <Reorder
        names={task.questions.map((_, at) => t('builder.question', { number: at + 1 }))}
        words={reorderWords}
        onMove={(order) => onChange({ ...task, questions: order.map((at) => task.questions[at]!) })}
      >
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
            onFocus={() => onShow(question.id)}
            onChange={(next) => onChange({ ...task, questions: task.questions.with(at, next) })}
            onDuplicate={() => {
              const copy = copyOfQuestion(question);
              setNewest(copy.id);
              onChange({ ...task, questions: task.questions.toSpliced(at + 1, 0, copy) });
            }}
            onRemove={() => onChange({ ...task, questions: task.questions.toSpliced(at, 1) })}
          />
        ))}
      </Reorder>
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
          <Button kind="quiet" icon="copy" onPress={onDuplicate}>
            {t(`builder.duplicate.${kind}`)}
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
  const reorderWords = useReorderWords();
  const [shown, setShown] = useState<string>();
  const [isLibraryOpen, setLibraryOpen] = useState(false);
  const put = (next: T) => onChange(tasks.with(index, next));
  const insert = (fresh: T) => {
    onChange([...tasks, fresh]);
    onChoose(fresh.id);
  };
  const addButton = !isReadOnly && (
    <>
      <Button icon="plus" onPress={() => insert(make())}>
        {t(`builder.add.${kind}`)}
      </Button>
      {kind === 'diaries' && <Button onPress={() => setLibraryOpen(true)}>{t('builder.library.open')}</Button>}
      <Suspense>
        {isLibraryOpen && (
          <LibraryDialog
            // Only a list of surveys has this button.
            onAdd={(questionnaire) => insert(diaryOf(questionnaire) as T)}
            onClose={() => setLibraryOpen(false)}
          />
        )}
      </Suspense>
    </>
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
        <Reorder
          names={tasks.map(({ displayName }) => displayName || t('builder.unnamed'))}
          words={reorderWords}
          onMove={(order) => {
            // The form stays with its task, also where the first one shows because none was chosen.
            onChoose(task.id);
            onChange(order.map((at) => tasks[at]!));
          }}
        >
          <ul aria-label={t(`builder.parts.${kind}`)}>
            {tasks.map((one, at) => (
              <TaskItem
                key={one.id}
                task={one}
                index={at}
                isChosen={one === task}
                isReadOnly={isReadOnly}
                onChoose={() => onChoose(one.id)}
              />
            ))}
          </ul>
        </Reorder>
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
        onDuplicate={() => {
          const name = task.displayName || t('builder.unnamed');
          const copy = copyOfTask(task, t('builder.copyOf', { name }).slice(0, LONGEST_NAME));
          onChange(tasks.toSpliced(index + 1, 0, copy));
          onChoose(copy.id);
        }}
        onRemove={() => onChange(tasks.toSpliced(index, 1))}
        onShow={setShown}
      />
      <PhonePreview key={task.id} task={task} shownId={shown} />
    </div>
  );
}
