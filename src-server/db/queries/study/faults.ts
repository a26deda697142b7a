/** Statements on faults that devices and files report. */
import { type Selectable, sql } from 'kysely';
import { addressKeyOf } from '../../../study/text.ts';
import type { InsertOf, RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';
import { addressKey, isAddress, isSameAddress } from './sensor-match.ts';

const { fault: FAULT } = TABLES;
const { toRecord } = FAULT;

/** `sensorId` is a MAC-style address. */
export type FaultRecord = RecordOf<typeof FAULT>;

/** Faults of one piece of equipment, or of one address, of one class. */
export interface FaultCount {
  equipmentId: string | null;
  sensorId: string;
  faultClass: string | null;
  count: number;
  firstTs: number;
  lastTs: number;
}

type Row = Selectable<Tables['fault']>;

const byTime = (a: Row, b: Row): number => a.faultTs - b.faultTs || (a.id < b.id ? -1 : 1);

export class FaultQueries extends Queries {
  /** Those of the ids that are stored already. */
  async knownIds(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.session.db.selectFrom('fault').select('id').where('id', 'in', anyOf(ids)).execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** A page of the faults of a study, or of one of its subjects, by time, then id. */
  async page(
    { studyId, subjectId }: { studyId: string; subjectId?: string | undefined },
    keyset: Keyset | undefined,
    isDescending = false,
  ): Promise<FaultRecord[]> {
    const all = this.session.db.selectFrom('fault').selectAll();
    const query = subjectId === undefined ? all.where('studyId', '=', studyId) : all.where('subjectId', '=', subjectId);
    return (await inPages(query, ['faultTs', 'id'], { keyset, isDescending }).execute()).map(toRecord);
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

  /** Faults that name one of the recordings, and those of the subjects within a span that name none; by time, then id. */
  async listFor(
    recordingIds: readonly string[],
    subjectIds: readonly string[],
    { fromTs, toTs }: { fromTs: number; toTs: number },
  ): Promise<FaultRecord[]> {
    const { db } = this.session;
    const named = await db.selectFrom('fault').selectAll().where('recordingId', 'in', anyOf(recordingIds)).execute();
    const near = await db
      .selectFrom('fault')
      .selectAll()
      .where('subjectId', 'in', anyOf(subjectIds))
      .where('faultTs', '>=', fromTs)
      .where('faultTs', '<=', toTs)
      // The plus keeps SQLite from walking all faults of the site that name no recording.
      .where(sql<boolean>`+recordingId IS NULL`)
      .execute();
    return [...named, ...near].sort(byTime).map(toRecord);
  }

  /** Faults of the studies that are those of a piece of equipment, as in {@link isFaultOf}; by time, then id. */
  async listOfEquipment(
    studyIds: readonly string[],
    { id, udid }: { id: string; udid?: string | undefined },
  ): Promise<FaultRecord[]> {
    const { db } = this.session;
    const readable = new Set(studyIds);
    // The study is compared here: in a statement, SQLite may prefer to walk all faults of the studies.
    const named = await db.selectFrom('fault').selectAll().where('equipmentId', '=', id).execute();
    const ofAddress =
      udid === undefined
        ? []
        : await db
            .selectFrom('fault')
            .selectAll()
            .where('equipmentId', 'is', null)
            .where(addressKey('fault.sensorId'), '=', addressKeyOf(udid))
            .execute();
    return [...named, ...ofAddress]
      .filter(({ studyId }) => readable.has(studyId))
      .sort(byTime)
      .map(toRecord);
  }

  /**
   * Numbers of faults of the studies that are those of pieces of equipment, as in {@link isFaultOf}: per equipment, or per address
   * where a fault names none, and class.
   */
  async countByEquipment(
    studyIds: readonly string[],
    equipment: readonly { id: string; udid?: string | undefined }[],
  ): Promise<FaultCount[]> {
    const counted = this.session.db
      .selectFrom('fault')
      .select(({ fn }) => [
        'equipmentId',
        'sensorId',
        'faultClass',
        fn.countAll<number>().as('count'),
        fn.min('faultTs').as('firstTs'),
        fn.max('faultTs').as('lastTs'),
      ])
      // The plus keeps SQLite from walking all faults of the studies.
      .where(sql<boolean>`+studyId IN ${anyOf(studyIds)}`)
      .groupBy(['equipmentId', 'sensorId', 'faultClass']);
    const addresses = equipment.flatMap(({ udid }) => (isAddress(udid) ? [addressKeyOf(udid)] : []));
    const named = await counted.where('equipmentId', 'in', anyOf(equipment.map(({ id }) => id))).execute();
    const ofAddress = await counted
      .where('equipmentId', 'is', null)
      .where(addressKey('fault.sensorId'), 'in', anyOf(addresses))
      .execute();
    return [...named, ...ofAddress];
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

  protected async insert(fault: InsertOf<typeof FAULT>): Promise<void> {
    await this.session.db.insertInto('fault').values(fault).execute();
  }
}

/** True when the fault is one of this piece of equipment. */
export function isFaultOf(fault: FaultRecord, equipment: { id: string; udid?: string }): boolean {
  if (fault.equipmentId !== undefined) return fault.equipmentId === equipment.id;
  return equipment.udid !== undefined && isSameAddress(fault.sensorId, equipment.udid);
}
