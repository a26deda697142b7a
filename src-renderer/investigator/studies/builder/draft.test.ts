import { expect, it } from 'vitest';
import { decidingQuestions, firstValues, isDue, kindOf, newQuestion, ofKind, toggled } from './draft.ts';

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
