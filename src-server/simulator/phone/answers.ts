/** Plausible answers of a simulated subject. */
import { askedQuestions } from '../../phone-protocol/branching.ts';
import type { Random } from '../physiology/random.ts';
import type { PhoneReport, PhoneTask } from './phone.ts';

type Question = PhoneTask['questions'][number];

const pick = <T>(random: Random, values: readonly T[]): T | undefined => values[random.uint32() % values.length];

/** An answer that fits the type of the question; undefined skips the question. */
function answerTo({ type, values }: Question, random: Random): string | undefined {
  switch (type) {
    case 'MULTIPLECHOICE':
      return pick(random, values);
    case 'BOOLEAN':
      return pick(random, ['YES', 'NO']);
    case 'RANGE': {
      const [low, high] = values.map(Number);
      if (low === undefined || high === undefined || !(low <= high)) return undefined;
      return String(low + (random.uint32() % (Math.floor(high - low) + 1)));
    }
    case 'NUMERIC':
      return String(random.uint32() % 100);
    case 'DATE':
      return `2026-${String(1 + (random.uint32() % 12)).padStart(2, '0')}-${String(1 + (random.uint32() % 28)).padStart(2, '0')}`;
    case 'TIMEOFDAY':
      return `${String(random.uint32() % 24).padStart(2, '0')}:${String(random.uint32() % 60).padStart(2, '0')}`;
    default:
      return 'Written by a simulated subject.';
  }
}

const OPENING_MS = 4000;
const ANSWERING_MS = 20_000;

/** Answers to the questions that are asked after these answers. */
function answersTo(questions: readonly Question[], random: Random): { questionId: string; value: string }[] {
  const given = new Map(
    questions.flatMap((question) => {
      const value = answerTo(question, random);
      return value === undefined ? [] : [[question.id, value] as const];
    }),
  );
  return askedQuestions(questions, (id) => [given.get(id) ?? []].flat()).flatMap(({ id }) => {
    const value = given.get(id);
    return value === undefined ? [] : [{ questionId: id, value }];
  });
}

/** A report of a task that was just completed: its timer ran, then its questions were answered. */
export function doneJustNow(
  task: PhoneTask,
  facts: { nowMs: number; intendedTs?: number; random: Random },
): Omit<PhoneReport, 'id'> {
  const { nowMs, intendedTs, random } = facts;
  const stopTs = nowMs - ANSWERING_MS;
  const startTs = stopTs - Math.max(1, task.durationSec ?? 0) * 1000;
  return {
    taskId: task.id,
    ...(intendedTs !== undefined && { intendedTs }),
    openedTs: startTs - OPENING_MS,
    startTs,
    stopTs,
    completedTs: nowMs,
    answers: answersTo(task.questions, random),
  };
}
