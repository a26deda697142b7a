import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { diagnostic } from '../../../diagnostics.ts';
import { OutpostError } from '../../../errors.ts';
import { changesFromNothing } from '../../../study/changes.ts';
import { hashToken } from '../../credentials.ts';
import type { Tables } from '../../schema.ts';
import type { Change } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, notFound } from '../shared.ts';
import { Pairings } from './pairings.ts';

export type DeviceKind = 'HUB' | 'PHONE';

/** Who a calling hub or phone is, by its credential. */
export interface DeviceIdentity {
  credentialId: string;
  accountId: string;
  kind: DeviceKind;
  serial: string;
  /** Its entry among the equipment; null for a phone of the subject's own. */
  equipmentId: string | null;
  /** Whose it is now: of a phone that signed in for a subject, or of equipment that a subject holds. */
  studyId: string | null;
  subjectId: string | null;
}

/** A credential of a hub or phone. */
export interface DeviceRecord {
  id: string;
  accountId: string;
  kind: DeviceKind;
  serial: string;
  equipmentId?: string;
  /** Of a phone that signed in for this subject; of equipment see its holder. */
  studyId?: string;
  subjectId?: string;
  createdTs: number;
  firstUsedTs?: number;
  revokedTs?: number;
  revokedReason?: string;
  lastAddress?: string;
  /** Its last call of any kind, noted about once a minute. */
  lastContactTs?: number;
  /** Of a subject's own phone; those of equipment are with the equipment. */
  batteryPercent?: number;
  firmwareId?: string;
}

/** Every call is a contact; so often one of them is written down. */
const NOTE_CONTACT_EVERY_MS = 60_000;

function toRecord({ tokenHash: _, ...row }: Selectable<Tables['deviceCredential']>): DeviceRecord {
  return {
    ...row,
    kind: row.kind as DeviceKind,
    equipmentId: absent(row.equipmentId),
    studyId: absent(row.studyId),
    subjectId: absent(row.subjectId),
    firstUsedTs: absent(row.firstUsedTs),
    revokedTs: absent(row.revokedTs),
    revokedReason: absent(row.revokedReason),
    lastAddress: absent(row.lastAddress),
    lastContactTs: absent(row.lastContactTs),
    batteryPercent: absent(row.batteryPercent),
    firmwareId: absent(row.firmwareId),
  };
}

/** The refusal of a credential that was revoked; a subject's own phone has no equipment. */
export function deviceRevoked(device: {
  credentialId: string;
  serial: string;
  kind: DeviceKind;
  equipmentId?: string | null;
}): OutpostError {
  const { credentialId, serial, kind, equipmentId } = device;
  const isOwnPhone = kind === 'PHONE' && (equipmentId ?? null) === null;
  return new OutpostError(
    'DEVICE_REVOKED',
    isOwnPhone
      ? 'This phone was signed out, or it signed in again since. What it holds is not lost: sign in again to continue.'
      : 'This device was removed from the site. What it holds is not lost: pair it again to go on.',
    { details: { credentialId, serial } },
  );
}

/** Credentials of hubs and phones. */
export class Devices extends Queries {
  /** A new credential; its secret (base64url) is shown this once. */
  async add(
    input: {
      accountId: string;
      kind: DeviceKind;
      serial: string;
      equipmentId?: string;
      subject?: { studyId: string; subjectId: string };
    },
    change: Change,
  ): Promise<{ device: DeviceRecord; secret: string }> {
    return await this.session.write(async (session) => {
      const secret = randomBytes(32).toString('base64url');
      const { accountId, kind, serial, subject } = input;
      const row = {
        id: session.newId(),
        accountId,
        kind,
        serial,
        equipmentId: input.equipmentId ?? null,
        studyId: subject?.studyId ?? null,
        subjectId: subject?.subjectId ?? null,
      };
      await session.db
        .insertInto('deviceCredential')
        .values({
          ...row,
          tokenHash: hashToken(secret),
          createdTs: session.clock(),
          firstUsedTs: null,
          revokedTs: null,
          revokedReason: null,
          lastAddress: null,
          // A subject's own phone gets its credential in the call that makes it; equipment collects it later.
          lastContactTs: subject ? session.clock() : null,
          batteryPercent: null,
          firmwareId: null,
        })
        .execute();
      await session.audit(change, {
        action: 'device.add',
        entityType: 'device',
        entityId: row.id,
        ...subject,
        changes: changesFromNothing(row),
      });
      return { device: await new Devices(session).require(row.id), secret };
    });
  }

  async get(id: string): Promise<DeviceRecord | undefined> {
    const row = await this.session.db
      .selectFrom('deviceCredential')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND, also when the device is of another account than the one given */
  async require(id: string, accountId?: string): Promise<DeviceRecord> {
    const device = await this.get(id);
    if (!device || (accountId !== undefined && device.accountId !== accountId)) throw notFound('device');
    return device;
  }

  /** Credentials of the account that were not revoked, oldest first. */
  async list(accountId: string): Promise<DeviceRecord[]> {
    const rows = await this.session.db
      .selectFrom('deviceCredential')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('revokedTs', 'is', null)
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** Credentials of the account, revoked ones too, oldest first. */
  async listAll(accountId: string): Promise<DeviceRecord[]> {
    const rows = await this.session.db
      .selectFrom('deviceCredential')
      .selectAll()
      .where('accountId', '=', accountId)
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** Whose credential it is, when the secret is right; revoked ones too. */
  async authenticate(id: string, secret: string) {
    const row = await this.session.db
      .selectFrom('deviceCredential as device')
      .leftJoin('equipmentAssignment as held', (join) =>
        join.onRef('held.equipmentId', '=', 'device.equipmentId').on('held.unassignedTs', 'is', null),
      )
      .select(['device.accountId', 'device.kind', 'device.serial', 'device.equipmentId'])
      .select(['device.studyId', 'device.subjectId', 'device.revokedTs', 'device.firstUsedTs'])
      .select('device.lastContactTs')
      .select(['held.studyId as heldStudyId', 'held.subjectId as heldSubjectId'])
      .where('device.id', '=', id)
      .where('device.tokenHash', '=', hashToken(secret))
      .executeTakeFirst();
    return (
      row && {
        identity: {
          credentialId: id,
          accountId: row.accountId,
          kind: row.kind as DeviceKind,
          serial: row.serial,
          equipmentId: row.equipmentId,
          studyId: row.studyId ?? row.heldStudyId,
          subjectId: row.subjectId ?? row.heldSubjectId,
        },
        revokedTs: absent(row.revokedTs),
        firstUsedTs: absent(row.firstUsedTs),
        // The difference may be negative after the clock was set back.
        isContactDue: Math.abs(this.session.clock() - (row.lastContactTs ?? 0)) >= NOTE_CONTACT_EVERY_MS,
      }
    );
  }

  /**
   * The device has its credential: its pairing is complete, and older credentials of the same equipment end.
   * @throws DEVICE_REVOKED when it was revoked since it was looked up; older ones stay then
   */
  async recordFirstUse(id: string): Promise<void> {
    await this.session.write(async (session) => {
      const devices = new Devices(session);
      const device = await devices.require(id);
      if (device.revokedTs !== undefined) throw deviceRevoked({ ...device, credentialId: id });
      if (device.firstUsedTs !== undefined) return;
      const now = session.clock();
      await session.db.updateTable('deviceCredential').set({ firstUsedTs: now }).where('id', '=', id).execute();
      const change: Change = { actor: { type: 'DEVICE', id } };
      const pairing = await session.db
        .updateTable('pairing')
        .set({ pendingToken: null })
        .where('credentialId', '=', id)
        .where('state', '=', 'CONFIRMED')
        .returning('id')
        .executeTakeFirst();
      if (pairing)
        await new Pairings(session).update(pairing.id, { state: 'COMPLETE', endedTs: now }, 'pairing.complete', change);
      await session.audit(change, {
        action: 'device.first-use',
        entityType: 'device',
        entityId: id,
        changes: { firstUsedTs: { new: now } },
      });
      if (device.equipmentId === undefined) return;
      const older = await session.db
        .selectFrom('deviceCredential')
        .select('id')
        .where('equipmentId', '=', device.equipmentId)
        .where('id', '!=', id)
        .where('createdTs', '<=', device.createdTs)
        .where('revokedTs', 'is', null)
        .execute();
      for (const row of older) await devices.revoke(row.id, { ...change, reason: diagnostic('PAIRED_AGAIN').message });
    });
  }

  /** Ends a credential at once; a second time changes nothing. @throws NOT_FOUND */
  async revoke(id: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const device = await new Devices(session).require(id);
      if (device.revokedTs !== undefined) return;
      const now = session.clock();
      await session.db
        .updateTable('deviceCredential')
        .set({ revokedTs: now, revokedReason: change.reason ?? null })
        .where('id', '=', id)
        .execute();
      await session.audit(change, {
        action: 'device.revoke',
        entityType: 'device',
        entityId: id,
        studyId: device.studyId,
        subjectId: device.subjectId,
        changes: { revokedTs: { new: now } },
      });
    });
  }

  /** Writes into the audit that the key which devices pin is to be replaced, or is not. */
  async noteKeyChange(pins: { next: string | null; fromTs?: number }, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const changes = { ...changesFromNothing(pins), ...(pins.next === null && { next: { new: null } }) };
      await session.audit(change, { action: 'lan.key', entityType: 'setting', entityId: 'lan.key', changes });
    });
  }

  /**
   * Notes that the device called, from where, and what it says of itself; equipment was heard of with it. Routine, so it is no
   * audit row.
   * @param contact.contactTs when the call began; default: now
   * @throws NOT_FOUND
   */
  async recordContact(
    id: string,
    {
      address,
      contactTs,
      ...said
    }: { address: string; contactTs?: number; batteryPercent?: number; firmwareId?: string },
  ): Promise<void> {
    await this.session.write(async (session) => {
      const { equipmentId, studyId, subjectId } = await new Devices(session).require(id);
      const now = contactTs ?? session.clock();
      await session.db
        .updateTable('deviceCredential')
        .set({ lastContactTs: now, lastAddress: address, ...said })
        .where('id', '=', id)
        .execute();
      if (equipmentId !== undefined) {
        await session.db
          .updateTable('equipment')
          .set({ lastContactTs: now })
          .where('id', '=', equipmentId)
          .where((eb) => eb.or([eb('lastContactTs', 'is', null), eb('lastContactTs', '<', now)]))
          .execute();
        session.announce({ action: 'equipment.contact', entityType: 'equipment', entityId: equipmentId });
      }
      session.announce({ action: 'device.contact', entityType: 'device', entityId: id, studyId, subjectId });
    });
  }
}
