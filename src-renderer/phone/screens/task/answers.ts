/** Answers as typed, and as the site expects them. Pure. */
import { askedQuestions } from '../../../../src-server/phone-protocol/branching.ts';
import type { DraftAnswer, Question } from '../../model.ts';

/** Longest text that the site accepts as an answer. */
export const LONGEST_TEXT = 10_000;

export const valuesOf = (answer: DraftAnswer | undefined): readonly string[] =>
  answer && 'values' in answer ? answer.values : [];

export const isSkipped = (answer: DraftAnswer | undefined): boolean => answer !== undefined && 'isSkipped' in answer;

export const isAnswered = (answer: DraftAnswer | undefined): boolean =>
  valuesOf(answer).some((value) => value.trim() !== '');

/**
 * A number as people type it, with a point before decimals: a comma is a decimal comma, full-width digits and spaces between
 * digits are accepted. Undefined for anything else, also for two separators, whose meaning nobody can know.
 */
export function plainNumber(text: string): string | undefined {
  const plain = text
    .normalize('NFKC')
    .replace(/[\s\u2019']/g, '')
    .replace(/^[−–]/, '-')
    .replace(/[,、]/, '.');
  const found = /^([+-]?)(\d*)(?:\.(\d+))?$/.exec(plain);
  if (!found) return undefined;
  const [, sign = '', whole = '', fraction] = found;
  if (whole === '' && fraction === undefined) return undefined;
  const digits = (whole.replace(/^0+(?=\d)/, '') || '0') + (fraction === undefined ? '' : `.${fraction}`);
  return (sign === '-' && Number(digits) !== 0 ? '-' : '') + digits;
}

export interface Range {
  low: number;
  high: number;
  step: number;
}

const decimals = (text: string): number => /\.(\d+)$/.exec(text.trim())?.[1]?.length ?? 0;

/** The lowest and highest number of a range, and its step: whole numbers unless its ends have decimals, or are 1 apart or less. */
export function rangeOf({ values }: Pick<Question, 'values'>): Range | undefined {
  const [low = Number.NaN, high = Number.NaN] = values.map((value) =>
    value.trim() === '' ? Number.NaN : Number(value),
  );
  if (!(low < high)) return undefined;
  const places = Math.min(3, Math.max(...values.map(decimals), high - low <= 1 ? 1 : 0));
  return { low, high, step: 10 ** -places };
}

/** The number after some steps, inside the range and free of binary fractions. */
export function steppedValue({ low, high, step }: Range, value: number, steps: number): number {
  const places = Math.max(0, Math.round(-Math.log10(step)));
  return Number(Math.min(high, Math.max(low, value + steps * step)).toFixed(places));
}

/** All numbers of a short range, for a button each; undefined where they would be too many. */
export function shortRange(range: Range, most = 11): number[] | undefined {
  const count = Math.round((range.high - range.low) / range.step) + 1;
  return count <= most ? Array.from({ length: count }, (_, index) => steppedValue(range, range.low, index)) : undefined;
}

/** How many small steps a big one has: a tenth of a long range, and no big step in a short one. */
export function bigStep({ low, high, step }: Range): number | undefined {
  const count = (high - low) / step;
  return count >= 40 ? Math.max(5, Math.round(count / 10)) : undefined;
}

export type Answers = Readonly<Record<string, DraftAnswer>>;

/** The questions that are asked after these answers, each with its place among all of the task, which its address counts. */
export function askedOf(questions: readonly Question[], answers: Answers): { question: Question; index: number }[] {
  const asked = new Set(askedQuestions(questions, (id) => valuesOf(answers[id])));
  return questions.flatMap((question, index) => (asked.has(question) ? [{ question, index }] : []));
}

export type AnswerFault = 'none' | 'number' | 'time' | 'date' | 'long';

/** Browsers without a field for dates let people type; only a day of the calendar is one. */
const isDate = (text: string): boolean => {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
};

/** What is wrong with an answer as typed; undefined if it can be kept. */
export function faultOf(question: Question, typed: readonly string[]): AnswerFault | undefined {
  const [first = ''] = typed;
  if (typed.every((value) => value.trim() === '')) return 'none';
  if (question.type === 'NUMERIC' && plainNumber(first) === undefined) return 'number';
  if (question.type === 'TIMEOFDAY' && !/^([01]\d|2[0-3]):[0-5]\d$/.test(first)) return 'time';
  if (question.type === 'DATE' && !isDate(first)) return 'date';
  if (first.length > LONGEST_TEXT) return 'long';
  return undefined;
}

/** The answer to keep: numbers with a point. */
export const answerOf = (question: Question, typed: readonly string[]): DraftAnswer => ({
  values: question.type === 'NUMERIC' ? typed.map((value) => plainNumber(value) ?? value) : typed,
});

export const hasSeveral = ({ type, isMultiple }: Question): boolean => type === 'MULTIPLECHOICE' && isMultiple === true;

/** Questions without an answer and not skipped; they are recorded as skipped when the survey is sent. */
export const openQuestions = (questions: readonly Question[], answers: Answers): Question[] =>
  askedOf(questions, answers)
    .map(({ question }) => question)
    .filter(({ id }) => !isAnswered(answers[id]) && !isSkipped(answers[id]));
