import { expect, it } from 'vitest';
import { type Draft, newActivity, newDiary } from '../draft.ts';
import { newConfig } from '../sensors/places.ts';
import { replacementsOf } from './replacing.ts';

const empty: Draft = {
  format: 'outpost-study-definition',
  formatVersion: 1,
  subjectMetadataFields: [],
  activities: [],
  diaries: [],
  deviceConfigs: [],
};

it('reports nothing for an empty definition', () => {
  expect(replacementsOf(empty, { ...empty, activities: [{ ...newActivity(), displayName: 'Walk' }] })).toEqual([]);
});

it('counts the records here and in the file, and names those that the file lacks', () => {
  const walk = { ...newActivity(), displayName: 'Walk' };
  const rest = { ...newActivity(), displayName: 'Rest' };
  const evening = { ...newDiary(), displayName: 'Evening' };
  const now: Draft = {
    ...empty,
    activities: [walk, rest],
    diaries: [evening],
    deviceConfigs: [newConfig()],
    program: { days: 3, tasks: [{ taskId: walk.id, type: 'activity', days: 'daily' }] },
  };
  expect(replacementsOf(now, { ...empty, activities: [walk], diaries: [evening, newDiary()] })).toEqual([
    { part: 'activities', now: 2, inFile: 1, lost: ['Rest'] },
    { part: 'diaries', now: 1, inFile: 2, lost: [] },
    { part: 'deviceConfigs', now: 1, inFile: 0, lost: ['ECG_LEAD_II NONE'] },
    { part: 'program', now: 1, inFile: 0, lost: ['Walk'] },
  ]);
  expect(replacementsOf(now, {} as Draft)).toHaveLength(4);
});
