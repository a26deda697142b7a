/**
 * A task as the phone shows it, beside its editor. The answers can be tried: fields, faults and branching are the phone's own
 * code. Nothing is kept or sent, and there is no timer.
 */
import { useEffect, useState } from 'react';
import phoneBody from '../../../../phone/kit/body.module.css';
import { Button } from '../../../../phone/kit/button.tsx';
import type { DraftAnswer, PhoneTask, Question } from '../../../../phone/model.ts';
import '../../../../phone/measures.css';
import { AnswerInput } from '../../../../phone/screens/task/answer-input.tsx';
import { answerText } from '../../../../phone/screens/task/answer-text.ts';
import {
  type AnswerFault,
  type Answers,
  answerOf,
  askedOf,
  faultOf,
  isAnswered,
  isSkipped,
  valuesOf,
} from '../../../../phone/screens/task/answers.ts';
import flow from '../../../../phone/screens/task/flow.module.css';
import field from '../../../../phone/screens/task/question.module.css';
import { nextStep, type Step, stepBefore } from '../../../../phone/screens/task/steps.ts';
import rows from '../../../../phone/screens/task/task.module.css';
import { loadPhoneWords, useWords as usePhoneWords } from '../../../../phone/words/words.ts';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import type { Activity, Diary } from '../draft.ts';
import styles from './phone-preview.module.css';
import { previewTask } from './preview-task.ts';

/** The steps of the phone that the preview has: the start of an activity stands for its timer. */
type Shown = Exclude<Step, 'all'>;

// Swedish writes dates and times as the fields of a browser want them.
const today = () => new Date().toLocaleDateString('sv');
const timeNow = () => new Date().toLocaleTimeString('sv', { hour: '2-digit', minute: '2-digit' });

function Head({ name, progress }: { name: string; progress?: { done: number; total: number } }) {
  const { t } = usePhoneWords();
  return (
    <div className={styles.head}>
      <p className={flow.name}>
        {name}
        {progress && <span className={flow.count}>{t('survey.progress', progress)}</span>}
      </p>
      {progress && (
        <div className={flow.track} aria-hidden="true">
          <div style={{ width: `${(progress.done / progress.total) * 100}%` }} />
        </div>
      )}
    </div>
  );
}

function QuestionStep({
  task,
  question,
  index,
  answers,
  onAnswer,
  onBack,
}: {
  task: PhoneTask;
  question: Question;
  index: number;
  answers: Answers;
  onAnswer: (answer: DraftAnswer) => void;
  onBack: (() => void) | undefined;
}) {
  const { t } = usePhoneWords();
  const desk = useWords();
  const [typed, setTyped] = useState<readonly string[]>(() => valuesOf(answers[question.id]));
  const [fault, setFault] = useState<AnswerFault>();
  const [isSkipAsked, setSkipAsked] = useState(false);
  const asked = askedOf(task.questions, answers);
  const place = asked.findIndex((one) => one.index === index);
  const next = () => {
    const found = faultOf(question, typed);
    setFault(found);
    if (!found) onAnswer(answerOf(question, typed));
  };
  const skip = () => {
    if (question.isRequired && !isSkipAsked) setSkipAsked(true);
    else onAnswer({ isSkipped: true });
  };
  return (
    <>
      <Head name={task.displayName} {...(place >= 0 && { progress: { done: place + 1, total: asked.length } })} />
      <div className={phoneBody.question}>
        <h3 className={flow.question}>{question.text || desk.t('builder.unnamed')}</h3>
        <AnswerInput
          question={question}
          values={typed}
          fault={fault}
          today={today()}
          timeNow={timeNow}
          onChange={(values) => {
            setTyped(values);
            setFault(undefined);
            setSkipAsked(false);
          }}
        />
        <div role="status">
          {isSkipAsked && <p className={field.hint}>{t('survey.requested')}</p>}
          {fault && <p className={styles.fault}>{t(`survey.faults.${fault}`)}</p>}
          {place < 0 && <p className={field.hint}>{desk.t('builder.preview.notAsked')}</p>}
        </div>
      </div>
      <div className={styles.actions}>
        <Button look="primary" onClick={next}>
          {t('survey.next')}
        </Button>
        <div className={field.pair}>
          {onBack ? (
            <Button look="quiet" onClick={onBack}>
              {t('survey.back')}
            </Button>
          ) : (
            <span />
          )}
          <Button look="quiet" onClick={skip}>
            {t(isSkipAsked ? 'survey.skipAnyway' : 'survey.skip')}
          </Button>
        </div>
      </div>
    </>
  );
}

function StartStep({ task, onStart }: { task: PhoneTask; onStart: () => void }) {
  const { t, format } = usePhoneWords();
  return (
    <>
      <Head name={t('activity.kind')} />
      <div className={phoneBody.content}>
        <h3 className={flow.title}>{task.displayName}</h3>
        {task.instructions && <p className={rows.instructions}>{task.instructions}</p>}
        {task.durationSec !== undefined && (
          <p>{t('activity.takes', { duration: format.duration(task.durationSec) })}</p>
        )}
      </div>
      <div className={styles.actions}>
        <Button look="primary" onClick={onStart}>
          {t('activity.start')}
        </Button>
      </div>
    </>
  );
}

function CheckStep({ task, answers, onAgain }: { task: PhoneTask; answers: Answers; onAgain: () => void }) {
  const words = usePhoneWords();
  const { t } = words;
  const desk = useWords();
  const hasQuestions = task.questions.length > 0;
  return (
    <>
      <Head name={task.displayName} />
      <div className={phoneBody.content}>
        <h3 className={flow.title}>{t(hasQuestions ? 'survey.checkTitle' : 'activity.finishedTitle')}</h3>
        {hasQuestions && (
          <ol className={rows.rows}>
            {askedOf(task.questions, answers).map(({ question }, place) => {
              const answer = answers[question.id];
              return (
                <li key={question.id} className={rows.row}>
                  <span className={rows.rowText}>
                    <span className={rows.asked}>
                      {place + 1}. {question.text}
                    </span>
                    {isAnswered(answer) ? (
                      <span className={rows.given}>{answerText(question, answer, words)}</span>
                    ) : (
                      <span className={rows.notGiven}>{t(isSkipped(answer) ? 'survey.skipped' : 'survey.open')}</span>
                    )}
                  </span>
                </li>
              );
            })}
          </ol>
        )}
      </div>
      <div className={styles.actions}>
        <Button look="secondary" onClick={onAgain}>
          {desk.t('builder.preview.again')}
        </Button>
      </div>
    </>
  );
}

/** @param shownId the question that is being edited, which shows */
export function PhonePreview({ task: given, shownId }: { task: Activity | Diary; shownId: string | undefined }) {
  const { t, language } = useWords();
  const words = usePhoneWords();
  const task = previewTask(given);
  const [answers, setAnswers] = useState<Answers>({});
  const first: Shown = task.type === 'activity' ? 'timer' : nextShown({}, 0);
  const [step, setStep] = useState<Shown>(first);
  const [followed, setFollowed] = useState(shownId);
  function nextShown(given: Answers, from: number): Shown {
    return nextStep({ answers: given }, task, from) as Shown;
  }
  // The focus in the form chooses the question, until the subject's buttons are used.
  if (shownId !== followed) {
    setFollowed(shownId);
    const at = task.questions.findIndex(({ id }) => id === shownId);
    if (at >= 0) setStep(at);
  }
  useEffect(() => {
    void loadPhoneWords(language);
  }, [language]);
  if (words.language !== language || !words.has('survey.next')) return null;
  // A question that was removed meanwhile.
  const at = typeof step === 'number' && step >= task.questions.length ? 'check' : step;
  const question = typeof at === 'number' ? task.questions[at] : undefined;
  const back = typeof at === 'number' ? stepBefore({ answers }, task, at) : undefined;
  return (
    <section className={styles.preview} aria-label={t('builder.preview.title')}>
      <h2>{t('builder.preview.title')}</h2>
      <div className={`phone-measures ${styles.phone}`}>
        {question && typeof at === 'number' && (
          <QuestionStep
            // Another type of answer starts empty.
            key={`${question.id} ${question.type}`}
            task={task}
            question={question}
            index={at}
            answers={answers}
            onAnswer={(answer) => {
              const now = { ...answers, [question.id]: answer };
              setAnswers(now);
              setStep(nextShown(now, at + 1));
            }}
            onBack={back === undefined ? undefined : () => setStep(back as Shown)}
          />
        )}
        {at === 'timer' && <StartStep task={task} onStart={() => setStep(nextShown(answers, 0))} />}
        {at === 'check' && (
          <CheckStep
            task={task}
            answers={answers}
            onAgain={() => {
              setAnswers({});
              setStep(task.type === 'activity' ? 'timer' : nextShown({}, 0));
            }}
          />
        )}
      </div>
      <p>{t(task.guide ? 'builder.preview.guided' : 'builder.preview.help')}</p>
    </section>
  );
}
