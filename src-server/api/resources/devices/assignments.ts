/** The sensors that a device serves, their subjects, and a version by which the device detects changes. */
import type { DeviceIdentity, EquipmentRecord } from '../../../db/index.ts';
import { sha256Hex } from '../../../files/content-hash.ts';
import type { Store } from '../../../services/index.ts';
import type { Routes } from '../../contract/index.ts';
import type { ResponseOf } from '../../contract/route.ts';
import { toPlacement } from '../sensor-settings.ts';

export type Assignments = ResponseOf<Routes['listAssignments']>;
type Assignment = Assignments['items'][number];

interface Place {
  studyId: string;
  subjectId: string;
}

/** Returns the subjects of running studies who hold a sensor, for an unassigned hub in the clinic. */
async function placesOfSensorHolders(
  store: Store,
  accountId: string,
  sensors: readonly EquipmentRecord[],
): Promise<Place[]> {
  const running = new Set(
    (await store.studies.list(accountId))
      .filter(({ lifecycleState }) => lifecycleState === 'IN_PROGRESS')
      .map(({ id }) => id),
  );
  const bySubject = new Map<string, Place>();
  for (const { holder } of sensors) {
    if (holder && running.has(holder.studyId)) bySubject.set(holder.subjectId, holder);
  }
  return [...bySubject.values()];
}

async function deviceConfigsOf(store: Store, studyId: string): Promise<Assignment['deviceConfigs']> {
  const study = await store.studies.getDetail(studyId);
  return (study?.deviceConfigs ?? []).map((config) => ({ id: config.id, ...toPlacement(config) }));
}

/** Returns what the device serves now. The version is a hash of the list, so it is the same for every caller. */
export async function assignmentsOf(store: Store, device: DeviceIdentity): Promise<Assignments> {
  const { accountId, kind, studyId, subjectId } = device;
  const sensors = (await store.equipment.list(accountId)).filter(({ type }) => type === 'SENSOR');
  const own = studyId !== null && subjectId !== null ? [{ studyId, subjectId }] : [];
  const places = own.length > 0 || kind === 'PHONE' ? own : await placesOfSensorHolders(store, accountId, sensors);
  places.sort((a, b) => (a.subjectId < b.subjectId ? -1 : 1));
  const held = Map.groupBy(sensors, ({ holder }) => holder?.subjectId);
  const configs = new Map<string, Assignment['deviceConfigs']>();
  const items: Assignment[] = [];
  for (const place of places) {
    const { timezone } = await store.subjects.require(place.subjectId);
    const deviceConfigs = configs.get(place.studyId) ?? (await deviceConfigsOf(store, place.studyId));
    configs.set(place.studyId, deviceConfigs);
    const own = (held.get(place.subjectId) ?? []).map(({ id, udid, displayName }) => ({
      serial: id,
      ...(udid ? { udid } : {}),
      displayName,
    }));
    own.sort((a, b) => (a.serial < b.serial ? -1 : 1));
    items.push({ studyId: place.studyId, subjectId: place.subjectId, timezone, sensors: own, deviceConfigs });
  }
  const version = sha256Hex(JSON.stringify(items)).slice(0, 16);
  return { items, size: items.length, version };
}
