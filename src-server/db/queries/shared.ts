/** Helpers of the query classes: JSON columns, LIKE patterns, list parameters and diagnostics in two columns. */

import { type RawBuilder, sql } from 'kysely';
import { type Diagnostic, diagnosticOf } from '../../diagnostics.ts';
import { OutpostError } from '../../errors.ts';

/** Parses JSON of a TEXT column. Only the program writes it, so its shape is trusted. */
export function parseJson<T>(text: string): T {
  return JSON.parse(text) as T;
}

export function parseOptionalJson<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Maps NULL to an absent member: the API never sends null for a missing value. */
export function absent<T>(value: T | null): T | undefined {
  return value === null ? undefined : value;
}

export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

export function notFound(what: string): OutpostError {
  return new OutpostError('NOT_FOUND', `There is no such ${what}.`);
}

/** Text for LIKE in which % and _ are themselves; use with ESCAPE '\'. */
export function likeContains(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (match) => `\\${match}`)}%`;
}

/**
 * Binds a list for `IN` as one JSON value. One parameter per member fails beyond 32,766 ("too many SQL variables"), and each length
 * would be a statement of its own. Fixed lists of codes are bound as usual.
 */
export function anyOf(values: readonly string[]): RawBuilder<string> {
  return sql<string>`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** Splits a diagnostic into its two columns: the sentence, which older versions stored alone, and the rest as JSON. */
export function diagnosticColumns(diagnostic: Diagnostic | undefined): {
  sentence: string | null;
  rest: string | null;
} {
  if (!diagnostic) return { sentence: null, rest: null };
  const { message, ...rest } = diagnostic;
  return { sentence: message, rest: rest.code === undefined ? null : JSON.stringify(rest) };
}

export function storedDiagnostic(sentence: string | null, rest: string | null): Diagnostic | undefined {
  if (sentence === null) return undefined;
  return rest === null
    ? diagnosticOf(sentence)
    : { ...parseJson<Omit<Diagnostic, 'message'>>(rest), message: sentence };
}
