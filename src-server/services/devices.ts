/** Credentials of hubs and phones: issuing, first use, revoking, and the contacts of their devices. */
import { randomBytes } from 'node:crypto';
import { type Change, DeviceQueries, type DeviceRecord, deviceRevoked, hashToken } from '../db/index.ts';
import { diagnostic } from '../diagnostics.ts';
import { changesFromNothing } from '../study/changes.ts';
import type { DeviceKind } from '../study/equipment.ts';
import { Pairings } from './pairings.ts';

export class Devices extends DeviceQueries {
  /** Returns a new credential with its secret (base64url), which is not shown again. */
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
        equipmentId: input.equipmentId,
        ...subject,
      };
      const devices = new Devices(session);
      await devices.insert({
        ...row,
        tokenHash: hashToken(secret),
        createdTs: session.clock(),
        // A subject's own phone receives its credential in this very call; equipment collects it later.
        lastContactTs: subject ? session.clock() : null,
      });
      await session.audit(change, {
        action: 'device.add',
        entityType: 'device',
        entityId: row.id,
        ...subject,
        changes: changesFromNothing(row),
      });
      return { device: await devices.require(row.id), secret };
    });
  }

  /**
   * Stores that the device called with its credential for the first time: completes its pairing and revokes older credentials of
   * the same equipment.
   * @throws DEVICE_REVOKED when it was revoked since it was looked up; older ones stay valid then
   */
  async recordFirstUse(id: string): Promise<void> {
    await this.session.write(async (session) => {
      const devices = new Devices(session);
      const device = await devices.require(id);
      if (device.revokedTs !== undefined) throw deviceRevoked({ ...device, credentialId: id });
      if (device.firstUsedTs !== undefined) return;
      const now = session.clock();
      await devices.patch(id, { firstUsedTs: now });
      const change: Change = { actor: { type: 'DEVICE', id } };
      await new Pairings(session).complete(id, now, change);
      await session.audit(change, {
        action: 'device.first-use',
        entityType: 'device',
        entityId: id,
        changes: { firstUsedTs: { new: now } },
      });
      const { equipmentId, createdTs } = device;
      if (equipmentId === undefined) return;
      for (const olderId of await devices.olderOfEquipment({ id, equipmentId, createdTs }))
        await devices.revoke(olderId, { ...change, reason: diagnostic('PAIRED_AGAIN').message });
    });
  }

  /** Revokes a credential; a second time changes nothing. @throws NOT_FOUND */
  async revoke(id: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const devices = new Devices(session);
      const device = await devices.require(id);
      if (device.revokedTs !== undefined) return;
      const now = session.clock();
      await devices.patch(id, { revokedTs: now, revokedReason: change.reason ?? null });
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

  /** Audits that the key which devices pin will be replaced, or that the replacement was called off. */
  async noteKeyChange(pins: { next: string | null; fromTs?: number }, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const changes = { ...changesFromNothing(pins), ...(pins.next === null && { next: { new: null } }) };
      await session.audit(change, { action: 'lan.key', entityType: 'setting', entityId: 'lan.key', changes });
    });
  }

  /**
   * Stores that the device called, from where, and what it reports of itself; its equipment was in contact too. Routine, so there
   * is no audit row.
   * @param contact.contactTs when the call began; default: now
   * @throws NOT_FOUND
   */
  async recordContact(
    id: string,
    {
      address,
      contactTs,
      ...reported
    }: {
      address: string;
      contactTs?: number;
      webHost?: string;
      batteryPercent?: number;
      firmwareId?: string;
      language?: string;
    },
  ): Promise<void> {
    await this.session.write(async (session) => {
      const devices = new Devices(session);
      const { equipmentId, studyId, subjectId } = await devices.require(id);
      const lastContactTs = contactTs ?? session.clock();
      await devices.patch(id, { lastContactTs, lastAddress: address, ...reported });
      if (equipmentId !== undefined) {
        await devices.raiseEquipmentContact(equipmentId, lastContactTs);
        session.announce({ action: 'equipment.contact', entityType: 'equipment', entityId: equipmentId });
      }
      session.announce({ action: 'device.contact', entityType: 'device', entityId: id, studyId, subjectId });
    });
  }
}
