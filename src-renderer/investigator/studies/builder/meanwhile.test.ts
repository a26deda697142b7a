import { expect, it } from 'vitest';
import { type Draft, newDiary } from './draft.ts';
import { withMeanwhile } from './meanwhile.ts';

const [morning, noon, evening, weekly] = ['Morning', 'Noon', 'Evening', 'Weekly'].map((displayName) => ({
  ...newDiary(),
  displayName,
})) as [Draft['diaries'][number], Draft['diaries'][number], Draft['diaries'][number], Draft['diaries'][number]];
const draftOf = (...diaries: Draft['diaries']): Draft => ({
  format: 'outpost-study-definition',
  formatVersion: 1,
  subjectMetadataFields: [],
  activities: [],
  diaries,
  deviceConfigs: [],
});
const names = ({ diaries }: Draft) => diaries.map(({ displayName }) => displayName);
const base = draftOf(morning, noon, evening);

it('keeps the order of the side that changed it', () => {
  const mine = withMeanwhile(base, draftOf(evening, morning, noon), base);
  expect(names(mine.draft)).toEqual(['Evening', 'Morning', 'Noon']);
  expect(mine.clashes).toEqual([]);
  const added = withMeanwhile(base, draftOf(morning, weekly, noon, evening), base);
  expect(names(added.draft)).toEqual(['Morning', 'Weekly', 'Noon', 'Evening']);
  const theirs = withMeanwhile(base, base, draftOf(evening, morning, noon));
  expect(names(theirs.draft)).toEqual(['Evening', 'Morning', 'Noon']);
});

it('keeps an order beside additions and removals of the other side', () => {
  const renamed = { ...noon, displayName: 'Midday' };
  const { draft, clashes } = withMeanwhile(base, draftOf(evening, noon, morning), draftOf(renamed, evening, weekly));
  expect(names(draft)).toEqual(['Evening', 'Midday', 'Weekly']);
  expect(clashes).toEqual([]);
});

it('reports two orders that differ as a clash, and keeps the local one', () => {
  const { draft, clashes } = withMeanwhile(base, draftOf(evening, morning, noon), draftOf(noon, morning, evening));
  expect(names(draft)).toEqual(['Evening', 'Morning', 'Noon']);
  expect(clashes).toEqual(['diaries']);
});
