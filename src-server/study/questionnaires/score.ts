/**
 * Scores of questionnaires, computed from the answers as they were given. A survey is scored when it asked every item in its original words:
 * then copies, imports and combinations of questionnaires are scored too, and a survey that somebody rewrote never is. Pure.
 */
import { QUESTIONNAIRES, type Questionnaire, questionTextOf } from './library.ts';

/** A question of a completed survey as it was asked; without values when it was skipped. */
export interface AskedQuestion {
  text: string;
  values: readonly string[];
}

export interface Score {
  questionnaireId: string;
  name: string;
  /** Absent when too many answers are missing. */
  value?: number;
  min: number;
  max: number;
  /** Scored items with an answer, of all. */
  answered: number;
  items: number;
}

const scoredItems = ({ items }: Questionnaire) => items.filter(({ points }) => points !== null);

const KNOWN = QUESTIONNAIRES.map((questionnaire) => ({
  questionnaire,
  texts: new Set(scoredItems(questionnaire).map((item) => questionTextOf(questionnaire, item))),
}));

/** White space and composition differ between keyboards and programs; words do not. */
const plain = (text: string) => text.normalize('NFC').trim();

/** Whether a survey of some of these questions can have a score; otherwise no answer need be read. */
export function isScorable(questions: Iterable<string>): boolean {
  const asked = new Set([...questions].map(plain));
  return KNOWN.some(({ texts }) => texts.isSubsetOf(asked));
}

/** The points of an answer; undefined for a skipped item, and for an answer that the item does not have. */
function pointsOf(
  choices: readonly string[],
  points: readonly number[],
  values: readonly string[],
): number | undefined {
  const [value, ...more] = values;
  return value === undefined || more.length > 0 ? undefined : points[choices.indexOf(value)];
}

/** The least and greatest score of an instrument. */
export function rangeOf(questionnaire: Questionnaire): { min: number; max: number } {
  const points = scoredItems(questionnaire).map((item) => item.points ?? []);
  const total = (of: (values: readonly number[]) => number) =>
    points.reduce((sum, values) => sum + of(values), 0) * questionnaire.factor;
  return { min: total((values) => Math.min(...values)), max: total((values) => Math.max(...values)) };
}

function scoreOf(questionnaire: Questionnaire, asked: ReadonlyMap<string, readonly string[]>): Score {
  const { id: questionnaireId, name, factor, mostMissing } = questionnaire;
  const items = scoredItems(questionnaire);
  const given = items.flatMap((item) => {
    const values = asked.get(questionTextOf(questionnaire, item)) ?? [];
    return pointsOf(item.choices, item.points ?? [], values) ?? [];
  });
  const answered = given.length;
  const sum = given.reduce((total, points) => total + points, 0);
  const isScored = answered > 0 && items.length - answered <= mostMissing;
  return {
    questionnaireId,
    name,
    // The mean of the given answers stands for each missing one.
    ...(isScored && { value: Math.round((sum / answered) * items.length) * factor }),
    ...rangeOf(questionnaire),
    answered,
    items: items.length,
  };
}

/**
 * Returns the scores of a completed survey, in the order of the library. A questionnaire that is part of another one in the survey
 * is left out: a PHQ-9 is no PHQ-2.
 */
export function scoresOf(questions: readonly AskedQuestion[]): Score[] {
  const asked = new Map(questions.map(({ text, values }) => [plain(text), values]));
  const found = KNOWN.filter(({ texts }) => [...texts].every((text) => asked.has(text)));
  return found
    .filter(({ texts }) => !found.some((other) => other.texts.size > texts.size && texts.isSubsetOf(other.texts)))
    .map(({ questionnaire }) => scoreOf(questionnaire, asked));
}
