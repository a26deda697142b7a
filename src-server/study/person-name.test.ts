import { expect, it } from 'vitest';
import { personName } from './person-name.ts';

it('writes a name in the order of its script', () => {
  expect(personName({ firstName: 'Dana', lastName: 'Whitfield' })).toBe('Dana Whitfield');
  expect(personName({ firstName: '花子', lastName: '佐々木' })).toBe('佐々木 花子');
  expect(personName({ firstName: 'さくら', lastName: '井ノ上' })).toBe('井ノ上 さくら');
  expect(personName({ firstName: 'アンナ', lastName: 'ミュラー' })).toBe('ミュラー アンナ');
  expect(personName({ firstName: 'Hanako', lastName: '佐藤' })).toBe('Hanako 佐藤');
});

it('omits an empty part', () => {
  expect(personName({ firstName: '', lastName: 'Whitfield' })).toBe('Whitfield');
  expect(personName({ firstName: '花子', lastName: '' })).toBe('花子');
});
