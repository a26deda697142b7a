/** Sensors, phones and charging stations of an account and of a subject. */

import { type EquipmentRecord, type FaultRecord, isFaultOf, serialsByAddress } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { Store } from '../../services/index.ts';
import type { Equipment, HeldDevice, Recording } from '../contract/index.ts';
import type { equipmentRoutes } from '../contract/resources/equipment.ts';
import type { ApiDeps } from '../deps.ts';
import { type Caller, changeBy } from '../framework/authenticate.ts';
import { allowedPlaces, inAllowedPlaces, readableStudies } from '../framework/authorize.ts';
import { invalidField, notFound } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';
import { Places } from '../framework/places.ts';

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
    faults: faults.filter((fault) => isFaultOf(fault, item)).map(toFault),
  };
}

/** Returns an element of `SubjectDetail.devices`. */
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
  const { equipment, faults, recordings, subjects } = deps.store;
  return {
    listEquipment: async ({ params }) => {
      const found = await faults.listForSubject(params.subjectId);
      const items = (await equipment.everHeldBy(params.subjectId)).map((item) => toEquipment(item, found));
      return { items, size: items.length };
    },
    getSensorName: async ({ params, scope }) => {
      const { subjectId, udid } = params;
      const address = udid.toLowerCase();
      const held = (await equipment.everHeldBy(subjectId)).find((item) => item.udid?.toLowerCase() === address);
      if (held) return { items: [{ id: held.id, displayName: held.displayName, udid: held.udid! }], size: 1 };
      const [recording] = await recordings.listForSubject(subjectId, { udid });
      if (!recording) throw notFound('sensor of this subject');
      const known = await equipment.findByUdid(recording.udid);
      const own = known?.accountId === scope.study.accountId ? known : undefined;
      const name = own ? { id: own.id, displayName: own.displayName } : { displayName: recording.udid };
      return { items: [{ ...name, udid: recording.udid }], size: 1 };
    },
    getFaultStats: async ({ params }) => {
      const counts = await faults.countByStudy(params.studyId);
      const items = (await subjects.list(params.studyId))
        .filter((subject) => !subject.isTest)
        .map(({ id }) => ({ subjectId: id, countFaults: counts.get(id) ?? 0 }));
      return { items, size: items.length };
    },
    listAccountEquipment: async ({ params, caller }) => {
      const found = await faults.listForStudies(await readableStudyIds(deps, caller));
      const all = await equipment.list(params.accountId);
      const serialOf = serialsByAddress(all);
      const byDevice = Map.groupBy(found, (fault) => fault.equipmentId ?? serialOf(fault.sensorId));
      const open = await inAllowedPlaces(deps, caller, 'equipment.read', all, (item, places) =>
        places.ofEquipment(item),
      );
      const items = open.map((item) => toEquipment(item, byDevice.get(item.id) ?? []));
      return { items, size: items.length };
    },
    getEquipmentHistory: async ({ params, caller }) => {
      const readable = new Set(await readableStudyIds(deps, caller));
      const items = (await equipment.history(params.equipmentId))
        .filter(({ study }) => readable.has(study.id))
        .map(({ createdTs, id, state, study, subject }) => ({
          createdTs,
          id,
          state,
          study: { displayName: study.displayName, id: study.id },
          subject: { displayName: subject.displayName, id: subject.id },
        }));
      return { items, size: items.length };
    },
    registerEquipment: async ({ params, body, caller }) => {
      await requireUnregistered(deps, caller, body);
      const { id } = await equipment.register({ accountId: params.accountId, ...body }, changeBy(caller));
      return {
        id,
        links: [{ href: `/v1/accounts/${params.accountId}/equipment/${encodeURIComponent(id)}`, rel: 'self' }],
      };
    },
    getAccountEquipment: async ({ caller, scope }) =>
      toEquipment(scope.equipment, await faults.listOfEquipment(await readableStudyIds(deps, caller), scope.equipment)),
    updateEquipment: async ({ params, body, caller, scope }) => {
      if (body.udid !== undefined && scope.equipment.type !== 'SENSOR')
        throw invalidField('udid', 'must be omitted: only sensors have a MAC address');
      await equipment.update(params.equipmentId, body, changeBy(caller));
    },
    assignEquipment: async ({ params, caller, scope }) => {
      await requireFree(deps.store, scope.equipment, params.subjectId);
      await equipment.assign(
        params.equipmentId,
        { studyId: params.studyId, subjectId: params.subjectId },
        changeBy(caller),
      );
    },
    unassignEquipment: async ({ params, caller }) => {
      await equipment.unassign(params.equipmentId, { subjectId: params.subjectId }, changeBy(caller));
    },
  };
}

/** @throws CONFLICT naming the holder, whom the caller may see after authorization */
async function requireFree(
  { subjects }: Store,
  { holder, displayName }: EquipmentRecord,
  subjectId: string,
): Promise<void> {
  if (!holder || holder.subjectId === subjectId) return;
  const other = await subjects.require(holder.subjectId);
  throw new OutpostError('CONFLICT', `${other.displayName} holds ${displayName}. Return it first.`);
}

/** @throws CONFLICT when the serial number or address is in use, naming the equipment only if the caller may see it */
async function requireUnregistered(
  deps: ApiDeps,
  caller: Caller,
  { id, udid }: { id: string; udid?: string },
): Promise<void> {
  const { equipment } = deps.store;
  const taken = (await equipment.get(id)) ?? (udid === undefined ? undefined : await equipment.findByUdid(udid));
  if (!taken) return;
  const isOwn = taken.accountId === caller.user.accountId;
  const isOpen =
    isOwn && (await allowedPlaces(deps, caller, 'equipment.read'))(new Places(deps.store).ofEquipment(taken));
  throw new OutpostError(
    'CONFLICT',
    isOpen
      ? `Equipment with this serial number or address is registered already, as ${taken.id}.`
      : 'Equipment with this serial number or address is registered already, in a study that you are not a member of. Check the number, or ask an administrator.',
  );
}

async function readableStudyIds(deps: ApiDeps, caller: Caller): Promise<string[]> {
  return (await readableStudies(deps, caller)).map(({ id }) => id);
}
