import { describe, expect, it } from 'vitest';
import { newDigitColumn, parseDigits } from '../csv/digits.ts';
import { cellMicroseconds } from './cell-time.ts';

const POINT = 46;

function microseconds(text: string, power: number): number {
  const column = newDigitColumn(1);
  parseDigits(Buffer.from(`${text}\n`), 0, POINT, column, 0);
  return cellMicroseconds(column.high[0]!, column.low[0]!, column.form[0]!, power);
}

describe('times in cells', () => {
  it.each([
    // A double of this size has steps of 0.25 us: adding .4 first would make .5 of it, and round up.
    ['1.5893587476603394E12', 3, 1589358747660339],
    ['1.5893587476505737E12', 3, 1589358747650574],
    ['1589358747660.3396', 3, 1589358747660340],
    ['1737823392.4203255', 6, 1737823392420326],
    ['704201974831254116', -3, 704201974831254],
    ['1595933810034', 3, 1595933810034000],
    ['-1.5', 3, -1500],
    ['0', 3, 0],
    ['0.0000004', 6, 0],
    ['12', 6, 12e6],
  ])('reads %s with power %i as %i microseconds', (text, power, expected) => {
    expect(microseconds(text, power)).toBe(expected);
  });
});
