/** What each field of a question gets. */
import type { Question } from '../../model.ts';
import type { AnswerFault } from './answers.ts';

export interface InputProps {
  question: Question;
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
  fault?: AnswerFault;
  /** The subject's local date, YYYY-MM-DD. */
  today: string;
  /** The subject's local time of day, HH:MM. */
  timeNow: () => string;
}
