import type { Selectable } from 'kysely';
import type { ActorType } from '../../../study/actor.ts';
import type { RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';

export interface AuditRecord extends Omit<RecordOf<typeof TABLES.audit>, 'actorType' | 'actorId'> {
  actor: { type: ActorType; id?: string };
}

export function toRecord({ actorType, actorId, ...row }: Selectable<Tables['audit']>): AuditRecord {
  return { ...TABLES.audit.toRecord(row), actor: { type: actorType, ...(actorId !== null && { id: actorId }) } };
}
