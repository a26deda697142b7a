/** Which questions of a task are asked, by what was answered before. Pure; shared by the phone, its simulator and the site. */

/** An earlier question of the same task, and the answers to it after which this one is asked. */
export interface ShowIf {
  questionId: string;
  values: readonly string[];
}

/**
 * Returns the questions that are asked, in their order. One with a condition is asked when the earlier question that it names was asked and has one
 * of the answers; a skipped question has none.
 * @param valuesOf the answers to a question; empty without one
 */
export function askedQuestions<Q extends { id: string; showIf?: ShowIf | undefined }>(
  questions: readonly Q[],
  valuesOf: (questionId: string) => readonly string[],
): Q[] {
  const asked = new Set<string>();
  return questions.filter(({ id, showIf }) => {
    const isAsked =
      !showIf ||
      (asked.has(showIf.questionId) && valuesOf(showIf.questionId).some((value) => showIf.values.includes(value)));
    if (isAsked) asked.add(id);
    return isAsked;
  });
}
