import { expect, it } from 'vitest';
import { csvText } from './csv.ts';

it('writes no cell that a spreadsheet runs, and numbers as they are', () => {
  expect(csvText(['A', 'B', 'C'], [['=1+1', -1.5, '-1.5']])).toBe('"A","B","C"\n"\'=1+1","-1.5","-1.5"\n');
});
