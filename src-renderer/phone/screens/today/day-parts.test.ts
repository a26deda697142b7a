import { expect, it } from 'vitest';
import type { Draft, DueTask } from '../../model.ts';
import { localDate, previousDate } from '../waiting/since.ts';
import { nextDay, otherDrafts, partOfDay, partsOf } from './day-parts.ts';

const task = (taskId: string, state: DueTask['state'], draftId?: string): DueTask => ({
  taskId,
  type: 'diary',
  displayName: taskId,
  state,
  draftId,
});
const draft = (id: string, openedTs: number): Draft => ({
  id,
  taskId: 't',
  date: '2026-11-19',
  openedTs,
  elapsedMs: 0,
  answers: {},
  position: 0,
  marks: [],
});

it('shows what was begun before what is due', () => {
  const parts = partsOf([
    task('a', 'DUE'),
    task('b', 'STARTED'),
    task('c', 'LATER'),
    task('d', 'WAITING_TO_SEND'),
    task('e', 'MISSED'),
  ]);
  expect(parts.now.map(({ taskId }) => taskId)).toEqual(['b', 'a']);
  expect(parts.done.map(({ taskId }) => taskId)).toEqual(['d']);
  expect([parts.later.length, parts.missed.length]).toEqual([1, 1]);
});

it('lists drafts that no task of the day shows, the latest first', () => {
  const drafts = { x: draft('x', 1), y: draft('y', 3), z: draft('z', 2) };
  expect(otherDrafts(drafts, [task('b', 'STARTED', 'z')]).map(({ id }) => id)).toEqual(['y', 'x']);
});

it('finds the next day with tasks', () => {
  const days = [
    { date: '2026-11-20', tasks: [task('a', 'DUE')] },
    { date: '2026-11-21', tasks: [] },
    { date: '2026-11-22', tasks: [task('a', 'LATER')] },
  ];
  expect(nextDay(days, '2026-11-20')?.date).toBe('2026-11-22');
});

it('greets by the local clock', () => {
  expect(['03:59', '04:00', '12:00', '18:00'].map(partOfDay)).toEqual(['evening', 'morning', 'afternoon', 'evening']);
});

it('knows the local date of an instant and the day before, over the end of a month', () => {
  expect(localDate(Date.parse('2026-11-19T23:30:00Z'), 'Asia/Tokyo')).toBe('2026-11-20');
  expect(previousDate('2026-03-01')).toBe('2026-02-28');
});
