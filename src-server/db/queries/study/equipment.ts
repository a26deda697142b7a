/** Statements on equipment: what is registered, who held it when, and when it was last heard from. */
import { type Selectable, sql } from 'kysely';
import { addressKeyOf } from '../../../study/text.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, notFound } from '../shared.ts';
import { addressKey, serialOfAddress } from './sensor-match.ts';

const { equipment: EQUIPMENT, deviceContact: DEVICE_CONTACT } = TABLES;

export type EquipmentState = 'ASSIGNED' | 'UNASSIGNED';
export type DeviceContact = Omit<InsertOf<typeof DEVICE_CONTACT>, 'equipmentId'>;

/** `id` is the serial number. */
export interface EquipmentRecord extends RecordOf<typeof EQUIPMENT> {
  state: EquipmentState;
  /** Who holds it now. */
  holder?: { studyId: string; subjectId: string };
  heldSinceTs?: number;
}

export interface EquipmentHistoryItem {
  id: string;
  state: EquipmentState;
  createdTs: number;
  study: { id: string; displayName: string };
  subject: { id: string; displayName: string };
}

type Row = Selectable<Tables['equipment']> & {
  heldStudyId: string | null;
  heldSubjectId: string | null;
  heldSinceTs: number | null;
};

function toRecord({ heldStudyId, heldSubjectId, heldSinceTs, ...row }: Row): EquipmentRecord {
  return {
    ...EQUIPMENT.toRecord(row),
    state: heldSubjectId === null ? 'UNASSIGNED' : 'ASSIGNED',
    heldSinceTs: absent(heldSinceTs),
    ...(heldStudyId !== null &&
      heldSubjectId !== null && { holder: { studyId: heldStudyId, subjectId: heldSubjectId } }),
  };
}

export class EquipmentQueries extends Queries {
  async get(id: string): Promise<EquipmentRecord | undefined> {
    const row = await this.#select().where('equipment.id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND, also when the equipment is of another account than the one given */
  async require(id: string, accountId?: string): Promise<EquipmentRecord> {
    const item = await this.get(id);
    if (!item || (accountId !== undefined && item.accountId !== accountId)) throw notFound('equipment');
    return item;
  }

  /** Those of the serial numbers that are of the account, by serial number. */
  async listOf(accountId: string, ids: readonly string[]): Promise<EquipmentRecord[]> {
    const rows = await this.#select()
      .where('equipment.id', 'in', anyOf(ids))
      .where('equipment.accountId', '=', accountId)
      .orderBy('equipment.id')
      .execute();
    return rows.map(toRecord);
  }

  /** What is registered, in any account, under one of the serial numbers or addresses. Their spellings are compared without separators and case. */
  async registeredAs(serials: readonly string[], addresses: readonly string[]): Promise<EquipmentRecord[]> {
    const rows = await this.#select()
      .where((eb) =>
        eb.or([
          eb(addressKey('equipment.id'), 'in', anyOf(serials.map(addressKeyOf))),
          eb.and([
            eb('equipment.udid', 'is not', null),
            eb(addressKey('equipment.udid'), 'in', anyOf(addresses.map(addressKeyOf))),
          ]),
        ]),
      )
      .execute();
    return rows.map(toRecord);
  }

  /** Display names by serial number; those that are not of the account are absent. */
  async namesOf(accountId: string, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.session.db
      .selectFrom('equipment')
      .select(['id', 'displayName'])
      .where('id', 'in', anyOf(ids))
      .where('accountId', '=', accountId)
      .execute();
    return new Map(rows.map(({ id, displayName }) => [id, displayName]));
  }

  /** The sensor with this address, however it is written. */
  async findByUdid(udid: string): Promise<EquipmentRecord | undefined> {
    const id = await serialOfAddress(this.session, udid);
    return id === undefined ? undefined : await this.get(id);
  }

  /** Equipment of the account by its serial number, however case and separators are written. */
  async findBySerial(accountId: string, serial: string): Promise<EquipmentRecord | undefined> {
    const exact = await this.get(serial);
    if (exact?.accountId === accountId) return exact;
    const row = await this.#select()
      .where('equipment.accountId', '=', accountId)
      .where(addressKey('equipment.id'), '=', addressKeyOf(serial))
      .executeTakeFirst();
    return row && toRecord(row);
  }

  /** All equipment of the account by serial number. */
  async list(accountId: string, keyset?: Keyset): Promise<EquipmentRecord[]> {
    const query = this.#select().where('equipment.accountId', '=', accountId);
    const rows = await inPages(query, ['equipment.id'], { keyset }).execute();
    return rows.map(toRecord);
  }

  /** The equipment whose credential is in use: hubs and phones that send. */
  async paired(accountId: string): Promise<EquipmentRecord[]> {
    const rows = await this.#select()
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('deviceCredential')
            .select('deviceCredential.id')
            .whereRef('deviceCredential.equipmentId', '=', 'equipment.id')
            .where('deviceCredential.revokedTs', 'is', null),
        ),
      )
      .where('equipment.accountId', '=', accountId)
      .execute();
    return rows.map(toRecord);
  }

  /** Everything ever handed out to the subject, by first assignment, then serial; `state` is the present one. */
  async everHeldBy(subjectId: string): Promise<EquipmentRecord[]> {
    const rows = await this.#select()
      .innerJoin(
        (eb) =>
          eb
            .selectFrom('equipmentAssignment')
            .select(({ fn }) => ['equipmentId', fn.min('assignedTs').as('firstTs')])
            .where('subjectId', '=', subjectId)
            .groupBy('equipmentId')
            .as('first'),
        (join) => join.onRef('first.equipmentId', '=', 'equipment.id'),
      )
      .orderBy('first.firstTs')
      .orderBy('equipment.id')
      .execute();
    return rows.map(toRecord);
  }

  /** What the subject holds now, by assignment, then serial. */
  async heldBy(subjectId: string): Promise<EquipmentRecord[]> {
    const rows = await this.#select()
      .where('held.subjectId', '=', subjectId)
      .orderBy('held.assignedTs')
      .orderBy('equipment.id')
      .execute();
    return rows.map(toRecord);
  }

  /** Number of sensors ever handed out, per subject of a study. */
  async countSensorsOfStudy(studyId: string): Promise<Map<string, number>> {
    const rows = await this.session.db
      .selectFrom('equipmentAssignment')
      .innerJoin('equipment', 'equipment.id', 'equipmentAssignment.equipmentId')
      .select(['equipmentAssignment.subjectId', sql<number>`count(DISTINCT equipment.id)`.as('count')])
      .where('equipmentAssignment.studyId', '=', studyId)
      .where('equipment.type', '=', 'SENSOR')
      .groupBy('equipmentAssignment.subjectId')
      .execute();
    return new Map(rows.map((row) => [row.subjectId, row.count]));
  }

  /** Who held it at an instant. */
  async holderAt(id: string, atTs: number): Promise<{ studyId: string; subjectId: string } | undefined> {
    return await this.session.db
      .selectFrom('equipmentAssignment')
      .select(['studyId', 'subjectId'])
      .where('equipmentId', '=', id)
      .where('assignedTs', '<=', atTs)
      .where((eb) => eb.or([eb('unassignedTs', 'is', null), eb('unassignedTs', '>', atTs)]))
      .orderBy('assignedTs', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  /** Who held it when, across all studies, ascending in time. Epoch ms. */
  async holdings(
    id: string,
  ): Promise<{ studyId: string; subjectId: string; assignedTs: number; unassignedTs?: number }[]> {
    const rows = await this.session.db
      .selectFrom('equipmentAssignment')
      .select(['studyId', 'subjectId', 'assignedTs', 'unassignedTs'])
      .where('equipmentId', '=', id)
      .orderBy('assignedTs')
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ ...row, unassignedTs: absent(row.unassignedTs) }));
  }

  /** What the subject held when, ascending in time. Epoch ms. */
  async holdingsOf(
    subjectId: string,
  ): Promise<{ equipmentId: string; assignedTs: number; unassignedTs: number | null }[]> {
    return await this.session.db
      .selectFrom('equipmentAssignment')
      .select(['equipmentId', 'assignedTs', 'unassignedTs'])
      .where('subjectId', '=', subjectId)
      .orderBy('assignedTs')
      .orderBy('id')
      .execute();
  }

  /** Hubs of the account that nobody holds, by serial. */
  async freeHubs(accountId: string): Promise<EquipmentRecord[]> {
    const rows = await this.#select()
      .where('equipment.accountId', '=', accountId)
      .where('equipment.type', '=', 'LINK_HUB')
      .where('held.subjectId', 'is', null)
      .orderBy('equipment.id')
      .execute();
    return rows.map(toRecord);
  }

  /** When hubs and phones last sent a part of a file or told what they hold, by serial. Epoch ms. */
  async lastHeard(accountId: string, ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.session.db
      .selectFrom('equipment')
      .select((eb) => [
        'equipment.id',
        eb
          .selectFrom('deviceManifest')
          .select('deviceManifest.reportedTs')
          .whereRef('deviceManifest.deviceId', '=', 'equipment.id')
          .as('manifestTs'),
        eb
          .selectFrom('deviceUpload')
          .select(({ fn }) => fn.max('deviceUpload.createdTs').as('lastTs'))
          .whereRef('deviceUpload.deviceId', '=', 'equipment.id')
          .where('deviceUpload.accountId', '=', accountId)
          .as('uploadTs'),
      ])
      .where('equipment.id', 'in', anyOf(ids))
      .where('equipment.type', '!=', 'SENSOR')
      .execute();
    return new Map(rows.map(({ id, manifestTs, uploadTs }) => [id, Math.max(manifestTs ?? 0, uploadTs ?? 0)]));
  }

  /** Assignments and returns across all studies, ascending in time. @throws NOT_FOUND */
  async history(id: string): Promise<EquipmentHistoryItem[]> {
    await this.require(id);
    const rows = await this.session.db
      .selectFrom('equipmentAssignment as held')
      .innerJoin('study', 'study.id', 'held.studyId')
      .innerJoin('subject', 'subject.id', 'held.subjectId')
      .select([
        'held.assignedTs',
        'held.unassignedTs',
        'study.id as studyId',
        'study.displayName as studyName',
        'subject.id as subjectId',
        'subject.displayName as subjectName',
      ])
      .where('held.equipmentId', '=', id)
      .orderBy('held.assignedTs')
      .orderBy('held.id')
      .execute();
    const items = rows.flatMap((row) => {
      const who = {
        study: { id: row.studyId, displayName: row.studyName },
        subject: { id: row.subjectId, displayName: row.subjectName },
      };
      const items: EquipmentHistoryItem[] = [{ id, state: 'ASSIGNED', createdTs: row.assignedTs, ...who }];
      if (row.unassignedTs !== null) items.push({ id, state: 'UNASSIGNED', createdTs: row.unassignedTs, ...who });
      return items;
    });
    // The sort is stable: at one instant the return comes before the next assignment.
    return items.sort((a, b) => a.createdTs - b.createdTs);
  }

  /** Contacts of a device within a span, ascending. */
  async contacts(
    id: string,
    fromTs = 0,
    toTs = Number.MAX_SAFE_INTEGER,
  ): Promise<{ contactTs: number; batteryPercent?: number; firmwareId?: string }[]> {
    const rows = await this.session.db
      .selectFrom('deviceContact')
      .select(['contactTs', 'batteryPercent', 'firmwareId'])
      .where('equipmentId', '=', id)
      .where('contactTs', '>=', fromTs)
      .where('contactTs', '<=', toTs)
      .orderBy('contactTs')
      .execute();
    return rows.map(DEVICE_CONTACT.toRecord);
  }

  protected async insert(item: InsertOf<typeof EQUIPMENT>): Promise<void> {
    await this.session.db.insertInto('equipment').values(EQUIPMENT.toRow(item)).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof EQUIPMENT>): Promise<void> {
    await this.session.db.updateTable('equipment').set(EQUIPMENT.toRow(fields)).where('id', '=', id).execute();
  }

  protected async insertAssignment(assignment: {
    equipmentId: string;
    studyId: string;
    subjectId: string;
    assignedTs: number;
  }): Promise<void> {
    await this.session.db
      .insertInto('equipmentAssignment')
      .values({ id: this.session.newId(), ...assignment })
      .execute();
  }

  /** Ends it at its own start where the clock was set back since, so that equipment can be taken back on any clock. */
  protected async endAssignment(equipmentId: string, unassignedTs: number): Promise<void> {
    await this.session.db
      .updateTable('equipmentAssignment')
      .set({ unassignedTs: sql<number>`max(${unassignedTs}, assignedTs)` })
      .where('equipmentId', '=', equipmentId)
      .where('unassignedTs', 'is', null)
      .execute();
  }

  /** Stores a contact; a second one of the same instant replaces the first. */
  protected async putContact(equipmentId: string, contact: DeviceContact): Promise<void> {
    const { contactTs, batteryPercent = null, firmwareId = null } = contact;
    const row = { contactTs, batteryPercent, firmwareId };
    await this.session.db
      .insertInto('deviceContact')
      .values({ equipmentId, ...row })
      .onConflict((conflict) => conflict.doUpdateSet(row))
      .execute();
  }

  #select() {
    return this.session.db
      .selectFrom('equipment')
      .leftJoin('equipmentAssignment as held', (join) =>
        join.onRef('held.equipmentId', '=', 'equipment.id').on('held.unassignedTs', 'is', null),
      )
      .selectAll('equipment')
      .select(['held.studyId as heldStudyId', 'held.subjectId as heldSubjectId', 'held.assignedTs as heldSinceTs']);
  }
}
