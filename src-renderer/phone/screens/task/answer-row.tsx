/** A question with its answer, as a link to change it. */
import { memo } from 'react';
import { Icon } from '../../kit/icon.tsx';
import { hrefOf } from '../../kit/route.ts';
import type { DraftAnswer, Question } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { answerText } from './answer-text.ts';
import { isAnswered, isSkipped } from './answers.ts';
import { stepPath } from './steps.ts';
import styles from './task.module.css';

export const AnswerRow = memo(function AnswerRow({
  draftId,
  question,
  index,
  number,
  answer,
}: {
  draftId: string;
  question: Question;
  index: number;
  /** Its place among those that are asked, from 1. */
  number: number;
  answer: DraftAnswer | undefined;
}) {
  const words = useWords();
  const { t } = words;
  return (
    <a className={styles.row} href={hrefOf(stepPath(draftId, index))}>
      <span className={styles.rowText}>
        <span className={styles.asked}>
          {number}. {question.text}
        </span>
        {isAnswered(answer) ? (
          <span className={styles.given}>{answerText(question, answer, words)}</span>
        ) : (
          <span className={styles.notGiven}>{t(isSkipped(answer) ? 'survey.skipped' : 'survey.open')}</span>
        )}
      </span>
      <Icon name="forward" size={20} />
    </a>
  );
});
