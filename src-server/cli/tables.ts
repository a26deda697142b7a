/** Tables on the terminal. Apart from `output.ts`, because measuring the width of text takes several modules to load. */
import stringWidth from 'string-width';

/** Formats a table with left-aligned columns, two spaces apart. */
export function formatTable(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat(widths[column]! - stringWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
