/** Tables that several formats hold with the same columns: the archive as CSV, Parquet and BIDS under names in their style. */
import type { Disclosure } from './disclosure.ts';
import type { ExportView } from './export-view.ts';

/** A column: name in the style of the API, class and value. Units are part of the name. */
export type TableColumns<T> = readonly (readonly [
  name: string,
  shows: Disclosure | ((row: T, view: ExportView) => Disclosure),
  value: (row: T) => unknown,
])[];
