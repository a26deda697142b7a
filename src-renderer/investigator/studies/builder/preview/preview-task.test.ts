import { expect, it } from 'vitest';
import { newActivity, newDiary, newQuestion } from '../draft.ts';
import { previewTask } from './preview-task.ts';

it('shows several choices where the site allows them, without empty lines', () => {
  const several = { ...newQuestion(), text: ' Where? ', type: 'MULTIPLECHOICE', values: ['Hip', '', ' Knee '] };
  const one = { ...several, isMultiple: false };
  const [first, second] = previewTask({ ...newDiary(), questions: [several, one] }).questions;
  expect(first).toMatchObject({ text: 'Where?', values: ['Hip', 'Knee'], isMultiple: true });
  expect(second).not.toHaveProperty('isMultiple');
});

it('has a timer only for an activity with a duration', () => {
  expect(previewTask({ ...newActivity(), durationSec: 90 })).toMatchObject({ type: 'activity', durationSec: 90 });
  expect(previewTask({ ...newActivity(), durationSec: 0 })).not.toHaveProperty('durationSec');
  expect(previewTask(newDiary())).toMatchObject({ type: 'diary' });
});
