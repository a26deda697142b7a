import { expect, it } from 'vitest';
import { cleaned, type Draft, newActivity, newDiary, newField, newQuestion } from './draft.ts';
import { problemsOf } from './problems.ts';

const empty: Draft = {
  format: 'outpost-study-definition',
  formatVersion: 1,
  subjectMetadataFields: [],
  activities: [],
  diaries: [],
  deviceConfigs: [],
};

const found = (draft: Draft) => problemsOf(draft).map(({ path, word }) => `${path} ${word}`);

it('reports per part what the site would reject or nobody could answer', () => {
  const diary = {
    ...newDiary(),
    questions: [
      { ...newQuestion(), text: 'How hard?', type: 'RANGE', values: ['10', '5'] },
      { ...newQuestion(), text: 'Which?', type: 'MULTIPLECHOICE', values: ['good', 'good'] },
      newQuestion(),
    ],
  };
  const field = { ...newField(), displayName: 'Ward' };
  const walk = { ...newActivity(), displayName: 'Walk' };
  const draft: Draft = {
    ...empty,
    activities: [walk],
    diaries: [diary],
    subjectMetadataFields: [field, { ...field, type: 'MULTIPLECHOICE' }],
    program: {
      days: 3,
      tasks: [{ taskId: walk.id, type: 'activity', days: 'daily', window: { start: '22:00', end: '06:00' } }],
    },
  };
  expect(found(draft)).toEqual([
    'diaries.0.displayName name',
    'diaries.0.questions.0.values range',
    'diaries.0.questions.1.values twice',
    'diaries.0.questions.2.text question',
    'subjectMetadataFields.1.displayName sameField',
    'subjectMetadataFields.1.values choices',
    `program.tasks.${walk.id}.window window`,
  ]);
});

it('accepts full-width digits and removes deleted tasks from the program', () => {
  const diary = {
    ...newDiary(),
    displayName: '朝の日誌',
    questions: [{ ...newQuestion(), text: '痛み', type: 'RANGE', values: ['０', '１０'] }],
  };
  const saved = cleaned({
    ...empty,
    diaries: [diary],
    program: {
      days: 3,
      tasks: [
        { taskId: diary.id, type: 'diary', days: 'daily' },
        { taskId: newActivity().id, type: 'activity', days: 'daily' },
      ],
    },
  });
  expect(saved.diaries[0]!.questions[0]!.values).toEqual(['0', '10']);
  expect(saved.program?.tasks.map(({ taskId }) => taskId)).toEqual([diary.id]);
  expect(found(saved)).toEqual([]);
});
