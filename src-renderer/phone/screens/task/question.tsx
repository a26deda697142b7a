/** One question. Its answer is kept as it is given; "Next" checks it, "Skip" records that it was skipped. */
import { useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../kit/button.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { goBack, navigate } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { siteNow, useActions, usePhone } from '../../kit/use-phone.ts';
import type { DraftAnswer, Question } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { AnswerInput } from './answer-input.tsx';
import { answerOf, askedOf, faultOf, isSkipped, valuesOf } from './answers.ts';
import { Flow } from './flow.tsx';
import styles from './question.module.css';
import { nextStep, type StepProps, stepBefore, stepPath } from './steps.ts';

const PAUSE_IN_TYPING_MS = 600;

export function QuestionScreen({ draft, task, question, index }: StepProps & { question: Question; index: number }) {
  const { t, format } = useWords();
  const actions = useActions();
  const phone = usePhone();
  // As the site knows the time: the clock of the phone may be wrong, or in another zone.
  const timeNow = () => format.clock(siteNow(phone), phone.timeZone);
  const { run, isBusy, failure } = useAction();
  const stored = draft.answers[question.id];
  const [typed, setTyped] = useState<readonly string[]>(() => valuesOf(stored));
  const [fault, setFault] = useState<ReturnType<typeof faultOf>>();
  const keep = (answer: DraftAnswer, position: number) => actions.answer(draft.id, question.id, answer, position);
  const unsaved = useUnsavedAnswer(question, typed, (answer) => keep(answer, index));
  const next = index + 1;
  // By the answer that is about to be kept: what comes next may depend on it.
  const leave = (answer: DraftAnswer) =>
    navigate(stepPath(draft.id, nextStep({ answers: { ...draft.answers, [question.id]: answer } }, task, next)));
  const before = stepBefore(draft, task, index);
  const asked = askedOf(task.questions, draft.answers);
  const [isSkipAsked, setSkipAsked] = useState(false);

  const change = (values: readonly string[]) => {
    setTyped(values);
    setFault(undefined);
    setSkipAsked(false);
    unsaved.note(values);
  };
  const goOn = async () => {
    const found = faultOf(question, typed);
    setFault(found);
    if (found) return;
    unsaved.clear();
    const answer = answerOf(question, typed);
    if (await run(() => keep(answer, next))) leave(answer);
  };
  const skip = async () => {
    if (question.isRequired && !isSkipAsked) return setSkipAsked(true);
    unsaved.clear();
    const skipped: DraftAnswer = { isSkipped: true };
    if (await run(() => keep(skipped, next))) leave(skipped);
  };
  const back = async () => {
    unsaved.save();
    if (before !== undefined) goBack(stepPath(draft.id, before));
  };
  return (
    <Flow
      name={task.displayName}
      title={question.text}
      screen={question.id}
      isQuestion
      progress={{ done: asked.findIndex((one) => one.index === index) + 1, total: asked.length }}
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
            {before !== undefined ? (
              <Button look="quiet" onClick={back}>
                {t('survey.back')}
              </Button>
            ) : (
              <span />
            )}
            <Button look="quiet" aria-disabled={isBusy} onClick={skip}>
              {t(isSkipAsked ? 'survey.skipAnyway' : 'survey.skip')}
            </Button>
          </div>
        </>
      }
    >
      {index === 0 && task.type === 'diary' && task.instructions && (
        <p className={styles.instructions}>{task.instructions}</p>
      )}
      <AnswerInput
        question={question}
        values={typed}
        onChange={change}
        fault={fault}
        today={phone.today}
        timeNow={timeNow}
      />
      {isSkipped(stored) && typed.length === 0 && <p className={styles.hint}>{t('survey.wasSkipped')}</p>}
      <div role="status">{isSkipAsked && <Notice icon="info">{t('survey.requested')}</Notice>}</div>
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
