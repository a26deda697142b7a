import { describe, expect, it } from 'vitest';
import type { Draft, PhoneTask, Question } from '../../model.ts';
import {
  answerOf,
  askedOf,
  bigStep,
  faultOf,
  isAnswered,
  isSkipped,
  openQuestions,
  plainNumber,
  rangeOf,
  shortRange,
  steppedValue,
} from './answers.ts';
import { nextStep, stepBefore, stepOf } from './steps.ts';

const question = (type: string, values: string[] = []): Question => ({ id: 'q', text: 'Question', type, values });

describe('numbers as people type them', () => {
  it.each([
    ['36.5', '36.5'],
    ['36,5', '36.5'],
    ['３６，５', '36.5'],
    [' 1 234 ', '1234'],
    ['-0,5', '-0.5'],
    ['−2', '-2'],
    ['007', '7'],
    ['.5', '0.5'],
    ['-0', '0'],
  ])('reads %s as %s', (typed, plain) => {
    expect(plainNumber(typed)).toBe(plain);
  });

  it.each(['', ' ', '1.234,5', '1,2,3', '36.', 'about 5', '1e5', '--1', '.'])('rejects “%s”', (typed) => {
    expect(plainNumber(typed)).toBeUndefined();
  });

  it('keeps the number with a point', () => {
    expect(answerOf(question('NUMERIC'), ['61,5'])).toEqual({ values: ['61.5'] });
    expect(answerOf(question('FREETEXT'), ['61,5'])).toEqual({ values: ['61,5'] });
  });
});

describe('faults of answers', () => {
  it('asks for an answer or a skip when nothing was given', () => {
    expect(faultOf(question('BOOLEAN'), [])).toBe('none');
    expect(faultOf(question('FREETEXT'), ['  '])).toBe('none');
  });

  it('names the fault of a number, a time, a date and a text', () => {
    for (const typed of ['12 March', '2026-02-31', '26-03-01']) expect(faultOf(question('DATE'), [typed])).toBe('date');
    expect(faultOf(question('NUMERIC'), ['a lot'])).toBe('number');
    expect(faultOf(question('TIMEOFDAY'), ['25:00'])).toBe('time');
    expect(faultOf(question('FREETEXT'), ['x'.repeat(10_001)])).toBe('long');
  });

  it('accepts what fits', () => {
    expect(faultOf(question('NUMERIC'), ['36,5'])).toBeUndefined();
    expect(faultOf(question('TIMEOFDAY'), ['23:59'])).toBeUndefined();
    expect(faultOf(question('DATE'), ['2024-02-29'])).toBeUndefined();
    expect(faultOf(question('MULTIPLECHOICE', ['a']), ['a'])).toBeUndefined();
  });
});

describe('ranges', () => {
  it('steps in whole numbers, or in the decimals of its ends', () => {
    expect(rangeOf(question('RANGE', ['0', '10']))).toEqual({ low: 0, high: 10, step: 1 });
    expect(rangeOf(question('RANGE', ['0', '1']))?.step).toBeCloseTo(0.1);
    expect(rangeOf(question('RANGE', ['34.0', '42.5']))?.step).toBeCloseTo(0.1);
  });

  it('is no range without two different ends', () => {
    expect(rangeOf(question('RANGE', ['5', '5']))).toBeUndefined();
    expect(rangeOf(question('RANGE', ['', '5']))).toBeUndefined();
    expect(rangeOf(question('RANGE', []))).toBeUndefined();
  });

  it('stays inside the range and free of binary fractions', () => {
    const range = { low: 0, high: 1, step: 0.1 };
    expect(steppedValue(range, 0.2, 1)).toBe(0.3);
    expect(steppedValue(range, 1, 1)).toBe(1);
    expect(steppedValue(range, 0, -3)).toBe(0);
  });

  it('has a button for each number of a short range, and big steps in a long one', () => {
    expect(shortRange({ low: 0, high: 10, step: 1 })).toHaveLength(11);
    expect(shortRange({ low: 0, high: 11, step: 1 })).toBeUndefined();
    expect(bigStep({ low: 0, high: 100, step: 1 })).toBe(10);
    expect(bigStep({ low: 0, high: 20, step: 1 })).toBeUndefined();
  });
});

it('counts a question as open only if it is neither answered nor skipped', () => {
  const questions = ['a', 'b', 'c'].map((id) => ({ ...question('FREETEXT'), id }));
  const answers = { a: { values: ['yes'] }, b: { isSkipped: true } as const };
  expect(openQuestions(questions, answers).map(({ id }) => id)).toEqual(['c']);
  expect(isAnswered({ values: [' '] })).toBe(false);
  expect(isSkipped({ isSkipped: true })).toBe(true);
});

describe('questions that depend on an earlier answer', () => {
  const questions: Question[] = [
    { ...question('BOOLEAN'), id: 'fell' },
    { ...question('DATE'), id: 'when', showIf: { questionId: 'fell', values: ['YES'] } },
    { ...question('FREETEXT'), id: 'how', showIf: { questionId: 'fell', values: ['YES'] } },
    { ...question('RANGE', ['0', '10']), id: 'mood' },
  ];
  const task: PhoneTask = { id: 'evening', type: 'diary', displayName: 'Evening', questions };
  const draft = (answers: Draft['answers'], position = 0): Draft => ({
    ...{ id: 'd', taskId: 'evening', date: '2026-11-20', openedTs: 0, elapsedMs: 0, marks: [], answers, position },
  });
  const yes = { fell: { values: ['YES'] } };
  const no = { fell: { values: ['NO'] } };

  it('are asked, counted and left open only after it', () => {
    expect(askedOf(questions, no).map(({ index }) => index)).toEqual([0, 3]);
    expect(askedOf(questions, yes).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(openQuestions(questions, no).map(({ id }) => id)).toEqual(['mood']);
    expect(openQuestions(questions, yes).map(({ id }) => id)).toEqual(['when', 'how', 'mood']);
  });

  it('are passed over in both directions, and where a killed page continues', () => {
    expect(nextStep(draft(no), task, 1)).toBe(3);
    expect(nextStep(draft(yes), task, 1)).toBe(1);
    expect(stepBefore(draft(no), task, 3)).toBe(0);
    expect(stepBefore(draft(yes), task, 3)).toBe(2);
    expect(stepBefore(draft(yes), task, 0)).toBeUndefined();
    expect(stepOf(draft(no, 1), task)).toBe(3);
    expect(stepOf(draft(no, 4), task)).toBe('check');
  });
});
