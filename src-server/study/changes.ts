/** The changes of a write, field by field, as the audit stores them, and the canonical JSON that their hash covers. */

export type FieldChanges = Record<string, { old?: unknown; new?: unknown }>;

/** Serializes with members in code-unit order and without absent members: equal values give the same text. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Returns the members of `next` that are given and differ from `old`. */
export function changesBetween(old: Record<string, unknown>, next: Record<string, unknown>): FieldChanges {
  const changes: FieldChanges = {};
  for (const [name, value] of Object.entries(next)) {
    if (value !== undefined && canonicalJson(old[name] ?? null) !== canonicalJson(value)) {
      changes[name] = { old: old[name] ?? null, new: value };
    }
  }
  return changes;
}

/** Returns a new record as changes, without the members that are absent. */
export function changesFromNothing(values: Record<string, unknown>): FieldChanges {
  const changes: FieldChanges = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null) changes[name] = { new: value };
  }
  return changes;
}
