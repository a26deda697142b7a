/** Stores the reports of devices on themselves and their sensors. */
import type { DeviceIdentity, EquipmentRecord } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import type { Repositories, Store } from '../../../services/index.ts';
import { inSiteTime } from '../../../signals/clock/site-time.ts';
import type { SyncPoint } from '../../../signals/types.ts';
import { MAX_CLOCK_ERROR_MS } from '../../../study/task-reports.ts';
import type { deviceCallRoutes } from '../../contract/resources/device-calls.ts';
import type { BodyOf } from '../../contract/route.ts';
import { changeByDevice } from '../../framework/authenticate.ts';

type Contact = BodyOf<(typeof deviceCallRoutes)['reportContact']>;

/** Oldest and latest plausible time of a clock reading relative to its arrival; sensors hold three months at most. */
const OLDEST_READING_MS = 92 * DAY_MS;
const MAX_AHEAD_MS = 5 * 60_000;

export interface StoredContact {
  /** Faults that were new. */
  storedFaults: number;
  /** Refused parts of the report, each sensor and reason once. */
  refused: { udid: string; code: 'SENSOR_UNKNOWN' | 'SENSOR_NOT_SERVED' | 'CLOCK_IMPLAUSIBLE'; message: string }[];
}

/** Returns the error for a report on a sensor that the device does not serve. */
export function sensorNotServed(): OutpostError {
  return new OutpostError(
    'SENSOR_NOT_SERVED',
    'The report on a sensor was refused: the device does not serve the subject who holds it.',
  );
}

const REASONS = {
  SENSOR_UNKNOWN: 'The sensor is not registered at this site.',
  SENSOR_NOT_SERVED: sensorNotServed().message,
  CLOCK_IMPLAUSIBLE: 'The clock reading is from the future, or older than 92 days.',
} as const;

/**
 * Stores a report on the device and the sensors it serves in one transaction. Reports on other sensors are refused per sensor, so
 * that one reassigned sensor does not block the rest.
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
      // One time for both: battery and firmware of an outdated contact are ignored.
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
      // Corrects readings by the error of the device's own clock.
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

/** Returns a function that finds sensors which the device may report on at an instant, and refuses others. Lookups are cached. */
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
 * Stores new faults for the subject who held the sensor, or else the device, at the time. Faults of equipment that nobody held, and
 * faults with implausible times, are dropped.
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

/** Returns whether the device is a subject's own phone, at a time when that subject was enrolled. */
async function isOfOwnPhone({ subjects }: Repositories, device: DeviceIdentity, ts: number): Promise<boolean> {
  if (device.equipmentId !== null || device.studyId === null || device.subjectId === null) return false;
  return ts >= (await subjects.require(device.subjectId)).createdTs - MAX_CLOCK_ERROR_MS;
}
