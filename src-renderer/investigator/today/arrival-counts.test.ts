import { expect, it } from 'vitest';
import { arrivalCounts } from './arrival-counts.ts';

const by = (principalType: 'USER' | 'SUBJECT') => ({
  author: { displayName: 'X', id: '1', parentId: '2', principalType },
});

it('counts recordings, tasks and analysed days, and of messages those from subjects', () => {
  const events = [
    { action: 'RECORDING_UPLOADED' },
    { action: 'ACTIVITY_COMPLETED', ...by('SUBJECT') },
    { action: 'DIARY_COMPLETED', ...by('SUBJECT') },
    { action: 'METRICS_PROCESSED' },
    { action: 'MESSAGE_POSTED', ...by('SUBJECT') },
    { action: 'MESSAGE_POSTED', ...by('USER') },
    { action: 'MESSAGE_POSTED' },
    { action: 'SUBJECT_CREATED', ...by('USER') },
  ] as const;
  expect(arrivalCounts(events)).toEqual({ recordings: 1, tasks: 2, messages: 1, analyses: 1 });
  expect(arrivalCounts([])).toEqual({ recordings: 0, tasks: 0, messages: 0, analyses: 0 });
});
