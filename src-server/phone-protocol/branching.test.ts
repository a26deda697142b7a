import { expect, it } from 'vitest';
import { askedQuestions } from './branching.ts';

const QUESTIONS = [
  { id: 'pain' },
  { id: 'where', showIf: { questionId: 'pain', values: ['YES'] } },
  { id: 'side', showIf: { questionId: 'where', values: ['Arm', 'Leg'] } },
  { id: 'sleep' },
];
const asked = (answers: Record<string, string[]>) =>
  askedQuestions(QUESTIONS, (id) => answers[id] ?? []).map(({ id }) => id);

it('asks a question with a condition only after one of its answers', () => {
  expect(asked({})).toEqual(['pain', 'sleep']);
  expect(asked({ pain: ['NO'] })).toEqual(['pain', 'sleep']);
  expect(asked({ pain: ['YES'] })).toEqual(['pain', 'where', 'sleep']);
  expect(asked({ pain: ['YES'], where: ['Head', 'Leg'] })).toEqual(['pain', 'where', 'side', 'sleep']);
});

it('does not ask by an answer to a question that is no longer asked', () => {
  expect(asked({ pain: ['NO'], where: ['Leg'] })).toEqual(['pain', 'sleep']);
});

it('does not ask by a question that comes later or is missing', () => {
  const questions = [{ id: 'first', showIf: { questionId: 'second', values: ['YES'] } }, { id: 'second' }];
  expect(askedQuestions(questions, () => ['YES']).map(({ id }) => id)).toEqual(['second']);
});
