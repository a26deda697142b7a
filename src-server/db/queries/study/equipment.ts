import { type Selectable, sql } from 'kysely';
import { CLOCK_SLACK_MS } from '../../../clock-rules.ts';
import { OutpostError } from '../../../errors.ts';
import { requireEdit } from '../../../study/lifecycle.ts';
import type { Tables } from '../../schema.ts';
import { type Change, changesBetween, changesFromNothing } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, notFound } from '../shared.ts';
import { isAddress, serialOfAddress, tieRecordings } from './sensor-match.ts';
import { Studies } from './studies.ts';
import { Subjects } from './subjects.ts';

export type EquipmentType = 'LINK_HUB' | 'LINK_PHONE' | 'SENSOR';
export type EquipmentState = 'ASSIGNED' | 'UNASSIGNED';

export interface EquipmentRecord {
  /** Serial number. */
  id: string;
  accountId: string;
  type: EquipmentType;
  state: EquipmentState;
  displayName: string;
  /** MAC address of a sensor. */
  udid?: string;
  hardwareId?: string;
  firmwareId?: string;
  lastContactTs?: number;
  batteryPercent?: number;
  createdTs: number;
  modifiedTs: number;
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

function toRecord(row: Row): EquipmentRecord {
  const { heldStudyId, heldSubjectId, ...rest } = row;
  return {
    ...rest,
    type: row.type as EquipmentType,
    state: heldSubjectId === null ? 'UNASSIGNED' : 'ASSIGNED',
    udid: absent(row.udid),
    hardwareId: absent(row.hardwareId),
    firmwareId: absent(row.firmwareId),
    lastContactTs: absent(row.lastContactTs),
    batteryPercent: absent(row.batteryPercent),
    heldSinceTs: absent(row.heldSinceTs),
    ...(heldStudyId !== null &&
      heldSubjectId !== null && { holder: { studyId: heldStudyId, subjectId: heldSubjectId } }),
  };
}

export class Equipment extends Queries {
  /** @throws CONFLICT when the serial number or the udid is registered already */
  async register(
    input: {
      accountId: string;
      id: string;
      type: EquipmentType;
      displayName?: string;
      udid?: string;
      hardwareId?: string;
      firmwareId?: string;
    },
    change: Change,
  ): Promise<EquipmentRecord> {
    return await this.session.write(async (session) => {
      const known = await new Equipment(session).get(input.id);
      const taken = known?.id ?? (input.udid === undefined ? undefined : await serialOfAddress(session, input.udid));
      if (taken !== undefined)
        throw new OutpostError('CONFLICT', 'Equipment with this serial number or address is registered already.');
      const now = session.clock();
      const item = {
        ...input,
        displayName: input.displayName ?? input.id,
        udid: input.udid ?? null,
        hardwareId: input.hardwareId ?? null,
        firmwareId: input.firmwareId ?? null,
      };
      await session.db
        .insertInto('equipment')
        .values({ ...item, lastContactTs: null, batteryPercent: null, createdTs: now, modifiedTs: now })
        .execute();
      await session.audit(change, {
        action: 'equipment.register',
        entityType: 'equipment',
        entityId: item.id,
        changes: changesFromNothing(item),
      });
      if (input.udid !== undefined) await tieRecordings(session, { ...input, udid: input.udid });
      return await new Equipment(session).require(item.id);
    });
  }

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

  /** The sensor with this address, however it is written. */
  async findByUdid(udid: string): Promise<EquipmentRecord | undefined> {
    const id = await serialOfAddress(this.session, udid);
    return id === undefined ? undefined : await this.get(id);
  }

  /** All equipment of the account by serial number. */
  async list(accountId: string): Promise<EquipmentRecord[]> {
    const rows = await this.#select().where('equipment.accountId', '=', accountId).orderBy('equipment.id').execute();
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

  /**
   * Hands equipment out. Handing it to its present holder again changes nothing.
   * @throws NOT_FOUND, STUDY_STATE, CONFLICT when another subject holds it
   */
  async assign(
    id: string,
    to: { studyId: string; subjectId: string; atTs?: number },
    change: Change,
  ): Promise<EquipmentRecord> {
    return await this.session.write(async (session) => {
      const equipment = new Equipment(session);
      const item = await equipment.require(id);
      const subject = await new Subjects(session).require(to.subjectId, to.studyId);
      requireEdit((await new Studies(session).require(to.studyId)).lifecycleState, 'add-data');
      if (item.holder?.subjectId === subject.id) return item;
      // The holder may be in a study that the caller must not see, so only the API names whom it may.
      if (item.holder) {
        throw new OutpostError('CONFLICT', `Another subject holds ${item.displayName}. Take it back first.`);
      }
      await session.db
        .insertInto('equipmentAssignment')
        .values({
          id: session.newId(),
          equipmentId: id,
          studyId: to.studyId,
          subjectId: to.subjectId,
          assignedTs: to.atTs ?? session.clock(),
          unassignedTs: null,
        })
        .execute();
      await session.audit(change, {
        action: 'equipment.assign',
        entityType: 'equipment',
        entityId: id,
        studyId: to.studyId,
        subjectId: to.subjectId,
        changes: { holder: { old: null, new: to.subjectId } },
      });
      return await equipment.require(id);
    });
  }

  /** Takes equipment back. @throws NOT_FOUND, CONFLICT when the given subject does not hold it */
  async unassign(id: string, from: { subjectId: string; atTs?: number }, change: Change): Promise<EquipmentRecord> {
    return await this.session.write(async (session) => {
      const equipment = new Equipment(session);
      const item = await equipment.require(id);
      if (item.holder?.subjectId !== from.subjectId) {
        throw new OutpostError('CONFLICT', `The subject does not hold ${item.displayName} now.`);
      }
      await session.db
        .updateTable('equipmentAssignment')
        .set({ unassignedTs: from.atTs ?? session.clock() })
        .where('equipmentId', '=', id)
        .where('unassignedTs', 'is', null)
        .execute();
      await session.audit(change, {
        action: 'equipment.unassign',
        entityType: 'equipment',
        entityId: id,
        studyId: item.holder.studyId,
        subjectId: from.subjectId,
        changes: { holder: { old: from.subjectId, new: null } },
      });
      return await equipment.require(id);
    });
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

  /** When hubs and phones last sent a part of a file or told what they hold, by serial. Epoch ms. */
  async lastHeard(accountId: string): Promise<Map<string, number>> {
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
      .where('equipment.accountId', '=', accountId)
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

  /**
   * Recordings of a new address become those of this equipment.
   * @throws NOT_FOUND, CONFLICT when other equipment has the address
   */
  async update(
    id: string,
    fields: { displayName?: string; hardwareId?: string; firmwareId?: string; udid?: string },
    change: Change,
  ): Promise<EquipmentRecord> {
    return await this.session.write(async (session) => {
      const equipment = new Equipment(session);
      const old = await equipment.require(id);
      const changes = changesBetween({ ...old }, { ...fields });
      if (Object.keys(changes).length === 0) return old;
      if (fields.udid !== undefined) {
        const taken = await serialOfAddress(session, fields.udid);
        if (taken !== undefined && taken !== id)
          throw new OutpostError('CONFLICT', `Equipment with this address is registered already, as ${taken}.`);
      }
      await session.db
        .updateTable('equipment')
        .set({ ...fields, modifiedTs: session.clock() })
        .where('id', '=', id)
        .execute();
      await session.audit(change, { action: 'equipment.update', entityType: 'equipment', entityId: id, changes });
      if (fields.udid !== undefined) await tieRecordings(session, { ...old, udid: fields.udid });
      return await equipment.require(id);
    });
  }

  /** Completes a sensor that was registered without its address from a file that came from it; else changes nothing. */
  async learnAddress(id: string, udid: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const item = await new Equipment(session).get(id);
      if (item?.type !== 'SENSOR' || item.udid !== undefined || !isAddress(udid)) return;
      if ((await serialOfAddress(session, udid)) !== undefined) return;
      await new Equipment(session).update(id, { udid }, change);
    });
  }

  /** Notes that a device was heard from. Routine, so it is no audit row. @throws NOT_FOUND */
  async recordContact(
    id: string,
    contact: { contactTs: number; batteryPercent?: number; firmwareId?: string },
  ): Promise<void> {
    await this.session.write(async (session) => {
      const item = await new Equipment(session).require(id);
      const row = {
        contactTs: contact.contactTs,
        batteryPercent: contact.batteryPercent ?? null,
        firmwareId: contact.firmwareId ?? null,
      };
      await session.db
        .insertInto('deviceContact')
        .values({ equipmentId: id, ...row })
        .onConflict((conflict) => conflict.doUpdateSet(row))
        .execute();
      // A last contact in the future was noted while the clock was ahead, and would hide every one until then.
      const lastTs = item.lastContactTs ?? 0;
      if (contact.contactTs < lastTs && lastTs <= session.clock() + CLOCK_SLACK_MS) return;
      await session.db
        .updateTable('equipment')
        .set({
          lastContactTs: contact.contactTs,
          ...(contact.batteryPercent !== undefined && { batteryPercent: contact.batteryPercent }),
          ...(contact.firmwareId !== undefined && { firmwareId: contact.firmwareId }),
        })
        .where('id', '=', id)
        .execute();
      session.announce({ action: 'equipment.contact', entityType: 'equipment', entityId: id, ...item.holder });
    });
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
    return rows.map((row) => ({
      contactTs: row.contactTs,
      batteryPercent: absent(row.batteryPercent),
      firmwareId: absent(row.firmwareId),
    }));
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
