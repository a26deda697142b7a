/** An answer as a text, for lists. */
import type { DraftAnswer, Question } from '../../model.ts';
import type { Words } from '../../words/words.ts';
import { valuesOf } from './answers.ts';

export function answerText(question: Question, answer: DraftAnswer | undefined, { t, format }: Words): string {
  const values = valuesOf(answer).filter((value) => value.trim() !== '');
  if (question.type === 'BOOLEAN')
    return values.map((value) => t(value === 'YES' ? 'survey.yes' : 'survey.no')).join('');
  if (question.type === 'DATE') return values.map((value) => format.date(value)).join('');
  if (question.unit) return values.map((value) => `${value} ${question.unit}`).join('');
  return format.list([...values]);
}
