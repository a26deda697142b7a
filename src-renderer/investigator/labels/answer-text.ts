import type { Translate } from '../../shared/i18n/i18n.ts';
import type { LabelItem } from '../viewer/data/labels.ts';

/** Answers of yes or no are codes; every other value is what a person chose or wrote. */
export function answerText({ kind, value }: LabelItem, t: Translate): string | undefined {
  if (kind !== 'question' || (value !== 'YES' && value !== 'NO')) return value;
  return t(value === 'YES' ? 'history.yes' : 'history.no');
}
