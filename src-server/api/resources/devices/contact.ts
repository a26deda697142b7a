/** What a device tells of itself and its sensors. */
import type { EquipmentRecord, Repositories, Store } from '../../../db/index.ts';
import type { DeviceIdentity } from '../../../lan/device-identity.ts';
import { MAX_CLOCK_ERROR_MS } from '../../../study/task-reports.ts';
import type { deviceCallRoutes } from '../../contract/resources/device-calls.ts';
import type { BodyOf } from '../../contract/route.ts';
import { changeByDevice } from '../../framework/authenticate.ts';

type Contact = BodyOf<(typeof deviceCallRoutes)['reportContact']>;

/** Stores a report whole or not at all; answers the number of faults that were new. */
export async function storeContact(
  store: Store,
  device: DeviceIdentity,
  contact: Contact,
  facts: { serverTs: number; address: string },
): Promise<number> {
  const { credentialId, equipmentId } = device;
  return await store.transaction(async (repositories) => {
    const { equipment, devices, clockReadings } = repositories;
    const { batteryPercent, firmwareId } = contact;
    await devices.recordContact(credentialId, {
      address: facts.address,
      ...(batteryPercent !== undefined && { batteryPercent }),
      ...(firmwareId !== undefined && { firmwareId }),
    });
    if (equipmentId !== null) {
      await equipment.recordContact(equipmentId, { contactTs: facts.serverTs, batteryPercent, firmwareId });
    }
    for (const { udid, ...sensor } of contact.sensors) {
      const known = await ownSensor(repositories, device, udid);
      if (known) await equipment.recordContact(known.id, { contactTs: facts.serverTs, ...sensor });
    }
    await clockReadings.add([
      {
        credentialId,
        clock: 'DEVICE',
        clockUs: contact.clockTs * 1000,
        hostUs: facts.serverTs * 1000,
        roundTripUs: Math.round((contact.roundTripMs ?? 0) * 1000),
      },
      ...contact.clockReadings.map(({ udid, sensorUs, hostUs, roundTripUs }) => ({
        credentialId,
        clock: 'SENSOR' as const,
        udid,
        clockUs: sensorUs,
        hostUs,
        roundTripUs,
      })),
    ]);
    return await storeFaults(repositories, device, contact, facts.serverTs);
  });
}

async function ownSensor(
  { equipment }: Repositories,
  device: DeviceIdentity,
  udid: string,
): Promise<EquipmentRecord | undefined> {
  const known = await equipment.findByUdid(udid);
  return known?.accountId === device.accountId ? known : undefined;
}

/**
 * Faults are those of the subject who held the sensor, or else the device, when they happened. One of equipment that nobody
 * held then concerns no subject and is not kept, nor is one from a time that cannot be.
 */
async function storeFaults(
  repositories: Repositories,
  device: DeviceIdentity,
  contact: Contact,
  nowTs: number,
): Promise<number> {
  const { equipment, faults } = repositories;
  const known = await faults.knownIds(contact.faults.map(({ id }) => id));
  const fresh = new Map(contact.faults.filter(({ id }) => !known.has(id)).map((fault) => [fault.id, fault]));
  const rows = [];
  for (const fault of fresh.values()) {
    const sensor = fault.udid === undefined ? undefined : await ownSensor(repositories, device, fault.udid);
    if (fault.faultTs > nowTs + MAX_CLOCK_ERROR_MS) continue;
    const ownPhone = await isOfOwnPhone(repositories, device, fault.faultTs);
    const holder =
      (sensor && (await equipment.holderAt(sensor.id, fault.faultTs))) ??
      (device.equipmentId === null ? undefined : await equipment.holderAt(device.equipmentId, fault.faultTs)) ??
      (ownPhone ? { studyId: device.studyId as string, subjectId: device.subjectId as string } : undefined);
    if (!holder) continue;
    const { id, faultTs, faultFlag, faultType, faultClass } = fault;
    const equipmentId = fault.udid === undefined ? (device.equipmentId ?? undefined) : sensor?.id;
    rows.push({
      id,
      ...holder,
      ...(equipmentId === undefined ? {} : { equipmentId }),
      faultTs,
      faultFlag,
      faultType,
      faultClass,
      mobileAppVersion: contact.firmwareId ?? '',
      sensorFirmwareId: fault.sensorFirmwareId ?? '',
      sensorId: fault.udid ?? device.serial,
    });
  }
  return (await faults.add(rows, changeByDevice(device))).length;
}

/** True for a phone that a subject signed in on, at a time when that subject was enrolled. */
async function isOfOwnPhone({ subjects }: Repositories, device: DeviceIdentity, ts: number): Promise<boolean> {
  if (device.equipmentId !== null || device.studyId === null || device.subjectId === null) return false;
  return ts >= (await subjects.require(device.subjectId)).createdTs - MAX_CLOCK_ERROR_MS;
}
