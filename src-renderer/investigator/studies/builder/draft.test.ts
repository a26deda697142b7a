import { expect, it } from 'vitest';
import {
  copyOfQuestion,
  copyOfTask,
  decidingQuestions,
  firstValues,
  isDue,
  kindOf,
  newDiary,
  newQuestion,
  ofKind,
  toggled,
} from './draft.ts';

it('adds a task to a day and removes it, also from a daily task', () => {
  expect(toggled(undefined, 3, 7)).toEqual([3]);
  expect(toggled([3, 1], 2, 7)).toEqual([1, 2, 3]);
  expect(toggled([1, 2], 2, 7)).toEqual([1]);
  expect(toggled('daily', 1, 4)).toEqual([0, 2, 3]);
  expect(isDue('daily', 99)).toBe(true);
  expect(isDue(undefined, 0)).toBe(false);
});

it('gives a new question the values that its type needs', () => {
  expect(firstValues('RANGE')).toHaveLength(2);
  expect(firstValues('BOOLEAN')).toEqual(['YES', 'NO']);
  expect(firstValues('MULTIPLECHOICE')).toEqual([]);
});

it('tells one choice from several, and keeps the choices between the two', () => {
  const asked = { ...newQuestion(), type: 'MULTIPLECHOICE', values: ['Hip', 'Knee'] };
  expect(kindOf(asked)).toBe('SEVERAL');
  const single = ofKind(asked, 'MULTIPLECHOICE');
  expect(single).toMatchObject({ type: 'MULTIPLECHOICE', isMultiple: false, values: ['Hip', 'Knee'] });
  expect(kindOf(single)).toBe('MULTIPLECHOICE');
  expect(ofKind(single, 'SEVERAL')).toEqual(asked);
});

it('drops what only the former type had', () => {
  const weight = { ...newQuestion(), type: 'NUMERIC', values: [], unit: 'kg', isRequired: true };
  expect(ofKind(weight, 'DATE')).toEqual({
    ...newQuestion(),
    id: weight.id,
    type: 'DATE',
    values: [],
    isRequired: true,
  });
});

it('lets earlier choices and yes/no questions decide', () => {
  const types = ['BOOLEAN', 'NUMERIC', 'MULTIPLECHOICE', 'DATE', 'BOOLEAN'];
  const questions = types.map((type) => ({ ...newQuestion(), type }));
  expect(decidingQuestions(questions, 3).map(({ number }) => number)).toEqual([1, 3]);
});

it('copies a task with records of its own, and conditions on the copied questions', () => {
  const asked = { ...newQuestion(), text: 'Any pain?' };
  const where = { ...newQuestion(), text: 'Where?', showIf: { questionId: asked.id!, values: ['YES'] } };
  const evening = { ...newDiary(), displayName: 'Evening', questions: [asked, where] };
  const copy = copyOfTask(evening, 'Evening (copy)');
  expect(copy).toMatchObject({ displayName: 'Evening (copy)', questions: [{ text: 'Any pain?' }, { text: 'Where?' }] });
  expect(copy.questions[1]!.showIf).toEqual({ questionId: copy.questions[0]!.id, values: ['YES'] });
  const ids = [evening, copy].flatMap(({ id, questions }) => [id, ...questions.map((question) => question.id)]);
  expect(new Set(ids).size).toBe(6);
  expect(copyOfQuestion(where)).toMatchObject({ text: 'Where?', showIf: where.showIf });
});
