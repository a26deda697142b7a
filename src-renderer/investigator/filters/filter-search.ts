/**
 * Filters of tables as parameters of the address, so that a copied link, Back and a reload show the same list. The router reads texts
 * with {@link filterSearch}; the screen, which knows the choices, reads values with {@link valuesOf}. Pure.
 */
import { LONGEST_FILTER_VALUE } from '../../../src-server/vocabulary/saved-filters.ts';

/** A parameter of the address, as the router has parsed it: a code of digits only arrives as a number. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the reader of these parameters for a route; it hides what else the address says under these names. */
export const filterSearch =
  <const Name extends string>(...names: readonly Name[]) =>
  (search: Record<string, unknown>): { [N in Name]?: string } => {
    const texts: { [N in Name]?: string } = {};
    for (const name of names) Object.assign(texts, { [name]: textOf(search[name]) });
    return texts;
  };

/** How one parameter is read. `none` is the value that filters nothing; it is not in the address. */
export interface FilterField<T extends string = string> {
  none: T;
  /** Returns undefined for a value that the field cannot have. */
  read: (text: string) => T | undefined;
  /** Whether it is typed, so that the field shows each character at once. */
  isTyped?: boolean;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Cuts at the end of a character. */
const cut = (text: string): string => {
  const isPairCut = text.length > LONGEST_FILTER_VALUE && /[\ud800-\udbff]/.test(text[LONGEST_FILTER_VALUE - 1] ?? '');
  return text.slice(0, isPairCut ? LONGEST_FILTER_VALUE - 1 : LONGEST_FILTER_VALUE);
};

export const TEXT: FilterField = { none: '', read: cut, isTyped: true };
/** A record. Whether it still exists, only its list shows. */
export const RECORD: FilterField = { none: '', read: (text) => (text.length <= 64 ? text : undefined) };
export const DAY: FilterField = { none: '', read: (text) => (DATE.test(text) ? text : undefined) };
export const oneOf = <T extends string>(options: readonly T[], none: NoInfer<T>): FilterField<T> => ({
  none,
  read: (text) => options.find((option) => option === text),
});

export type FilterFields = Readonly<Record<string, FilterField>>;
export type FilterValues<F extends FilterFields> = {
  [K in keyof F]: F[K] extends FilterField<infer T> ? T : never;
};

/** Returns the value of each field; what the address does not have, or has of another form, filters nothing. */
export function valuesOf<F extends FilterFields>(
  fields: F,
  search: Readonly<Record<string, unknown>>,
): FilterValues<F> {
  const values = Object.entries(fields).map(([name, { none, read }]) => {
    const text = textOf(search[name]);
    return [name, (text === undefined ? undefined : read(text)) ?? none];
  });
  return Object.fromEntries(values) as FilterValues<F>;
}

/** Returns values as the address would give them back: a text that was pasted may be longer than a filter holds. */
export function heldValues<F extends FilterFields>(
  fields: F,
  values: Partial<FilterValues<F>>,
): Partial<FilterValues<F>> {
  const held = Object.entries(values).map(([name, value]) => {
    const field = fields[name];
    return [name, field === undefined || value === field.none ? value : (field.read(value as string) ?? field.none)];
  });
  return Object.fromEntries(held) as Partial<FilterValues<F>>;
}

/** Returns the parameters of values, undefined where a field filters nothing. */
export function parametersOf<F extends FilterFields>(
  fields: F,
  values: Partial<FilterValues<F>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === fields[name]?.none ? undefined : (value as string)]),
  );
}

/** Returns what is chosen, without the fields that filter nothing, in the order of the names. */
export function chosenOf<F extends FilterFields>(fields: F, values: FilterValues<F>): Record<string, string> {
  const chosen = Object.entries(parametersOf(fields, values)).flatMap(([name, value]) => {
    const text = fields[name]?.isTyped ? value?.trim() : value;
    return text ? [[name, text] as const] : [];
  });
  return Object.fromEntries(chosen.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether two filters choose the same. */
export function isSameFilter(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
