/** Paired hubs and phones: their state, names and credentials. */
import type { DeviceRecord, EquipmentRecord } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import type { Device } from '../../contract/index.ts';
import type { pairingRoutes } from '../../contract/resources/pairings.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Caller, changeBy } from '../../framework/authenticate.ts';
import { inAllowedPlaces, readableStudies } from '../../framework/authorize.ts';
import { notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type PagedList, readListPage } from '../../framework/paging.ts';

const DEVICE_PAGES: PagedList<DeviceRecord> = {
  name: 'devices',
  key: ['number', 'string'],
  keyOf: ({ createdTs, id }) => [createdTs, id],
};

type DeviceRoute = 'listDevices' | 'getDevice' | 'renameDevice' | 'revokeDevice';

export function pairedDeviceHandlers(deps: ApiDeps): Pick<Handlers<typeof pairingRoutes>, DeviceRoute> {
  const { store } = deps;
  return {
    listDevices: async ({ params, query, caller, request }) => {
      const { rows, links } = await readListPage(request, DEVICE_PAGES, query, (keyset) =>
        store.devices.list(params.accountId, keyset),
      );
      const open = await inAllowedPlaces(deps, caller, 'equipment.read', rows, (one, places) => places.ofDevice(one));
      const serials = open.flatMap(({ equipmentId }) => (equipmentId === undefined ? [] : [equipmentId]));
      const paired = await store.equipment.listOf(params.accountId, serials);
      const equipment = new Map(paired.map((item) => [item.id, item]));
      const nameOf = await subjectNames(deps, caller, open);
      const items = open.map((device) => toDevice(device, equipment.get(device.equipmentId ?? ''), nameOf(device)));
      return { items, size: items.length, ...links };
    },
    getDevice: async ({ caller, scope }) => {
      const device = requireUnrevoked(scope.device);
      const { equipmentId } = device;
      const equipment = equipmentId === undefined ? undefined : await store.equipment.get(equipmentId);
      const subjectId = device.subjectId ?? equipment?.holder?.subjectId;
      const nameOf = await subjectNames(deps, caller, [device]);
      const isPhone = device.kind === 'PHONE' && subjectId !== undefined;
      const received = isPhone && (await store.annotations.countFromSubject(subjectId, device.createdTs));
      const messages = isPhone ? await store.messages.countFromSubject(subjectId, device.createdTs) : 0;
      return toDevice(device, equipment, {
        ...nameOf(device),
        ...(received !== false && { received: { taskReports: received, messages } }),
      });
    },
    renameDevice: async ({ scope, body, caller }) => {
      const { equipmentId } = requireUnrevoked(scope.device);
      if (equipmentId === undefined) {
        throw new OutpostError('CONFLICT', "This is a subject's own phone, which has no entry among the equipment.");
      }
      await store.equipment.update(equipmentId, { displayName: body.displayName }, changeBy(caller));
    },
    revokeDevice: async ({ scope, query, caller }) => {
      await store.devices.revoke(requireUnrevoked(scope.device).id, changeBy(caller, query.reason));
    },
  };
}

function toDevice(
  device: DeviceRecord,
  equipment: EquipmentRecord | undefined,
  around: Pick<Device, 'subjectName' | 'received'> = {},
): Device {
  const own = device.studyId && device.subjectId ? { studyId: device.studyId, subjectId: device.subjectId } : undefined;
  const optional = {
    equipmentId: device.equipmentId,
    ...(own ?? equipment?.holder),
    hardwareId: equipment?.hardwareId,
    firmwareId: equipment?.firmwareId ?? device.firmwareId,
    batteryPercent: equipment?.batteryPercent ?? device.batteryPercent,
    lastContactTs: equipment?.lastContactTs ?? device.lastContactTs,
    address: device.lastAddress,
  };
  return {
    id: device.id,
    kind: device.kind,
    serial: device.serial,
    displayName: equipment?.displayName ?? device.serial,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as typeof optional),
    pairedTs: device.createdTs,
    isConnected: device.firstUsedTs !== undefined,
    ...around,
  };
}

/** @throws NOT_FOUND for a device whose credential was revoked */
function requireUnrevoked(device: DeviceRecord): DeviceRecord {
  if (device.revokedTs !== undefined) throw notFound('device');
  return device;
}

/** Returns the owner of a subject's own phone, where the caller may see it. */
async function subjectNames(deps: ApiDeps, caller: Caller, devices: readonly DeviceRecord[]) {
  const readable = new Set((await readableStudies(deps, caller)).map(({ id }) => id));
  const own = devices.flatMap(({ studyId, subjectId }) =>
    studyId !== undefined && subjectId !== undefined && readable.has(studyId) ? [subjectId] : [],
  );
  const names = await deps.store.subjects.namesOf(own);
  return ({ subjectId }: DeviceRecord): { subjectName?: string } => {
    const subjectName = names.get(subjectId ?? '');
    return subjectName === undefined ? {} : { subjectName };
  };
}
