/** What each field of a question gets. */
import type { Question } from '../../model.ts';
import type { AnswerFault } from './answers.ts';

export interface InputProps {
  question: Question;
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
  fault?: AnswerFault;
}
