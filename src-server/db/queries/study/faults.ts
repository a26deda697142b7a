import { type Selectable, sql } from 'kysely';
import { changesFromNothing } from '../../../study/changes.ts';
import type { Tables } from '../../schema.ts';
import type { Change } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf } from '../shared.ts';
import { isSameAddress } from './sensor-match.ts';

export interface FaultRecord {
  id: string;
  studyId: string;
  subjectId: string;
  equipmentId?: string;
  recordingId?: string;
  faultTs: number;
  faultFlag: string;
  faultType: string;
  /** Flat battery, full memory, clock not set, lost contact, firmware reset, hub error. */
  faultClass?: string;
  mobileAppVersion: string;
  sensorFirmwareId: string;
  /** MAC-style address. */
  sensorId: string;
  createdTs: number;
}

export type NewFault = Omit<FaultRecord, 'id' | 'createdTs'> & { id?: string };

function toRecord(row: Selectable<Tables['fault']>): FaultRecord {
  return {
    ...row,
    equipmentId: absent(row.equipmentId),
    recordingId: absent(row.recordingId),
    faultClass: absent(row.faultClass),
  };
}

export class Faults extends Queries {
  /** Stores faults in one transaction. */
  async add(faults: readonly NewFault[], change: Change): Promise<FaultRecord[]> {
    return await this.session.write(async (session) => {
      const stored: FaultRecord[] = [];
      for (const fault of faults) {
        const row = {
          ...fault,
          id: fault.id ?? session.newId(),
          equipmentId: fault.equipmentId ?? null,
          recordingId: fault.recordingId ?? null,
          faultClass: fault.faultClass ?? null,
          createdTs: session.clock(),
        };
        await session.db.insertInto('fault').values(row).execute();
        await session.audit(change, {
          action: 'fault.add',
          entityType: 'fault',
          entityId: row.id,
          studyId: row.studyId,
          subjectId: row.subjectId,
          changes: changesFromNothing(row),
        });
        stored.push(toRecord(row));
      }
      return stored;
    });
  }

  /** Those of the ids that are stored already. */
  async knownIds(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.session.db.selectFrom('fault').select('id').where('id', 'in', anyOf(ids)).execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** By time, then id. */
  async listForSubject(subjectId: string): Promise<FaultRecord[]> {
    const rows = await this.session.db
      .selectFrom('fault')
      .selectAll()
      .where('subjectId', '=', subjectId)
      .orderBy('faultTs')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** By time, then id. */
  async listForStudy(studyId: string): Promise<FaultRecord[]> {
    return await this.listForStudies([studyId]);
  }

  /** By time, then id. */
  async listForStudies(studyIds: readonly string[]): Promise<FaultRecord[]> {
    if (studyIds.length === 0) return [];
    const rows = await this.session.db
      .selectFrom('fault')
      .selectAll()
      .where('studyId', 'in', anyOf(studyIds))
      .orderBy('faultTs')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /**
   * Number of faults of equipment the subject ever held, per subject of a study; subjects without any are absent. A fault
   * that names no equipment is that of the sensor with its address, as in {@link isFaultOf}.
   */
  async countByStudy(studyId: string): Promise<Map<string, number>> {
    const rows = await this.session.db
      .selectFrom('fault')
      .select(['fault.subjectId', sql<number>`count(*)`.as('count')])
      .where('fault.studyId', '=', studyId)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('equipmentAssignment as held')
            .innerJoin('equipment', 'equipment.id', 'held.equipmentId')
            .select('equipment.id')
            .whereRef('held.subjectId', '=', 'fault.subjectId')
            .where((own) =>
              own.or([
                own('equipment.id', '=', own.ref('fault.equipmentId')),
                own.and([own('fault.equipmentId', 'is', null), own('equipment.udid', '=', own.ref('fault.sensorId'))]),
              ]),
            ),
        ),
      )
      .groupBy('fault.subjectId')
      .execute();
    return new Map(rows.map((row) => [row.subjectId, row.count]));
  }
}

/** True when the fault is one of this piece of equipment. */
export function isFaultOf(fault: FaultRecord, equipment: { id: string; udid?: string }): boolean {
  if (fault.equipmentId !== undefined) return fault.equipmentId === equipment.id;
  return equipment.udid !== undefined && isSameAddress(fault.sensorId, equipment.udid);
}
