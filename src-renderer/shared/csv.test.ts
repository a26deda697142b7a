import { expect, it } from 'vitest';
import { csvText } from './csv.ts';

it('disarms cells that a spreadsheet would run as formulas, but not numbers', () => {
  expect(csvText(['A', 'B', 'C'], [['=1+1', -1.5, '-1.5']])).toBe('"A","B","C"\n"\'=1+1","-1.5","-1.5"\n');
});
