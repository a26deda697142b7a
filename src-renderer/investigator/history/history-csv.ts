/** A history as a file: a row for every field that changed. Pure. */
import type { AuditEntry } from '../../../src-server/api/contract/index.ts';
import { csvText } from '../../shared/csv.ts';

const HEADER = [
  'ENTRY',
  'TIME (ms)',
  'TIME (UTC)',
  'ACTOR_TYPE',
  'ACTOR',
  'ACTION',
  'RECORD',
  'RECORD_ID',
  'FIELD',
  'OLD',
  'NEW',
  'REASON',
  'HASH',
];

const text = (value: unknown) =>
  value === undefined || value === null || typeof value === 'string' ? (value ?? undefined) : JSON.stringify(value);

export function historyCsv(entries: readonly AuditEntry[]): string {
  const rows = entries.flatMap(({ sequence, timeTs, actor, action, entityType, entityId, changes, reason, hash }) => {
    const before = [
      sequence,
      timeTs,
      new Date(timeTs).toISOString(),
      actor.type,
      actor.displayName ?? actor.id,
      action,
      entityType,
      entityId,
    ];
    const fields = changes.length > 0 ? changes : [{ field: undefined, old: undefined, new: undefined }];
    return fields.map((change) => [...before, change.field, text(change.old), text(change.new), reason, hash]);
  });
  return csvText(HEADER, rows);
}
