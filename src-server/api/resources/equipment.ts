/** Sensors, phones and charging stations of an account and of a subject. */

import type { EquipmentRecord, FaultRecord } from '../../db/index.ts';
import type { Equipment, HeldDevice, Recording } from '../contract/index.ts';
import type { equipmentRoutes } from '../contract/resources/equipment.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import { notFound } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';

export function toFault(fault: FaultRecord): Recording['faults'][number] {
  const { createdTs, faultTs, faultFlag, faultType, mobileAppVersion, sensorFirmwareId, sensorId } = fault;
  return { createdTs, faultTs, faultFlag, faultType, mobileAppVersion, sensorFirmwareId, sensorId };
}

function toEquipment(item: EquipmentRecord, faults: readonly FaultRecord[]): Equipment {
  return {
    id: item.id,
    type: item.type,
    state: item.state,
    displayName: item.displayName,
    ...(item.udid === undefined ? {} : { udid: item.udid }),
    faults: faults.map(toFault),
  };
}

/** An element of `Subject.devices`. */
export function toHeldDevice(item: EquipmentRecord): HeldDevice {
  return {
    id: item.id,
    type: item.type,
    state: item.state,
    displayName: item.displayName,
    ...(item.udid === undefined ? {} : { udid: item.udid }),
    ...(item.lastContactTs === undefined ? {} : { lastContactTs: item.lastContactTs }),
    ...(item.batteryPercent === undefined ? {} : { batteryPercent: item.batteryPercent }),
  };
}

export function equipmentHandlers(deps: ApiDeps): Handlers<typeof equipmentRoutes> {
  const { equipment, faults } = deps.store;
  /** Serial numbers of other accounts are not found. */
  const requireOwn = async (equipmentId: string, accountId: string): Promise<void> => {
    if ((await equipment.get(equipmentId))?.accountId !== accountId) throw notFound('equipment');
  };
  return {
    listEquipment: async ({ params }) => {
      const held = await equipment.everHeldBy(params.subjectId);
      const byDevice = Map.groupBy(await faults.listForSubject(params.subjectId), (fault) => fault.equipmentId);
      const items = held.map((item) => toEquipment(item, byDevice.get(item.id) ?? []));
      return { items, size: items.length };
    },
    listAccountEquipment: async ({ params }) => {
      const items = (await equipment.list(params.accountId)).map((item) => toEquipment(item, []));
      return { items, size: items.length };
    },
    registerEquipment: async ({ params, body, caller }) => {
      const { id } = await equipment.register({ accountId: params.accountId, ...body }, changeBy(caller));
      return {
        id,
        links: [{ href: `/v1/accounts/${params.accountId}/equipment/${encodeURIComponent(id)}`, rel: 'self' }],
      };
    },
    getAccountEquipment: async ({ params }) => {
      const item = await equipment.get(params.equipmentId);
      if (item?.accountId !== params.accountId) throw notFound('equipment');
      return toEquipment(item, []);
    },
    assignEquipment: async ({ params, caller }) => {
      await requireOwn(params.equipmentId, caller.user.accountId);
      await equipment.assign(
        params.equipmentId,
        { studyId: params.studyId, subjectId: params.subjectId },
        changeBy(caller),
      );
    },
    unassignEquipment: async ({ params, caller }) => {
      await requireOwn(params.equipmentId, caller.user.accountId);
      await equipment.unassign(params.equipmentId, { subjectId: params.subjectId }, changeBy(caller));
    },
  };
}
