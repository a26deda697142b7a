/** All answers before they are sent; each can still be changed. */
import { Button } from '../../kit/button.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { goBack, navigate, pathOf } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import { AnswerRow } from './answer-row.tsx';
import { askedOf, openQuestions } from './answers.ts';
import { noteEnded } from './ended-drafts.ts';
import { Flow } from './flow.tsx';
import { type StepProps, stepPath } from './steps.ts';
import styles from './task.module.css';

export function SummaryScreen({ draft, task }: StepProps) {
  const { t } = useWords();
  const { connection } = usePhone();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const { questions } = task;
  const asked = askedOf(questions, draft.answers);
  const last = asked.at(-1)?.index;
  const open = openQuestions(questions, draft.answers);
  const send = () =>
    run(async () => {
      // A question that was passed over in the list of all questions counts as skipped, and is recorded so.
      for (const { id } of open) await actions.answer(draft.id, id, { isSkipped: true }, questions.length);
      await actions.complete(draft.id);
      noteEnded(draft.id);
      navigate(pathOf('done', draft.date, task.id, draft.id), { replaces: true });
    });
  return (
    <Flow
      name={task.displayName}
      title={t(questions.length > 0 ? 'survey.checkTitle' : 'activity.finishedTitle')}
      screen="check"
      actions={
        <>
          <Button look="primary" icon="send" aria-disabled={isBusy} onClick={send}>
            {t(connection.state === 'OFFLINE' ? 'survey.keep' : 'survey.send')}
          </Button>
          {last !== undefined && (
            <Button look="quiet" onClick={() => goBack(stepPath(draft.id, last))}>
              {t('survey.back')}
            </Button>
          )}
        </>
      }
    >
      {open.length > 0 && <Notice icon="list">{t('survey.openCount', { count: open.length })}</Notice>}
      <Failure text={failure} />
      {questions.length > 0 ? (
        <ol className={styles.rows}>
          {asked.map(({ question, index }, place) => (
            <li key={question.id}>
              <AnswerRow
                draftId={draft.id}
                question={question}
                index={index}
                number={place + 1}
                answer={draft.answers[question.id]}
              />
            </li>
          ))}
        </ol>
      ) : (
        <p>{t('activity.finishedText')}</p>
      )}
    </Flow>
  );
}
