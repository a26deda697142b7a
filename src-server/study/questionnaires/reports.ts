/** Scores of stored reports. Pure. */
import type { SkippedQuestion } from '../task-reports.ts';
import { type AskedQuestion, type Score, scoresOf } from './score.ts';

/** A stored answer: the text of its question as it was then. Several choices are several answers. */
export interface StoredAnswer {
  displayName: string;
  value?: string | undefined;
}

/** Returns the scores of a report from its answers and skipped questions. */
export function scoresOfReport(answers: readonly StoredAnswer[], skipped: readonly SkippedQuestion[] = []): Score[] {
  const asked = new Map<string, string[]>(skipped.map(({ text }) => [text, []]));
  for (const { displayName, value } of answers) {
    const values = asked.get(displayName) ?? [];
    if (value !== undefined) values.push(value);
    asked.set(displayName, values);
  }
  return scoresOf([...asked].map(([text, values]): AskedQuestion => ({ text, values })));
}
