/** All questions of a long survey at a glance: which are answered, and a way to any of them. */
import { useEffect, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { goBack, navigate } from '../../kit/route.ts';
import { useWords } from '../../words/words.ts';
import { AnswerRow } from './answer-row.tsx';
import { askedOf, isAnswered } from './answers.ts';
import { Flow } from './flow.tsx';
import listStyles from './overview.module.css';
import { type StepProps, stepOf, stepPath } from './steps.ts';
import styles from './task.module.css';

export function OverviewScreen({ draft, task }: StepProps) {
  const { t } = useWords();
  const asked = askedOf(task.questions, draft.answers);
  const answered = asked.filter(({ question }) => isAnswered(draft.answers[question.id])).length;
  const [here] = useState(() => stepOf(draft, task));
  useEffect(() => {
    if (typeof here !== 'number') return;
    const frame = requestAnimationFrame(() =>
      document.getElementById(`question-${here}`)?.scrollIntoView({ block: 'center' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [here]);
  return (
    <Flow
      name={task.displayName}
      title={t('survey.all')}
      screen="all"
      actions={
        <>
          <Button look="primary" onClick={() => goBack(stepPath(draft.id, here))}>
            {t('survey.continue')}
          </Button>
          <Button look="quiet" onClick={() => navigate(stepPath(draft.id, 'check'))}>
            {t('survey.toCheck')}
          </Button>
        </>
      }
    >
      <p className={styles.muted}>{t('survey.answeredOf', { done: answered, total: asked.length })}</p>
      <ol className={styles.rows}>
        {asked.map(({ question, index }, place) => (
          <li
            key={question.id}
            id={`question-${index}`}
            aria-current={index === here ? 'step' : undefined}
            className={index === here ? listStyles.here : undefined}
          >
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
    </Flow>
  );
}
