import type { Selectable } from 'kysely';
import type { ActorType } from '../../../study/actor.ts';
import type { RecordOf } from '../../columns.ts';
import { unpackChanges } from '../../packed-changes.ts';
import { TABLES, type Tables } from '../../schema.ts';

export interface AuditRecord extends Omit<RecordOf<typeof TABLES.audit>, 'actorType' | 'actorId' | 'packedChanges'> {
  actor: { type: ActorType; id?: string };
}

/** @throws SITE_CORRUPT when its changes are damaged */
export function toRecord({ actorType, actorId, packedChanges, ...row }: Selectable<Tables['audit']>): AuditRecord {
  const changes = unpackChanges({ changes: row.changes, packedChanges });
  return {
    ...TABLES.audit.toRecord({ ...row, changes }),
    actor: { type: actorType, ...(actorId !== null && { id: actorId }) },
  };
}
