/** What will become of each row of a table, and the refusal of a table of which a row cannot be taken. Pure. */
import { type FieldError, OutpostError } from '../../errors.ts';

/**
 * - `NEW`: is created.
 * - `EXISTS`: is there already and stays as it is, so that a table can be sent again.
 * - `REFUSED`: cannot be taken; nothing of the table is.
 */
export type RowOutcome = 'NEW' | 'EXISTS' | 'REFUSED';

export interface JudgedRow<Input> {
  line: number;
  outcome: RowOutcome;
  /** What is created; undefined unless the row is `NEW`. */
  input?: Input;
  /** Name or serial number, as far as the row has one. */
  name?: string;
  errors: FieldError[];
}

/** Most errors that are listed in an answer. */
const MOST_ERRORS = 100;

/** Nothing of a table is taken when one of its rows cannot be. @throws INVALID_INPUT with the rows at fault */
export function requireWholeTable(rows: readonly JudgedRow<unknown>[]): void {
  const refused = rows.filter(({ outcome }) => outcome === 'REFUSED');
  if (refused.length === 0) return;
  const errors = refused.flatMap(({ line, errors: found }) =>
    found.map(({ path, message }) => ({ path: `line ${line}: ${path}`, message })),
  );
  const message =
    refused.length === 1
      ? `Line ${refused[0]?.line} of the table cannot be taken. Nothing was changed.`
      : `${refused.length} rows of the table cannot be taken. Nothing was changed.`;
  throw new OutpostError('INVALID_INPUT', message, { errors: errors.slice(0, MOST_ERRORS) });
}
