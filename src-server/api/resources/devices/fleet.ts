/** Equipment with its holder, state and undelivered recordings, as the desk shows it. */
import {
  type DeviceRecord,
  type EquipmentRecord,
  type FaultCount,
  type HeldRecording,
  type StudyRecord,
  serialsByAddress,
} from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { expectedContactEveryMs } from '../../../study/contact-rules.ts';
import type { FaultClass, FleetItem } from '../../contract/index.ts';
import type { fleetRoutes } from '../../contract/resources/fleet.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Caller } from '../../framework/authenticate.ts';
import { inAllowedPlaces, readableStudies } from '../../framework/authorize.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type PagedList, readListPage } from '../../framework/paging.ts';

const CONTACTS_MS = 14 * DAY_MS;

type Missing = HeldRecording & { deviceId: string; reportedTs: number };

/** Records around the items shown, read once for all of them. */
interface FleetContext {
  studies: ReadonlyMap<string, StudyRecord>;
  deviceIds: ReadonlyMap<string, string>;
  missing: MissingByPlace;
  reports: ReadonlyMap<string, number>;
}

/** A hub holds all recordings that it reports, including those on its sensors; a sensor holds those reported on it. */
interface MissingByPlace {
  onDevice: ReadonlyMap<string, readonly Missing[]>;
  onSensor: ReadonlyMap<string, readonly Missing[]>;
}

function byPlace(missing: readonly Missing[]): MissingByPlace {
  const onSensors = missing.filter(({ place }) => place === 'SENSOR');
  return {
    onDevice: Map.groupBy(missing, ({ deviceId }) => deviceId),
    onSensor: Map.groupBy(onSensors, ({ sensorId }) => sensorId),
  };
}

const missingOn = ({ id, type }: EquipmentRecord, { onDevice, onSensor }: MissingByPlace): readonly Missing[] =>
  (type === 'SENSOR' ? onSensor : onDevice).get(id) ?? [];

function heldBy(item: EquipmentRecord, missing: MissingByPlace, reports: ReadonlyMap<string, number>) {
  const own = missingOn(item, missing);
  const reportedTs = reports.get(item.id) ?? own[0]?.reportedTs;
  if (own.length === 0 && reportedTs === undefined) return undefined;
  return {
    recordings: own.length,
    sizeBytes: own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ...(own[0] && { firstStartTs: own[0].startTs }),
    ...(reportedTs !== undefined && { reportedTs }),
  };
}

/** Most frequent class first; of two, the one that came first. */
function countFaults(counts: readonly FaultCount[]): FleetItem['faultCounts'] {
  return [...Map.groupBy(counts, ({ faultClass }) => faultClass)]
    .map(([faultClass, own]) => ({
      faultClass,
      count: own.reduce((sum, { count }) => sum + count, 0),
      firstTs: Math.min(...own.map(({ firstTs }) => firstTs)),
    }))
    .sort((a, b) => b.count - a.count || a.firstTs - b.firstTs)
    .map(({ faultClass, count }) => ({
      ...(faultClass !== null && { faultClass: faultClass as FaultClass }),
      count,
    }));
}

/** Drops undefined members, which the schema does not allow. */
function present<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

function toFleetItem(
  item: EquipmentRecord,
  faults: readonly FaultCount[],
  { subjectNames, ...around }: FleetContext & { subjectNames: ReadonlyMap<string, string> },
): FleetItem {
  const { holder } = item;
  const study = holder && around.studies.get(holder.studyId);
  const deviceId = around.deviceIds.get(item.id);
  const isContactExpected = holder === undefined || study !== undefined;
  return present({
    id: item.id,
    type: item.type,
    state: item.state,
    displayName: item.displayName,
    udid: item.udid,
    hardwareId: item.hardwareId,
    firmwareId: item.firmwareId,
    batteryPercent: item.batteryPercent,
    lastContactTs: item.lastContactTs,
    expectedEveryMs: isContactExpected
      ? expectedContactEveryMs({ type: item.type, isPaired: deviceId !== undefined }, study)
      : undefined,
    holder:
      holder && study
        ? {
            ...holder,
            studyName: study.displayName,
            subjectName: subjectNames.get(holder.subjectId) ?? holder.subjectId,
            sinceTs: item.heldSinceTs ?? item.modifiedTs,
          }
        : undefined,
    deviceId,
    held: heldBy(item, around.missing, around.reports),
    faultCounts: countFaults(faults),
    lastFaultTs: faults.length > 0 ? Math.max(...faults.map(({ lastTs }) => lastTs)) : undefined,
  });
}

const EQUIPMENT_PAGES: PagedList<EquipmentRecord> = {
  name: 'equipment',
  key: ['string'],
  keyOf: ({ id }) => [id],
};

export function fleetHandlers(deps: ApiDeps): Handlers<typeof fleetRoutes> {
  const { devices, equipment, faults, heldRecordings, subjects } = deps.store;
  const studiesOf = async (caller: Caller) =>
    new Map((await readableStudies(deps, caller)).map((study) => [study.id, study]));
  /** Credential by the equipment that it is of; of several, the newest. */
  const deviceIdsOf = (records: readonly DeviceRecord[]) =>
    new Map(
      records.flatMap(({ id, equipmentId, revokedTs }) =>
        equipmentId === undefined || revokedTs !== undefined ? [] : [[equipmentId, id] as const],
      ),
    );
  const openTo = (caller: Caller, missing: readonly Missing[]) =>
    inAllowedPlaces(deps, caller, 'equipment.read', missing, (recording, places) => places.ofHeldRecording(recording));
  const openItems = (caller: Caller, items: readonly EquipmentRecord[]) =>
    inAllowedPlaces(deps, caller, 'equipment.read', items, (item, places) => places.ofEquipment(item));
  const contextOf = async (
    caller: Caller,
    accountId: string,
    items: readonly EquipmentRecord[],
  ): Promise<FleetContext> => {
    const ids = items.map(({ id }) => id);
    return {
      studies: await studiesOf(caller),
      deviceIds: deviceIdsOf(await devices.listOfEquipment(accountId, ids)),
      missing: byPlace(await openTo(caller, await heldRecordings.missing(accountId, ids))),
      reports: await heldRecordings.lastReports(ids),
    };
  };
  /** Names of the present holders. */
  const holderNames = (items: readonly EquipmentRecord[]) =>
    subjects.namesOf(items.flatMap(({ holder }) => (holder ? [holder.subjectId] : [])));
  return {
    listFleet: async ({ params: { accountId }, query, caller, request }) => {
      const { rows, links } = await readListPage(request, EQUIPMENT_PAGES, query, (keyset) =>
        equipment.list(accountId, keyset),
      );
      const context = await contextOf(caller, accountId, rows);
      const serialOf = serialsByAddress(rows);
      const around = { ...context, subjectNames: await holderNames(rows) };
      const counts = await faults.countByEquipment([...context.studies.keys()], rows);
      const bySerial = Map.groupBy(counts, (fault) => fault.equipmentId ?? serialOf(fault.sensorId));
      const items = (await openItems(caller, rows)).map((item) =>
        toFleetItem(item, bySerial.get(item.id) ?? [], around),
      );
      const paired = await openItems(caller, await equipment.paired(accountId));
      const sinceTs = deps.clock() - DAY_MS;
      const seen = paired.filter(({ lastContactTs = 0 }) => lastContactTs > sinceTs);
      return {
        items,
        size: items.length,
        devices: { paired: paired.length, seenLastDay: seen.length },
        ...links,
      };
    },
    getFleetItem: async ({ params: { accountId, equipmentId }, caller, scope: { equipment: item } }) => {
      const context = await contextOf(caller, accountId, [item]);
      const own = await faults.listOfEquipment([...context.studies.keys()], item);
      const counts = own.map(({ faultClass = null, faultTs, sensorId }) => ({
        ...{ equipmentId: item.id, sensorId, faultClass, count: 1 },
        ...{ firstTs: faultTs, lastTs: faultTs },
      }));
      const faultyNames = await subjects.namesOf(own.map(({ subjectId }) => subjectId));
      const around = { ...context, subjectNames: await holderNames([item]) };
      const contacts = await equipment.contacts(equipmentId, deps.clock() - CONTACTS_MS);
      return {
        ...toFleetItem(item, counts, around),
        faults: own
          .toReversed()
          .map(({ id, faultTs, faultClass, faultType, faultFlag, sensorId, studyId, subjectId }) =>
            present({
              id,
              faultTs,
              faultClass: faultClass as FaultClass | undefined,
              faultType,
              faultFlag,
              sensorId,
              studyId,
              subjectId,
              subjectName: faultyNames.get(subjectId) ?? subjectId,
            }),
          ),
        contacts: contacts.map(({ contactTs, batteryPercent }) => present({ contactTs, batteryPercent })),
        heldRecordings: missingOn(item, around.missing).map(
          ({ recordingId, sensorId, place, sizeBytes, startTs, stopTs }) => ({
            recordingId,
            sensorId,
            place,
            sizeBytes,
            startTs,
            stopTs,
          }),
        ),
      };
    },
  };
}
