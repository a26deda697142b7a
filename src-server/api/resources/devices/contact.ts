/** What a device tells of itself and its sensors. */
import type { DeviceIdentity, EquipmentRecord } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import type { Repositories, Store } from '../../../services/index.ts';
import { inSiteTime } from '../../../signals/clock/site-time.ts';
import type { SyncPoint } from '../../../signals/types.ts';
import { MAX_CLOCK_ERROR_MS } from '../../../study/task-reports.ts';
import type { deviceCallRoutes } from '../../contract/resources/device-calls.ts';
import type { BodyOf } from '../../contract/route.ts';
import { changeByDevice } from '../../framework/authenticate.ts';

type Contact = BodyOf<(typeof deviceCallRoutes)['reportContact']>;

/** How far back and ahead of its arrival a reading can have been taken; sensors hold no more than three months. */
const OLDEST_READING_MS = 92 * 86_400_000;
const MAX_AHEAD_MS = 5 * 60_000;

export interface StoredContact {
  /** Faults that were new. */
  storedFaults: number;
  /** What of the report was not taken, each sensor and reason once. */
  refused: { udid: string; code: 'SENSOR_UNKNOWN' | 'SENSOR_NOT_SERVED' | 'CLOCK_IMPLAUSIBLE'; message: string }[];
}

/** The refusal of a report on a sensor that the device has no part in. */
export function sensorNotServed(): OutpostError {
  return new OutpostError(
    'SENSOR_NOT_SERVED',
    'The device reported on a sensor of a subject whom it does not serve, so that was not taken.',
  );
}

const REASONS = {
  SENSOR_UNKNOWN: 'The sensor is not registered at this site.',
  SENSOR_NOT_SERVED: sensorNotServed().message,
  CLOCK_IMPLAUSIBLE: 'The clock reading is from the future, or older than 92 days.',
} as const;

/**
 * Stores what a device tells of itself and of the sensors it may speak for, in one transaction. The rest of the report is
 * refused by sensor: one that has changed hands must not hold up what is said of the others.
 */
export async function storeContact(
  store: Store,
  device: DeviceIdentity,
  contact: Contact,
  facts: { serverTs: number; address: string },
): Promise<StoredContact> {
  const { credentialId, equipmentId } = device;
  const { serverTs, address } = facts;
  return await store.transaction(async (repositories) => {
    const { equipment, devices, clockReadings } = repositories;
    const refused = new Map<string, StoredContact['refused'][number]>();
    const refuse = (udid: string, code: keyof typeof REASONS) => {
      refused.set(`${udid} ${code}`, { udid, code, message: REASONS[code] });
    };
    const servedSensor = await sensorFinder(repositories, device, refuse);
    const { batteryPercent, firmwareId } = contact;
    await devices.recordContact(credentialId, {
      address,
      // One time for both: battery and firmware of an older contact than the last are not taken.
      contactTs: serverTs,
      ...(batteryPercent !== undefined && { batteryPercent }),
      ...(firmwareId !== undefined && { firmwareId }),
    });
    if (equipmentId !== null) {
      await equipment.recordContact(equipmentId, { contactTs: serverTs, batteryPercent, firmwareId });
    }
    for (const { udid, ...sensor } of contact.sensors) {
      const known = await servedSensor(udid, serverTs);
      if (known) await equipment.recordContact(known.id, { contactTs: serverTs, ...sensor });
    }
    const sensorClocks = [];
    for (const { udid, sensorUs, hostUs: deviceUs, roundTripUs } of contact.clockReadings) {
      // A device whose own clock is wrong took its readings by that clock.
      const [{ hostUs }] = inSiteTime([{ sensorUs, hostUs: deviceUs }], contact.clockTs, serverTs) as [SyncPoint];
      const atTs = hostUs / 1000;
      if (!(await servedSensor(udid, atTs))) continue;
      if (atTs > serverTs + MAX_AHEAD_MS || atTs < serverTs - OLDEST_READING_MS) refuse(udid, 'CLOCK_IMPLAUSIBLE');
      else sensorClocks.push({ credentialId, clock: 'SENSOR' as const, udid, clockUs: sensorUs, hostUs, roundTripUs });
    }
    await clockReadings.add([
      {
        credentialId,
        clock: 'DEVICE',
        clockUs: contact.clockTs * 1000,
        hostUs: serverTs * 1000,
        roundTripUs: Math.round((contact.roundTripMs ?? 0) * 1000),
      },
      ...sensorClocks,
    ]);
    const storedFaults = await storeFaults(repositories, device, contact, servedSensor, serverTs);
    return { storedFaults, refused: [...refused.values()] };
  });
}

type FindSensor = (udid: string, atTs: number) => Promise<EquipmentRecord | undefined>;

/** Finds sensors that the device may speak for at an instant, and refuses the others. Each is looked up once. */
async function sensorFinder(
  { duties, equipment }: Repositories,
  device: DeviceIdentity,
  refuse: (udid: string, code: keyof typeof REASONS) => void,
): Promise<FindSensor> {
  const duty = await duties.of(device);
  const known = new Map<string, EquipmentRecord | undefined>();
  return async (udid, atTs) => {
    if (!known.has(udid)) known.set(udid, await equipment.findByUdid(udid));
    const sensor = known.get(udid);
    if (sensor?.accountId !== device.accountId || sensor.type !== 'SENSOR') refuse(udid, 'SENSOR_UNKNOWN');
    else if (await duty.mayReport(sensor.id, atTs)) return sensor;
    else refuse(udid, 'SENSOR_NOT_SERVED');
    return undefined;
  };
}

/**
 * Faults are those of the subject who held the sensor, or else the device, when they happened. One of equipment that nobody
 * held then concerns no subject and is not kept, nor is one from a time that cannot be.
 */
async function storeFaults(
  repositories: Repositories,
  device: DeviceIdentity,
  contact: Contact,
  servedSensor: FindSensor,
  nowTs: number,
): Promise<number> {
  const { equipment, faults } = repositories;
  const known = await faults.knownIds(contact.faults.map(({ id }) => id));
  const fresh = new Map(contact.faults.filter(({ id }) => !known.has(id)).map((fault) => [fault.id, fault]));
  const rows = [];
  for (const fault of fresh.values()) {
    if (fault.faultTs > nowTs + MAX_CLOCK_ERROR_MS) continue;
    const sensor = fault.udid === undefined ? undefined : await servedSensor(fault.udid, fault.faultTs);
    if (fault.udid !== undefined && !sensor) continue;
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
