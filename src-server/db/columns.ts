/**
 * One definition per table, from which three things derive: the row as kysely types it, the record that the rest of the
 * program sees, and the mapping between them. In a record, NULL is an absent member, flags are booleans, JSON is parsed and
 * codes have their types. A new column is a migration and one line in `schema.ts`.
 */
import type { Generated } from 'kysely';

export type Flag = 0 | 1;
type SqlType = 'TEXT' | 'INTEGER' | 'REAL' | 'BLOB';

/** A form of its own for a value that is stored as JSON. */
export interface JsonCodec<Value = never> {
  toText(value: Value): string;
  toValue(text: string): unknown;
}

const PLAIN_JSON: JsonCodec<unknown> = { toText: JSON.stringify, toValue: JSON.parse };

/** `Stored` is the value in a row, `Value` the one in a record; the other two say whether it may be NULL and has a default. */
export interface Column<Stored, Value, IsOptional extends boolean, HasDefault extends boolean> {
  readonly sqlType: SqlType;
  readonly mapping: 'none' | 'flag' | 'json';
  readonly isOptional: IsOptional;
  readonly hasDefault: HasDefault;
  /** How JSON is written and read; of a type that the mapping alone knows. */
  readonly codec: JsonCodec;
  /** Carries the types; never set. */
  readonly types?: { stored: Stored; value: Value };
  /** May be NULL; absent in the record then. */
  optional(): Column<Stored, Value, true, HasDefault>;
  /** SQLite fills it in when an insert leaves it out. */
  defaulted(): Column<Stored, Value, IsOptional, true>;
}

type Columns = Readonly<Record<string, Column<unknown, unknown, boolean, boolean>>>;
type Definition = { readonly columns: Columns };

function column<Stored, Value, IsOptional extends boolean, HasDefault extends boolean>(
  sqlType: SqlType,
  mapping: Column<Stored, Value, IsOptional, HasDefault>['mapping'],
  isOptional: IsOptional,
  hasDefault: HasDefault,
  codec: JsonCodec = PLAIN_JSON,
): Column<Stored, Value, IsOptional, HasDefault> {
  return {
    sqlType,
    mapping,
    isOptional,
    hasDefault,
    codec,
    optional: () => column<Stored, Value, true, HasDefault>(sqlType, mapping, true, hasDefault, codec),
    defaulted: () => column<Stored, Value, IsOptional, true>(sqlType, mapping, isOptional, true, codec),
  };
}

/** Text, or a code with its type: `text<'LEFT' | 'RIGHT'>()`. */
export const text = <T extends string = string>() => column<T, T, false, false>('TEXT', 'none', false, false);
export const integer = () => column<number, number, false, false>('INTEGER', 'none', false, false);
export const real = () => column<number, number, false, false>('REAL', 'none', false, false);
export const blob = () => column<Uint8Array, Uint8Array, false, false>('BLOB', 'none', false, false);
export const flag = () => column<Flag, boolean, false, false>('INTEGER', 'flag', false, false);
/** JSON in a TEXT column. Only the program writes it, so its shape is trusted. */
export const json = <T>(codec?: JsonCodec<T>) => column<string, T, false, false>('TEXT', 'json', false, false, codec);

type StoredOf<C> =
  C extends Column<infer Stored, unknown, infer IsOptional, boolean>
    ? IsOptional extends true
      ? Stored | null
      : Stored
    : never;
type ValueOf<C> = C extends Column<unknown, infer Value, boolean, boolean> ? Value : never;
type OptionalNames<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<unknown, unknown, true, boolean> ? K : never;
}[keyof C];
type Flatten<T> = { [K in keyof T]: T[K] };

/** The row as kysely sees it: what an insert may leave out is {@link Generated}. */
export type KyselyRow<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<unknown, unknown, boolean, true> ? Generated<StoredOf<C[K]>> : StoredOf<C[K]>;
};

/** The record of a table. */
export type RecordOf<T extends Definition> = Flatten<
  { -readonly [K in Exclude<keyof T['columns'], OptionalNames<T['columns']>>]: ValueOf<T['columns'][K]> } & {
    -readonly [K in OptionalNames<T['columns']>]?: ValueOf<T['columns'][K]>;
  }
>;

type WritableOf<C> =
  C extends Column<unknown, infer Value, infer IsOptional, boolean>
    ? IsOptional extends true
      ? Value | null
      : Value
    : never;
type OmittableNames<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<unknown, unknown, true, boolean> | Column<unknown, unknown, boolean, true>
    ? K
    : never;
}[keyof C];

/** What an insert gives: members that are NULL or have a default may be left out. */
export type InsertOf<T extends Definition> = Flatten<
  { [K in Exclude<keyof T['columns'], OmittableNames<T['columns']>>]: WritableOf<T['columns'][K]> } & {
    [K in OmittableNames<T['columns']>]?: WritableOf<T['columns'][K]>;
  }
>;

/** What an update gives: absent members stay, null clears. */
export type PatchOf<T extends Definition> = { [K in keyof T['columns']]?: WritableOf<T['columns'][K]> };

/** A row, or part of one, or of a join, as a record: columns that the table does not define pass through. */
type Mapped<C extends Columns, Row> = {
  [K in keyof Row]: K extends keyof C ? (null extends Row[K] ? ValueOf<C[K]> | undefined : ValueOf<C[K]>) : Row[K];
};

/** Values of a record as they are stored: null stays null, and undefined is left to the caller of the statement. */
type Stored<C extends Columns, Values> = {
  [K in keyof Values]: K extends keyof C
    ? C[K]['mapping'] extends 'none'
      ? Values[K]
      : StoredOf<C[K]> | Extract<Values[K], null | undefined>
    : Values[K];
};

export interface Table<C extends Columns> {
  readonly columns: C;
  /** Maps a selected row to a record. */
  toRecord<Row extends object>(row: Row): Mapped<C, Row>;
  /** Maps values of a record to columns, for inserts and updates. */
  toRow<Values extends object>(values: Values): Stored<C, Values>;
}

export function table<C extends Columns>(columns: C): Table<C> {
  const names = (accept: (definition: C[string]) => boolean) =>
    Object.entries(columns).flatMap(([name, definition]) => (accept(definition as C[string]) ? [name] : []));
  const optional = names(({ isOptional, mapping }) => isOptional && mapping !== 'json');
  const flags = names(({ mapping }) => mapping === 'flag');
  const parsed = Object.entries(columns).flatMap(([name, { mapping, codec }]) =>
    mapping === 'json' ? [[name, codec as JsonCodec<unknown>] as const] : [],
  );
  return {
    columns,
    toRecord<Row extends object>(row: Row) {
      const record = { ...row } as Record<string, unknown>;
      for (const name of optional) if (record[name] === null) record[name] = undefined;
      for (const name of flags) if (record[name] !== undefined) record[name] = record[name] === 1;
      for (const [name, codec] of parsed) {
        const value = record[name];
        if (typeof value === 'string') record[name] = codec.toValue(value);
        else if (value === null) record[name] = undefined;
      }
      return record as Mapped<C, Row>;
    },
    toRow<Values extends object>(values: Values) {
      const row = { ...values } as Record<string, unknown>;
      for (const name of flags) if (typeof row[name] === 'boolean') row[name] = row[name] ? 1 : 0;
      for (const [name, codec] of parsed) {
        const value = row[name];
        if (value !== undefined && value !== null) row[name] = codec.toText(value);
      }
      return row as Stored<C, Values>;
    },
  };
}
