/** Which questionnaires of the library a survey asks in their original words, so that the site scores it. Pure. */
import type { Questionnaire } from '../../../../../src-server/api/contract/index.ts';
import { type Diary, newDiary, type Question } from '../draft.ts';

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((value, index) => value.trim() === b[index]);

const asks = (
  questions: readonly Question[],
  { text, values }: Questionnaire['questions'][number],
  isWhole: boolean,
): boolean =>
  questions.some((one) => one.text.trim() === text && (!isWhole || (isSame(one.values, values) && !one.showIf)));

const scored = ({ questions }: Questionnaire) => questions.filter(({ points }) => points);

/** Leaves out a questionnaire that is part of another one in the list. */
const withoutParts = (list: readonly Questionnaire[]): Questionnaire[] =>
  list.filter((one) => {
    const texts = new Set(scored(one).map(({ text }) => text));
    return !list.some((other) => {
      const others = new Set(scored(other).map(({ text }) => text));
      return others.size > texts.size && texts.isSubsetOf(others);
    });
  });

/**
 * @returns the questionnaires that are scored, and those of which all questions are asked but choices or conditions were changed
 */
export function recognised(
  questions: readonly Question[],
  library: readonly Questionnaire[],
): { scored: Questionnaire[]; changed: Questionnaire[] } {
  const present = withoutParts(library.filter((one) => scored(one).every((item) => asks(questions, item, false))));
  const whole = (one: Questionnaire) => scored(one).every((item) => asks(questions, item, true));
  return { scored: present.filter(whole), changed: present.filter((one) => !whole(one)) };
}

/** Returns a survey with all questions of a questionnaire. */
export function diaryOf({ name, questions }: Questionnaire): Diary {
  return {
    ...newDiary(),
    displayName: name,
    questions: questions.map(({ text, values }) => ({
      id: crypto.randomUUID(),
      text,
      type: 'MULTIPLECHOICE',
      values: [...values],
      isMultiple: false,
    })),
  };
}
