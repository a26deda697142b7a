/** An audit trail as CSV: one row for each changed field. */
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
  'RECORD_NAME',
  'RECORD_START (UTC)',
  'SUBJECT',
  'STUDY',
  'FIELD',
  'OLD',
  'NEW',
  'REASON',
  'HASH',
];

const text = (value: unknown) =>
  value === undefined || value === null || typeof value === 'string' ? (value ?? undefined) : JSON.stringify(value);

export function historyCsv(entries: readonly AuditEntry[]): string {
  const rows = entries.flatMap((entry) => {
    const { sequence, timeTs, actor, action, entityType, entityId, entity, changes, reason, hash } = entry;
    const before = [
      sequence,
      timeTs,
      new Date(timeTs).toISOString(),
      actor.type,
      actor.displayName ?? actor.id,
      action,
      entityType,
      entityId,
      entity?.displayName ?? entity?.code,
      entity?.startTs === undefined ? undefined : new Date(entity.startTs).toISOString(),
      entry.subjectName,
      entry.studyName,
    ];
    if (changes.length === 0) return [[...before, undefined, undefined, undefined, reason, hash]];
    return changes.map(({ field, old, oldName, new: next, newName }) => [
      ...before,
      field,
      oldName ?? text(old),
      newName ?? text(next),
      reason,
      hash,
    ]);
  });
  return csvText(HEADER, rows);
}
