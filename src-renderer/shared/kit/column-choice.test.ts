import { expect, it } from 'vitest';
import { hiddenAfter } from './column-choice.tsx';

const columns = [{ id: 'name' }, { id: 'zone' }, { id: 'last' }];

it('hides what was not kept, and never the column that names the row', () => {
  expect(hiddenAfter(columns, new Set(['name', 'last']), [])).toEqual(['zone']);
  expect(hiddenAfter(columns, new Set(), [])).toEqual(['zone', 'last']);
  expect(hiddenAfter(columns, new Set(['name', 'zone', 'last']), [])).toEqual([]);
});

it('remembers hidden columns that the table does not have now', () => {
  const hidden = ['field A', 'zone'];
  expect(hiddenAfter(columns, new Set(['name', 'zone', 'last']), hidden)).toEqual(['field A']);
  expect(hiddenAfter(columns, new Set(['name', 'zone']), hidden)).toEqual(['field A', 'last']);
});
