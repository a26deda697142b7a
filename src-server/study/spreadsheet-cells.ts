/**
 * CSV injection: a spreadsheet runs a text cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return, in a Japanese
 * locale also with the full-width forms (OWASP, CSV Injection). An apostrophe in front makes it text. Pure.
 */

/** Includes the line feed, because some programs skip leading white space before they look for a formula. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** Numbers, and UTC offsets such as `-05:00`, are not formulas and must stay readable. */
const HARMLESS = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|\d{2}:\d{2})$/i;

/** Escapes a text so that no spreadsheet evaluates it. {@link fromSpreadsheetCell} reverses it. */
export function toSpreadsheetCell(text: string): string {
  return FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
}

/** Reverses {@link toSpreadsheetCell}; returns other cells unchanged. */
export function fromSpreadsheetCell(cell: string): string {
  if (!cell.startsWith("'")) return cell;
  const text = cell.slice(1);
  return FORMULA.test(text) && !HARMLESS.test(text) ? text : cell;
}
