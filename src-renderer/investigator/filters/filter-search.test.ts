import { parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { expect, it } from 'vitest';
import {
  chosenOf,
  DAY,
  filterSearch,
  heldValues,
  isSameFilter,
  oneOf,
  parametersOf,
  RECORD,
  TEXT,
  valuesOf,
} from './filter-search.ts';

const FIELDS = { text: TEXT, state: oneOf(['all', 'out'], 'all'), group: RECORD, from: DAY };
const NOTHING = { text: '', state: 'all', group: '', from: '' };
const parse = parseSearchWith(JSON.parse);
const stringify = stringifySearchWith(JSON.stringify, JSON.parse);
const route = filterSearch('text', 'state', 'group', 'from');

it('reads what an address filters by, and ignores what no field can be', () => {
  const read = (address: string) => valuesOf(FIELDS, route(parse(address)));
  expect(read('')).toEqual(NOTHING);
  expect(read('?state=out&text=N-1&group=g1&from=2026-01-12')).toEqual({
    ...{ text: 'N-1', state: 'out', group: 'g1', from: '2026-01-12' },
  });
  expect(read('?state=lost&from=today&other=1')).toEqual(NOTHING);
  expect(read(`?group=${'x'.repeat(65)}&text=`)).toEqual(NOTHING);
  expect(read('?state={"a":1}&text=[1]')).toEqual(NOTHING);
  expect(read(`?text=${'x'.repeat(500)}`).text).toHaveLength(200);
  expect(Object.keys(route(parse('?other=1')))).toEqual(['text', 'state', 'group', 'from']);
});

it.each(['12', '007', '1.50', 'true', 'null', '"N"', 'a b', '被験者 1', '&state=out', '%'])(
  'finds the text %s again in the address that it writes',
  (text) => {
    const address = stringify(parametersOf(FIELDS, { text }));
    expect(valuesOf(FIELDS, route(parse(address)))).toEqual({ ...NOTHING, text });
  },
);

it('holds of a text that is typed what the address gives back, cut between characters', () => {
  const held = (text: string) => heldValues(FIELDS, { text, state: 'out' });
  expect(held('N-1')).toEqual({ text: 'N-1', state: 'out' });
  for (const text of ['x'.repeat(1000), `${'x'.repeat(199)}𠮷野`, '𠮷'.repeat(500)]) {
    const { text: kept = '' } = held(text);
    expect(kept.length).toBeGreaterThanOrEqual(199);
    expect(kept.length).toBeLessThanOrEqual(200);
    expect(kept.isWellFormed()).toBe(true);
    expect(valuesOf(FIELDS, route(parse(stringify(parametersOf(FIELDS, { text })))))).toMatchObject({ text: kept });
  }
  expect(heldValues(FIELDS, { group: 'x'.repeat(65), from: '' })).toEqual({ group: '', from: '' });
});

it('reads a code of digits that a person typed into the address', () => {
  expect(valuesOf(FIELDS, route(parse('?text=12')))).toEqual({ ...NOTHING, text: '12' });
});

it('keeps only what is chosen, in one order', () => {
  const values = { text: ' N-1 ', state: 'out', group: '', from: '' } as const;
  expect(JSON.stringify(chosenOf(FIELDS, values))).toBe('{"state":"out","text":"N-1"}');
  expect(chosenOf(FIELDS, { ...values, text: '  ', state: 'all' })).toEqual({});
  expect(parametersOf(FIELDS, { state: 'all', text: '' })).toEqual({ state: undefined, text: undefined });
});

it('compares filters by what they choose', () => {
  expect(isSameFilter({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true);
  expect(isSameFilter({ a: '1' }, { a: '1', b: '2' })).toBe(false);
  expect(isSameFilter({ a: '1' }, { b: '1' })).toBe(false);
});
