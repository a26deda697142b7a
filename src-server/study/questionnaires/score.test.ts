import { describe, expect, it } from 'vitest';
import { QUESTIONNAIRES, questionTextOf } from './library.ts';
import { scoresOf } from './score.ts';

const find = (id: string) => {
  const found = QUESTIONNAIRES.find((one) => one.id === id);
  if (!found) throw new Error(`There is no ${id}.`);
  return found;
};

/** Answers a questionnaire by the number of each choice; null skips an item. */
const answered = (id: string, choices: readonly (number | null)[]) => {
  const questionnaire = find(id);
  return questionnaire.items.map((item, index) => {
    const choice = choices[index];
    return {
      text: questionTextOf(questionnaire, item),
      values: choice === null || choice === undefined ? [] : [item.choices[choice]!],
    };
  });
};
const totalOf = (id: string, choices: readonly (number | null)[]) => scoresOf(answered(id, choices))[0]?.value;

describe('published scoring', () => {
  it.each([
    ['phq-9.en', 0, 27, 9],
    ['phq-8.en', 0, 24, 8],
    ['phq-2.en', 0, 6, 2],
    ['gad-7.en', 0, 21, 7],
    ['gad-2.en', 0, 6, 2],
    ['who-5.en', 0, 100, 5],
    ['who-5.ja', 0, 100, 5],
  ])('%s goes from %i to %i over %i items', (id, min, max, items) => {
    const { items: all } = find(id);
    const best = all.map(() => 0);
    const [score] = scoresOf(answered(id, best));
    expect(score).toMatchObject({ questionnaireId: id, min, max, items, answered: items });
    const extremes = [0, all[0]!.choices.length - 1].map((choice) =>
      totalOf(
        id,
        all.map(() => choice),
      ),
    );
    expect(extremes.toSorted((a, b) => a! - b!)).toEqual([min, max]);
  });

  it('adds the points of the PHQ-9 without the question on difficulty', () => {
    // The worked example of Kroenke's manual has columns of 3, 4 and 9: 16 in all; here 3 × 1, 2 × 2 and 3 × 3.
    expect(totalOf('phq-9.en', [1, 1, 1, 2, 2, 3, 3, 3, 0, 3])).toBe(16);
    expect(totalOf('phq-9.en', [1, 1, 1, 2, 2, 3, 3, 3, 0, 0])).toBe(16);
  });

  it('turns the raw score of the WHO-5 into percent', () => {
    // Raw 13: the published cut-off of 50 lies below it.
    expect(totalOf('who-5.en', [2, 2, 3, 3, 2])).toBe(52);
    expect(totalOf('who-5.ja', [2, 2, 3, 3, 2])).toBe(52);
  });
});

describe('missing answers', () => {
  it('count as the mean of the given ones, up to two of the PHQ-9 and the GAD-7', () => {
    expect(totalOf('phq-9.en', [1, 1, 1, 1, 1, 1, 1, null, null])).toBe(9);
    // 10 of 7 items: 10 / 7 × 9 = 12.86.
    expect(totalOf('phq-9.en', [2, 2, 2, 1, 1, 1, 1, null, null])).toBe(13);
    expect(totalOf('phq-9.en', [1, 1, 1, 1, 1, 1, null, null, null])).toBeUndefined();
    expect(totalOf('gad-7.en', [3, 3, 3, 3, 3, null, null])).toBe(21);
    expect(totalOf('gad-7.en', [3, 3, 3, 3, null, null, null])).toBeUndefined();
  });

  it('leave the short forms and the WHO-5 without a score', () => {
    expect(scoresOf(answered('phq-2.en', [1, null]))[0]).toEqual({
      questionnaireId: 'phq-2.en',
      name: 'PHQ-2',
      min: 0,
      max: 6,
      answered: 1,
      items: 2,
    });
    expect(totalOf('who-5.en', [1, 1, 1, 1, null])).toBeUndefined();
  });

  it('are those of an answer that the item does not have', () => {
    const [first, ...rest] = answered('phq-2.en', [1, 1]);
    expect(scoresOf([{ ...first!, values: ['Now and then'] }, ...rest])[0]).toMatchObject({ answered: 1 });
    expect(scoresOf([{ ...first!, values: ['Not at all', 'Several days'] }, ...rest])[0]).toMatchObject({
      answered: 1,
    });
  });
});

it('scores questionnaires that are combined in one survey, each once', () => {
  const both = [...answered('phq-9.en', [1, 1, 1, 1, 1, 1, 1, 1, 1]), ...answered('gad-7.en', [2, 2, 2, 2, 2, 2, 2])];
  expect(scoresOf(both).map(({ name, value }) => [name, value])).toEqual([
    ['PHQ-9', 9],
    ['GAD-7', 14],
  ]);
});

it('scores no survey with other words', () => {
  const [first, ...rest] = answered('gad-2.en', [1, 1]);
  expect(scoresOf([{ ...first!, text: 'Are you nervous?' }, ...rest])).toEqual([]);
  expect(scoresOf([{ text: 'Pain?', values: ['YES'] }])).toEqual([]);
});

it('names rights and source of each, and fits the limits of a definition', () => {
  for (const questionnaire of QUESTIONNAIRES) {
    expect(questionnaire.licence).toMatch(/Public domain|CC BY-NC-SA 3\.0 IGO/);
    expect(questionnaire.source).toMatch(/\d{4}/);
    const texts = questionnaire.items.map((item) => questionTextOf(questionnaire, item));
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(1000);
    for (const { choices, points } of questionnaire.items) {
      expect(new Set(choices).size).toBe(choices.length);
      if (points) expect(points).toHaveLength(choices.length);
    }
  }
});
