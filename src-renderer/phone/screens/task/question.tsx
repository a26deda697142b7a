/** One question. Its answer is kept as it is given; "Next" checks it, "Skip" records that it was skipped. */
import { useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../kit/button.tsx';
import { Failure } from '../../kit/notice.tsx';
import { goBack, navigate } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { useActions } from '../../kit/use-phone.ts';
import type { DraftAnswer, Question } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { AnswerInput } from './answer-input.tsx';
import { answerOf, faultOf, isSkipped, valuesOf } from './answers.ts';
import { Flow } from './flow.tsx';
import styles from './question.module.css';
import { type StepProps, stepPath } from './steps.ts';

const PAUSE_IN_TYPING_MS = 600;

export function QuestionScreen({ draft, task, question, index }: StepProps & { question: Question; index: number }) {
  const { t } = useWords();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const stored = draft.answers[question.id];
  const [typed, setTyped] = useState<readonly string[]>(() => valuesOf(stored));
  const [fault, setFault] = useState<ReturnType<typeof faultOf>>();
  const keep = (answer: DraftAnswer, position: number) => actions.answer(draft.id, question.id, answer, position);
  const unsaved = useUnsavedAnswer(question, typed, (answer) => keep(answer, index));
  const next = index + 1;
  const leave = () => navigate(stepPath(draft.id, next < task.questions.length ? next : 'check'));

  const change = (values: readonly string[]) => {
    setTyped(values);
    setFault(undefined);
    unsaved.note(values);
  };
  const goOn = async () => {
    const found = faultOf(question, typed);
    setFault(found);
    if (found) return;
    unsaved.clear();
    if (await run(() => keep(answerOf(question, typed), next))) leave();
  };
  const skip = async () => {
    unsaved.clear();
    if (await run(() => keep({ isSkipped: true }, next))) leave();
  };
  const back = async () => {
    unsaved.save();
    goBack(stepPath(draft.id, index - 1));
  };
  return (
    <Flow
      name={task.displayName}
      title={question.text}
      screen={question.id}
      isQuestion
      progress={{ done: next, total: task.questions.length }}
      aside={
        task.questions.length > 1 && (
          <IconButton icon="list" label={t('survey.all')} onClick={() => navigate(stepPath(draft.id, 'all'))} />
        )
      }
      actions={
        <>
          <Button look="primary" aria-disabled={isBusy} onClick={goOn}>
            {t('survey.next')}
          </Button>
          <div className={styles.pair}>
            {index > 0 ? (
              <Button look="quiet" onClick={back}>
                {t('survey.back')}
              </Button>
            ) : (
              <span />
            )}
            <Button look="quiet" aria-disabled={isBusy} onClick={skip}>
              {t('survey.skip')}
            </Button>
          </div>
        </>
      }
    >
      {index === 0 && task.type === 'diary' && task.instructions && (
        <p className={styles.instructions}>{task.instructions}</p>
      )}
      <AnswerInput question={question} values={typed} onChange={change} fault={fault} />
      {isSkipped(stored) && typed.length === 0 && <p className={styles.hint}>{t('survey.wasSkipped')}</p>}
      <Failure text={failure ?? (fault && t(`survey.faults.${fault}`))} />
    </Flow>
  );
}

/** Keeps typed text after a short pause, and at once when the page is hidden or the question is left. */
function useUnsavedAnswer(question: Question, typed: readonly string[], keep: (answer: DraftAnswer) => Promise<void>) {
  const pending = useRef<readonly string[] | undefined>(undefined);
  const latest = useRef(keep);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = keep;
  }, [keep]);
  const isTyped = question.type !== 'MULTIPLECHOICE' && question.type !== 'BOOLEAN';
  const [control] = useState(() => ({
    save() {
      clearTimeout(timer.current);
      const values = pending.current;
      pending.current = undefined;
      if (values === undefined || faultOf(question, values) !== undefined) return;
      // "Next" reports a failure; what cannot be kept now is kept then.
      latest.current(answerOf(question, values)).catch(() => undefined);
    },
    clear() {
      clearTimeout(timer.current);
      pending.current = undefined;
    },
    note(values: readonly string[]) {
      clearTimeout(timer.current);
      pending.current = values;
      if (isTyped) timer.current = setTimeout(() => this.save(), PAUSE_IN_TYPING_MS);
      else this.save();
    },
  }));
  useEffect(() => {
    const hidden = () => {
      if (document.visibilityState === 'hidden') control.save();
    };
    document.addEventListener('visibilitychange', hidden);
    return () => {
      document.removeEventListener('visibilitychange', hidden);
      control.save();
    };
  }, [control]);
  void typed;
  return control;
}
