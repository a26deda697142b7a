/** Equipment: registering it, handing it out and taking it back, and what it tells of itself. */

import { CLOCK_SLACK_MS } from '../clock-rules.ts';
import {
  type Change,
  type DeviceContact,
  EquipmentQueries,
  type EquipmentRecord,
  isAddress,
  StudyQueries,
  SubjectQueries,
  serialOfAddress,
  tieRecordings,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import type { EquipmentType } from '../study/equipment.ts';
import { requireEdit } from '../study/lifecycle.ts';
import {
  type EquipmentRow,
  judgeEquipment,
  type Registered,
  readEquipmentTable,
} from '../study/row-table/equipment.ts';
import { type JudgedRow, requireWholeTable } from '../study/row-table/outcome.ts';
import { addressKeyOf } from '../study/text.ts';

/** A table of equipment, judged; rows that were registered have an id. */
export interface RegisteredTable {
  columns: { header: string; member?: string }[];
  rows: (JudgedRow<EquipmentRow> & { id?: string })[];
}

export class Equipment extends EquipmentQueries {
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
      const equipment = new Equipment(session);
      const known = await equipment.get(input.id);
      const taken = known?.id ?? (input.udid === undefined ? undefined : await serialOfAddress(session, input.udid));
      if (taken !== undefined)
        throw new OutpostError('CONFLICT', 'Equipment with this serial number or address is registered already.');
      const now = session.clock();
      const item = { ...input, displayName: input.displayName ?? input.id };
      await equipment.insert({ ...item, createdTs: now, modifiedTs: now });
      await session.audit(change, {
        action: 'equipment.register',
        entityType: 'equipment',
        entityId: item.id,
        changes: changesFromNothing(item),
      });
      if (input.udid !== undefined) await tieRecordings(session, { ...input, udid: input.udid });
      return await equipment.require(item.id);
    });
  }

  /**
   * Judges a table of equipment row by row, and changes nothing.
   * @param isOpen whether the caller may see equipment that is registered; of other equipment a row says no more than that
   * @throws INVALID_INPUT when the text is no such table
   */
  async judgeTable(csv: string, isOpen: (item: EquipmentRecord) => boolean): Promise<RegisteredTable> {
    const table = readEquipmentTable(csv);
    const texts = (member: 'id' | 'udid') => table.rows.flatMap(({ cells }) => cells[member]?.normalize('NFKC') ?? []);
    const known = await this.registeredAs(texts('id'), texts('udid').filter(isAddress));
    const bySerial = new Map(known.map((item) => [addressKeyOf(item.id), item]));
    const byAddress = new Map(known.flatMap((item) => (isAddress(item.udid) ? [[addressKeyOf(item.udid), item]] : [])));
    const registeredAs = ({ id, udid }: { id: string; udid?: string }): Registered => {
      const same = bySerial.get(addressKeyOf(id));
      if (same) return isOpen(same) ? 'same' : 'hidden';
      const other = udid === undefined ? undefined : byAddress.get(addressKeyOf(udid));
      return other && (isOpen(other) ? 'address' : 'hidden');
    };
    return { columns: table.columns, rows: judgeEquipment(table, registeredAs) };
  }

  /**
   * Registers every new row of a table of equipment, or none. Rows of registered serial numbers stay as they are.
   * @throws INVALID_INPUT when the text is no such table, or with the rows that cannot be registered
   */
  async registerTable(
    accountId: string,
    csv: string,
    isOpen: (item: EquipmentRecord) => boolean,
    change: Change,
  ): Promise<RegisteredTable> {
    return await this.session.write(async (session) => {
      const equipment = new Equipment(session);
      const { columns, rows } = await equipment.judgeTable(csv, isOpen);
      requireWholeTable(rows);
      for (const { input } of rows) if (input) await equipment.register({ accountId, ...input }, change);
      return { columns, rows: rows.map((row) => (row.input ? { ...row, id: row.input.id } : row)) };
    });
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
      const subject = await new SubjectQueries(session).require(to.subjectId, to.studyId);
      requireEdit((await new StudyQueries(session).require(to.studyId)).lifecycleState, 'add-data');
      if (item.holder?.subjectId === subject.id) return item;
      // The holder may be in a study that the caller must not see, so this sentence names nobody; the API adds the name.
      if (item.holder) {
        throw new OutpostError('CONFLICT', `Another subject holds ${item.displayName}. Take it back first.`);
      }
      await equipment.insertAssignment({
        equipmentId: id,
        studyId: to.studyId,
        subjectId: to.subjectId,
        assignedTs: to.atTs ?? session.clock(),
      });
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
      await equipment.endAssignment(id, from.atTs ?? session.clock());
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

  /**
   * Recordings of a new address are then linked to this equipment.
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
      await equipment.patch(id, { ...fields, modifiedTs: session.clock() });
      await session.audit(change, { action: 'equipment.update', entityType: 'equipment', entityId: id, changes });
      if (fields.udid !== undefined) await tieRecordings(session, { ...old, udid: fields.udid });
      return await equipment.require(id);
    });
  }

  /** Adds the address found in a sensor's file to a sensor that was registered without one; otherwise changes nothing. */
  async learnAddress(id: string, udid: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const equipment = new Equipment(session);
      const item = await equipment.get(id);
      if (item?.type !== 'SENSOR' || item.udid !== undefined || !isAddress(udid)) return;
      if ((await serialOfAddress(session, udid)) !== undefined) return;
      await equipment.update(id, { udid }, change);
    });
  }

  /** Stores that a device was heard from. Routine, so there is no audit row. @throws NOT_FOUND */
  async recordContact(id: string, contact: DeviceContact): Promise<void> {
    await this.session.write(async (session) => {
      const equipment = new Equipment(session);
      const item = await equipment.require(id);
      await equipment.putContact(id, contact);
      // A last contact in the future was stored while the clock was ahead, and would hide every one until then.
      const lastTs = item.lastContactTs ?? 0;
      if (contact.contactTs < lastTs && lastTs <= session.clock() + CLOCK_SLACK_MS) return;
      const { contactTs, batteryPercent, firmwareId } = contact;
      await equipment.patch(id, { lastContactTs: contactTs, batteryPercent, firmwareId });
      session.announce({ action: 'equipment.contact', entityType: 'equipment', entityId: id, ...item.holder });
    });
  }
}
