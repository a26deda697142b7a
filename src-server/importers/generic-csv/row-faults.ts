import type { RowFault } from '../../study/recognition.ts';

/** `1,234.5`, `1.234,5` and `1 234,5`: not read, because one group alone is a number with decimals in another language. */
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$|^[+-]?\d{1,3}(?:[.'\s\u2019]\d{3})+(?:,\d*)?$/;

const SENTENCES: Record<RowFault['kind'], (text: string) => string> = {
  TIME: (text) => `"${text}" is not a time of the chosen form.`,
  ORDER: (text) => `"${text}" is before the time of the row above.`,
  NUMBER: (text) =>
    GROUPED.test(text)
      ? `"${text}" has thousands separators. Save the file without them.`
      : `"${text}" is not a number.`,
  COLUMNS: () => 'it has fewer columns than the mapping names.',
};

/** `Line 12, column 3: "abc" is not a number.` */
export function rowFaultText({ line, column, kind, text }: RowFault): string {
  const place = column === undefined ? `Line ${line}` : `Line ${line}, column ${column + 1}`;
  return `${place}: ${SENTENCES[kind](text)}`;
}
