/** Pairing at the desk, paired devices, and the site on the local network. */
import QRCode from 'qrcode';
import type { DeviceRecord, EquipmentRecord, PairingRecord } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import type { Device, Pairing } from '../../contract/index.ts';
import type { pairingRoutes } from '../../contract/resources/pairings.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Caller, changeBy } from '../../framework/authenticate.ts';
import { allowedPlaces, inAllowedPlaces, readableStudies, requireInStudy } from '../../framework/authorize.ts';
import { invalidField, notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { Places } from '../../framework/places.ts';

const ANNOUNCED_BEFORE_MS = 14 * DAY_MS;

function toPairing(record: PairingRecord, maxWrongTries: number): Pairing {
  const { id, state, subject, device, credentialId, address, checkCode, clockDifferenceMs, problem, endedTs } = record;
  return {
    id,
    state: state as Pairing['state'],
    ...subject,
    ...(device ? { device } : {}),
    ...(credentialId === undefined ? {} : { deviceId: credentialId }),
    ...(address === undefined ? {} : { address }),
    ...(checkCode === undefined ? {} : { checkCode }),
    ...(clockDifferenceMs === undefined ? {} : { clockDifferenceMs }),
    wrongTries: record.wrongTries,
    maxWrongTries,
    ...(problem === undefined ? {} : { problem }),
    createdTs: record.createdTs,
    expirationTs: record.expirationTs,
    ...(endedTs === undefined ? {} : { endedTs }),
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

export function pairingHandlers(deps: ApiDeps): Handlers<typeof pairingRoutes> {
  const { lan, store } = deps;
  /** @throws NOT_FOUND for a device whose credential was revoked */
  const present = (device: DeviceRecord): DeviceRecord => {
    if (device.revokedTs !== undefined) throw notFound('device');
    return device;
  };
  /** Returns the owner of a subject's own phone, where the caller may see it. */
  const subjectNames = async (caller: Caller, devices: readonly DeviceRecord[]) => {
    const readable = new Set((await readableStudies(deps, caller)).map(({ id }) => id));
    const own = devices.flatMap(({ studyId, subjectId }) =>
      studyId !== undefined && subjectId !== undefined && readable.has(studyId) ? [subjectId] : [],
    );
    const names = await store.subjects.namesOf(own);
    return ({ subjectId }: DeviceRecord): { subjectName?: string } => {
      const subjectName = names.get(subjectId ?? '');
      return subjectName === undefined ? {} : { subjectName };
    };
  };
  /** @throws CONFLICT without names for a serial number in a place where the caller may not pair devices */
  const requireOwnSerial = async (caller: Caller, { device }: PairingRecord) => {
    const place = device && (await new Places(store).ofSerial(device.serial));
    if (!place || (await allowedPlaces(deps, caller, 'device.pair'))(place)) return;
    throw new OutpostError(
      'CONFLICT',
      'A device with this serial number is in use in a study where you cannot pair devices. Check the serial number, or ask an administrator.',
    );
  };
  const equipmentOf = async ({ equipmentId }: DeviceRecord) =>
    equipmentId === undefined ? undefined : await store.equipment.get(equipmentId);
  const subjectOf = async (caller: Caller, body: { studyId?: string; subjectId?: string }) => {
    const { studyId, subjectId } = body;
    if (studyId === undefined && subjectId === undefined) return undefined;
    if (studyId === undefined) throw invalidField('studyId', 'is required with `subjectId`');
    if (subjectId === undefined) throw invalidField('subjectId', 'is required with `studyId`');
    await requireInStudy(deps, caller, studyId, 'device.pair');
    await store.subjects.require(subjectId, studyId);
    return { studyId, subjectId };
  };
  return {
    startPairing: async ({ body, caller }) => {
      const { accountId, id: userId } = caller.user;
      const subject = await subjectOf(caller, body);
      const started = await lan.desk.start({ accountId, userId, ...(subject ? { subject } : {}) }, changeBy(caller));
      const { pairing, code, link, addresses, fingerprint } = started;
      return {
        id: pairing.id,
        links: [{ href: `/v1/pairings/${pairing.id}`, rel: 'self' }],
        code,
        link,
        qrSvg: await QRCode.toString(link, { type: 'svg', errorCorrectionLevel: 'M', margin: 4 }),
        addresses,
        fingerprint,
        expirationTs: pairing.expirationTs,
      };
    },
    listPairings: async ({ caller }) => {
      const records = await lan.desk.list(caller.user.accountId);
      const open = await inAllowedPlaces(deps, caller, 'device.pair', records, (one, places) => places.ofPairing(one));
      const items = open.map((record) => toPairing(record, lan.desk.maxWrongTries));
      return { items, size: items.length };
    },
    getPairing: async ({ params, caller }) =>
      toPairing(await lan.desk.get(params.pairingId, caller.user.accountId), lan.desk.maxWrongTries),
    confirmPairing: async ({ params, body, caller, scope }) => {
      await requireOwnSerial(caller, scope.pairing);
      await lan.desk.confirm(params.pairingId, caller.user.accountId, body.checkCode, changeBy(caller));
    },
    refusePairing: async ({ params, caller }) => {
      await lan.desk.refuse(params.pairingId, caller.user.accountId, changeBy(caller));
    },
    cancelPairing: async ({ params, caller }) => {
      await lan.desk.cancel(params.pairingId, caller.user.accountId, changeBy(caller));
    },
    listDevices: async ({ params, caller }) => {
      const equipment = new Map((await store.equipment.list(params.accountId)).map((item) => [item.id, item]));
      const devices = await store.devices.list(params.accountId);
      const open = await inAllowedPlaces(deps, caller, 'equipment.read', devices, (one, places) =>
        places.ofDevice(one),
      );
      const nameOf = await subjectNames(caller, open);
      const items = open.map((device) => toDevice(device, equipment.get(device.equipmentId ?? ''), nameOf(device)));
      return { items, size: items.length };
    },
    getDevice: async ({ caller, scope }) => {
      const device = present(scope.device);
      const equipment = await equipmentOf(device);
      const subjectId = device.subjectId ?? equipment?.holder?.subjectId;
      const nameOf = await subjectNames(caller, [device]);
      const isPhone = device.kind === 'PHONE' && subjectId !== undefined;
      const received = isPhone && (await store.annotations.countFromSubject(subjectId, device.createdTs));
      const messages = isPhone ? await store.messages.countFromSubject(subjectId, device.createdTs) : 0;
      return toDevice(device, equipment, {
        ...nameOf(device),
        ...(received !== false && { received: { taskReports: received, messages } }),
      });
    },
    renameDevice: async ({ scope, body, caller }) => {
      const { equipmentId } = present(scope.device);
      if (equipmentId === undefined) {
        throw new OutpostError('CONFLICT', "This is a subject's own phone, which has no entry among the equipment.");
      }
      await store.equipment.update(equipmentId, { displayName: body.displayName }, changeBy(caller));
    },
    revokeDevice: async ({ scope, query, caller }) => {
      await store.devices.revoke(present(scope.device).id, changeBy(caller, query.reason));
    },
    getNetwork: () => lan.network(),
    updateNetwork: async ({ body, caller }) => {
      await lan.configure(body, changeBy(caller));
      return lan.network();
    },
    checkNetwork: () => lan.check(),
    replaceKey: async ({ body, caller }) =>
      await lan.replaceKey(body.fromTs ?? deps.clock() + ANNOUNCED_BEFORE_MS, changeBy(caller, body.reason)),
    keepKey: async ({ caller }) => {
      await lan.keepKey(changeBy(caller));
    },
  };
}
