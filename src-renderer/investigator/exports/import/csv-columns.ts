/** A choice of a column; the empty id stands for none. */
export const columnOptions = (columns: readonly string[], none?: string) => [
  ...(none === undefined ? [] : [{ id: '', label: none }]),
  ...columns.map((name, index) => ({
    id: String(index),
    label: name === '' ? String(index + 1) : `${index + 1}: ${name}`,
  })),
];
