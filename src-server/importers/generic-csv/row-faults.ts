import type { RowFault } from '../../study/recognition.ts';

const SENTENCES: Record<RowFault['kind'], (text: string) => string> = {
  TIME: (text) => `"${text}" is not a time of the chosen form.`,
  ORDER: (text) => `"${text}" is before the time of the row above.`,
  NUMBER: (text) => `"${text}" is not a number.`,
  COLUMNS: () => 'it has fewer columns than the mapping names.',
};

/** `Line 12, column 3: "abc" is not a number.` */
export function rowFaultText({ line, column, kind, text }: RowFault): string {
  const place = column === undefined ? `Line ${line}` : `Line ${line}, column ${column + 1}`;
  return `${place}: ${SENTENCES[kind](text)}`;
}
