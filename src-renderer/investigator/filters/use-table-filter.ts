/** The filter of a table: kept in the address, so that it outlives the screen. Every change replaces the present address. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { chosenOf, type FilterFields, type FilterValues, heldValues, parametersOf, valuesOf } from './filter-search.ts';

export interface TableFilter<F extends FilterFields> {
  values: FilterValues<F>;
  isFiltered: boolean;
  /** What is chosen, as it is saved. */
  chosen: Record<string, string>;
  set: (values: Partial<FilterValues<F>>) => void;
  clear: () => void;
  /** Chooses exactly this; what the fields do not know is left out. */
  apply: (chosen: Readonly<Record<string, string>>) => void;
}

/**
 * @param fields a constant of the screen
 * @param dropped parameters that do not outlive another filter, such as the record that a link shows
 */
export function useTableFilter<F extends FilterFields>(fields: F, dropped: readonly string[] = []): TableFilter<F> {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const typedName = Object.keys(fields).find((name) => fields[name]?.isTyped) ?? '';
  const inAddress = valuesOf(fields, search);
  const textInAddress: string = inAddress[typedName] ?? '';
  // The router renders another address when it can; a field has to show each character at once, or it loses some.
  const [text, setText] = useState(textInAddress);
  const pending = useRef(0);
  useEffect(() => {
    if (pending.current === 0) setText(textInAddress);
  }, [textInAddress]);

  const values = typedName === '' ? inAddress : { ...inAddress, [typedName]: text };
  const set = (wanted: Partial<FilterValues<F>>) => {
    const next = heldValues(fields, wanted);
    const typed = next[typedName];
    if (typed !== undefined) setText(typed);
    const gone = Object.fromEntries(dropped.map((name) => [name, undefined]));
    const change = { ...gone, ...parametersOf(fields, next) };
    pending.current++;
    const done = () => {
      pending.current--;
    };
    navigate({ to: '.', search: (old: object) => ({ ...old, ...change }), replace: true, resetScroll: false }).then(
      done,
      done,
    );
  };
  const chosen = chosenOf(fields, values);
  return {
    values,
    isFiltered: Object.keys(chosen).length > 0,
    chosen,
    set,
    clear: () => set(valuesOf(fields, {})),
    apply: (wanted) => set(valuesOf(fields, wanted)),
  };
}
