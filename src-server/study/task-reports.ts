/** Validates what a phone reports of a subject's task, against the task's definition and the subject's enrolment. */
import { HOUR_MS } from '../durations.ts';
import { type FieldError, OutpostError } from '../errors.ts';
import { askedQuestions } from '../phone-protocol/branching.ts';
import { isCalendarDate } from './day-windows.ts';
import type { QuestionDefinition, TaskDefinition } from './definition.ts';

/** One given answer, or a question that the subject chose to skip. */
export type ReportedAnswer = { questionId: string; value: string } | { questionId: string; skipped: true };

/** A skipped question as its text was then. It is no annotation of its own, so that no reader takes it for an answer. */
export interface SkippedQuestion {
  questionId: string;
  text: string;
}

export interface ReportedTimes {
  startTs: number;
  stopTs: number;
  intendedTs?: number;
  openedTs?: number;
  completedTs?: number;
}

/** A wrong zone moves a clock by at most a day; a time that is further out is impossible (the bound of the Beiwe platform). */
export const MAX_CLOCK_ERROR_MS = 36 * HOUR_MS;
const DECIMAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const DATE_FORM = /^\d{4}-\d{2}-\d{2}$/;

/**
 * @param span epoch ms: the present time, and when the subject was enrolled; nothing can be reported from before that
 * @throws INVALID_INPUT, naming each answer that does not fit its question, and each impossible time
 */
export function requireSoundReport(
  task: TaskDefinition,
  report: ReportedTimes & {
    answers: readonly ReportedAnswer[];
    marks?: readonly { startTs: number; stopTs: number }[];
  },
  span: { nowMs: number; enrolledMs: number },
): void {
  const errors: FieldError[] = [];
  const fail = (path: string, message: string) => errors.push({ path, message });
  if (report.stopTs < report.startTs) fail('stopTs', 'The stop must not be before the start.');
  const requirePossible = (path: string, ts: number | undefined) => {
    if (ts === undefined) return;
    if (ts > span.nowMs + MAX_CLOCK_ERROR_MS) {
      fail(path, 'This time is in the future: the clock of the phone is wrong.');
    } else if (ts < span.enrolledMs - MAX_CLOCK_ERROR_MS) {
      fail(path, 'This time is before the subject was enrolled: the clock of the phone is wrong.');
    }
  };
  const { startTs, stopTs, intendedTs, openedTs, completedTs } = report;
  for (const [path, ts] of Object.entries({ startTs, stopTs, intendedTs, openedTs, completedTs })) {
    requirePossible(path, ts);
  }
  report.marks?.forEach((mark, index) => {
    requirePossible(`marks.${index}.startTs`, mark.startTs);
    requirePossible(`marks.${index}.stopTs`, mark.stopTs);
    if (mark.stopTs < mark.startTs) fail(`marks.${index}.stopTs`, 'The stop must not be before the start.');
  });
  const given = new Map<string, string[]>();
  const skipped = new Set<string>();
  report.answers.forEach((answer, index) => {
    const { questionId } = answer;
    const question = task.questions.find(({ id }) => id === questionId);
    const path = `answers.${index}`;
    if (!question) {
      fail(`${path}.questionId`, 'The task has no question with this id.');
      return;
    }
    const isTwice = skipped.has(questionId) || ('skipped' in answer && given.has(questionId));
    if (isTwice) {
      fail(path, 'A skipped question has no answer, and is skipped once.');
      return;
    }
    if ('skipped' in answer) {
      skipped.add(questionId);
      return;
    }
    const { value } = answer;
    const values = [...(given.get(questionId) ?? []), value];
    given.set(questionId, values);
    const problem = problemOf(question, value);
    if (problem) fail(`${path}.value`, problem);
    else if (values.length > 1 && (question.type !== 'MULTIPLECHOICE' || question.isMultiple === false)) {
      fail(`${path}.value`, 'This question takes one answer.');
    } else if (new Set(values).size < values.length) fail(`${path}.value`, 'The same answer is given twice.');
  });
  const [first] = errors;
  if (first) throw new OutpostError('INVALID_INPUT', `${task.displayName}: ${first.message}`, { errors });
}

function problemOf({ type, values }: QuestionDefinition, value: string): string | undefined {
  switch (type) {
    case 'MULTIPLECHOICE':
      return values.includes(value) ? undefined : `The answer must be one of: ${values.join(', ')}.`;
    case 'BOOLEAN':
      return value === 'YES' || value === 'NO' ? undefined : 'The answer must be YES or NO.';
    case 'RANGE': {
      const [low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY] = values.map(Number);
      const isWithin = DECIMAL.test(value) && Number(value) >= low && Number(value) <= high;
      return isWithin ? undefined : `The answer must be a number from ${low} to ${high}.`;
    }
    case 'NUMERIC':
    case 'NUMBER':
      return DECIMAL.test(value) ? undefined : 'The answer must be a number, with a point before decimals.';
    case 'TIMEOFDAY':
      return TIME_OF_DAY.test(value) ? undefined : 'The answer must be a time of day such as 07:30.';
    case 'DATE': {
      // Text is accepted: an app without this type asks for a text, and a refusal would discard the whole report.
      const isWrongDate = DATE_FORM.test(value) && !isCalendarDate(value);
      return isWrongDate ? 'The answer must be a date such as 2026-03-31.' : undefined;
    }
    default:
      return undefined;
  }
}

/** The type to store with an answer: that of its question, but FREETEXT for a text given to a question for a date. */
export function answerType({ type }: Pick<QuestionDefinition, 'type'>, value: string): string {
  return type === 'DATE' && !isCalendarDate(value) ? 'FREETEXT' : type;
}

/**
 * Returns the answers to store: without skipped marks of questions whose condition did not hold. Apps that do not know conditions show every
 * question, and such marks would count as skipped. Given answers are always kept.
 */
export function answersToKeep(task: TaskDefinition, answers: readonly ReportedAnswer[]): ReportedAnswer[] {
  const valuesOf = (id: string) =>
    answers.flatMap((answer) => (answer.questionId === id && 'value' in answer ? [answer.value] : []));
  const asked = new Set(askedQuestions(task.questions, valuesOf).map(({ id }) => id));
  return answers.filter((answer) => 'value' in answer || asked.has(answer.questionId));
}

interface KnownReport extends ReportedTimes {
  taskId: string;
  answers: readonly ReportedAnswer[];
}

/**
 * True when a report repeated under its id has the same content as the first. Skipped marks that {@link answersToKeep} removes may be missing from
 * the first, also if the condition was changed in between.
 * @param task as defined now; undefined if the study no longer has it
 */
export function isSameReport(first: KnownReport, again: KnownReport, task: TaskDefinition | undefined): boolean {
  const stored = new Set(first.answers.flatMap((answer) => ('skipped' in answer ? [answer.questionId] : [])));
  const conditional = new Set(task?.questions.flatMap(({ id, showIf }) => (showIf ? [id] : [])));
  const answers = again.answers.filter(
    (answer) => 'value' in answer || stored.has(answer.questionId) || !conditional.has(answer.questionId),
  );
  const facts = ({ taskId, startTs, stopTs, intendedTs, openedTs, completedTs, answers }: KnownReport) =>
    JSON.stringify([
      [taskId, startTs, stopTs, intendedTs ?? null, openedTs ?? null, completedTs ?? stopTs],
      answers.flatMap((answer) => ('skipped' in answer ? [] : [[answer.questionId, answer.value]])),
      // Stored apart from the answers, so their place among them is not compared.
      answers.flatMap((answer) => ('skipped' in answer ? [answer.questionId] : [])),
    ]);
  return facts(first) === facts({ ...again, answers });
}
