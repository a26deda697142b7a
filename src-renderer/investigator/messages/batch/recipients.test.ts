import { expect, it } from 'vitest';
import type { ListedSubject } from '../../../../src-server/api/contract/index.ts';
import { DAY_MS } from '../../../../src-server/durations.ts';
import { recipientsOf } from './recipients.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const subject = (displayName: string, given: object = {}) =>
  ({ id: displayName, displayName, isHidden: false, ...given }) as ListedSubject;
const subjects = [
  subject('N-1', { summary: { lastDataTs: NOW - DAY_MS } }),
  subject('N-2', { summary: { lastDataTs: NOW - 3 * DAY_MS } }),
  subject('N-10', { summary: {} }),
  subject('N-3', { isHidden: true }),
  subject('T-1', { isTest: true }),
];
const names = (...given: [Parameters<typeof recipientsOf>[1], string]) =>
  recipientsOf(subjects, ...given, NOW).map(({ displayName }) => displayName);

it('offers subjects by filter and name, and never hidden ones', () => {
  expect(names('everyone', '')).toEqual(['N-1', 'N-2', 'N-10']);
  expect(names('quiet', '')).toEqual(['N-2', 'N-10']);
  expect(names('tests', '')).toEqual(['T-1']);
  expect(names('everyone', ' ｎ-1')).toEqual(['N-1', 'N-10']);
});

it('finds names in any form of kana, and takes two days exactly as the list of subjects does', () => {
  const more = [subject('タナカ', { summary: { lastDataTs: NOW - 2 * DAY_MS } })];
  const found = (filter: Parameters<typeof recipientsOf>[1], search: string) => recipientsOf(more, filter, search, NOW);
  for (const search of ['たなか', 'ﾀﾅｶ', 'タナ']) expect(found('everyone', search)).toEqual(more);
  expect(found('quiet', '')).toEqual([]);
});
