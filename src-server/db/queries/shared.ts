import { type RawBuilder, sql } from 'kysely';
import { type Diagnostic, diagnosticOf } from '../../diagnostics.ts';
import { OutpostError } from '../../errors.ts';

/** JSON kept in a TEXT column; the repositories alone write it, so its shape is theirs. */
export function parseJson<T>(text: string): T {
  return JSON.parse(text) as T;
}

export function parseOptionalJson<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** `null` columns as absent members: the interface never sends null for "not there". */
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
 * A list for `IN` as one bound value. A value per member fails at 32,766 of them ("too many SQL variables"), and a list of
 * each length would be a statement of its own. Lists of fixed words (states, kinds) stay as they are.
 */
export function anyOf(values: readonly string[]): RawBuilder<string> {
  return sql<string>`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** A diagnostic in its two columns: the sentence, which older versions kept alone, and the rest as JSON. */
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
