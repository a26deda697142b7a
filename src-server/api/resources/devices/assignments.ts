/** Which sensors a device serves, for whom. */
import type { Store } from '../../../db/index.ts';
import type { DeviceIdentity } from '../../../lan/device-identity.ts';
import type { Routes } from '../../contract/index.ts';
import type { ResponseOf } from '../../contract/route.ts';

type Assignment = ResponseOf<Routes['listAssignments']>['items'][number];

interface Place {
  studyId: string;
  subjectId: string;
}

/** Subjects of running studies who hold a sensor, for a hub that stands in the clinic. */
async function everyonePlaces(store: Store, accountId: string): Promise<Place[]> {
  const holders = (await store.equipment.list(accountId)).flatMap(({ type, holder }) =>
    type === 'SENSOR' && holder ? [holder] : [],
  );
  const running = new Set(
    (await store.studies.list(accountId))
      .filter(({ lifecycleState }) => lifecycleState === 'IN_PROGRESS')
      .map(({ id }) => id),
  );
  const bySubject = new Map(
    holders.filter(({ studyId }) => running.has(studyId)).map((holder) => [holder.subjectId, holder]),
  );
  return [...bySubject.values()];
}

async function toAssignment(store: Store, { studyId, subjectId }: Place): Promise<Assignment> {
  const subject = await store.subjects.require(subjectId);
  const sensors = (await store.equipment.heldBy(subjectId)).filter(({ type }) => type === 'SENSOR');
  const study = await store.studies.getDetail(studyId);
  return {
    studyId,
    subjectId,
    timezone: subject.timezone,
    sensors: sensors.map(({ id, udid, displayName }) => ({ serial: id, ...(udid ? { udid } : {}), displayName })),
    deviceConfigs: (study?.deviceConfigs ?? []).map(({ id, physicalConfig, sensorConfig }) => ({
      id,
      physicalConfig,
      sensorConfig: sensorConfig as Assignment['deviceConfigs'][number]['sensorConfig'],
    })),
  };
}

export async function assignmentsOf(store: Store, device: DeviceIdentity): Promise<Assignment[]> {
  const { accountId, kind, studyId, subjectId } = device;
  const own = studyId !== null && subjectId !== null ? [{ studyId, subjectId }] : [];
  const places = own.length > 0 || kind === 'PHONE' ? own : await everyonePlaces(store, accountId);
  places.sort((a, b) => (a.subjectId < b.subjectId ? -1 : 1));
  return await Promise.all(places.map((place) => toAssignment(store, place)));
}
