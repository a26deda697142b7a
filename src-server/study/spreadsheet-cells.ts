/**
 * CSV injection: a spreadsheet runs a text cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return, in a Japanese
 * locale also with the full-width forms (OWASP, CSV Injection). An apostrophe in front makes it text. Pure.
 */

/** Line feed as well: some programs skip leading white space before they look for a formula. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** Numbers, and offsets from UTC such as `-05:00`, calculate nothing and have to stay as readers expect them. */
const HARMLESS = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|\d{2}:\d{2})$/i;

/** The text as a cell that no spreadsheet runs. {@link fromSpreadsheetCell} gives the same text back. */
export function toSpreadsheetCell(text: string): string {
  return FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
}

/** The text that {@link toSpreadsheetCell} made a cell of; other cells as they are. */
export function fromSpreadsheetCell(cell: string): string {
  if (!cell.startsWith("'")) return cell;
  const text = cell.slice(1);
  return FORMULA.test(text) && !HARMLESS.test(text) ? text : cell;
}
