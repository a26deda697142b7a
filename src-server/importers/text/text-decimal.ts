/** Decimal signs of texts whose cells no comma separates. */
import type { TextFile } from './text-file.ts';

const POINT = 46;
const COMMA = 44;
const LOOKED_AT_ROWS = 20;

/** The byte before decimals, by the first rows: a comma where numbers have it and none has a point. */
export async function decimalOf(file: TextFile): Promise<number> {
  let text = '';
  for await (const chunk of file.rows()) {
    text += Buffer.from(chunk).toString('latin1');
    if (text.split('\n').length > LOOKED_AT_ROWS) break;
  }
  const rows = text.split('\n').slice(0, LOOKED_AT_ROWS).join('\n');
  // Times of day have their fraction behind a point or a comma in any language.
  const numbers = rows.replace(/\d\d:\d\d:\d\d[.,]\d+/g, '');
  return /\d,\d/.test(numbers) && !/\d\.\d/.test(numbers) ? COMMA : POINT;
}
