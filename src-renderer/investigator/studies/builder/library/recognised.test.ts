import { expect, it } from 'vitest';
import type { Questionnaire } from '../../../../../src-server/api/contract/index.ts';
import { QUESTIONNAIRES, questionTextOf } from '../../../../../src-server/study/questionnaires/library.ts';
import { diaryOf, recognised } from './recognised.ts';

const library = QUESTIONNAIRES.map(
  (one): Questionnaire => ({
    ...one,
    questions: one.items.map((item) => ({
      text: questionTextOf(one, item),
      values: [...item.choices],
      ...(item.points && { points: [...item.points] }),
    })),
    min: 0,
    max: 0,
  }),
);
const find = (id: string) => library.find((one) => one.id === id)!;
const ids = (list: readonly Questionnaire[]) => list.map(({ id }) => id);

it('recognises a survey of the library, and no questionnaire that is part of it', () => {
  const { questions } = diaryOf(find('phq-9.en'));
  expect(ids(recognised(questions, library).scored)).toEqual(['phq-9.en']);
  // Without the question on self-harm it is the PHQ-8.
  expect(ids(recognised(questions.toSpliced(8, 1), library).scored)).toEqual(['phq-8.en']);
});

it('says of a survey with other choices that it is not scored', () => {
  const { questions } = diaryOf(find('gad-2.en'));
  const other = questions.with(0, { ...questions[0]!, values: ['Never', 'Always'] });
  expect(recognised(other, library)).toMatchObject({ scored: [], changed: [{ id: 'gad-2.en' }] });
  expect(recognised(questions.slice(1), library)).toEqual({ scored: [], changed: [] });
});
