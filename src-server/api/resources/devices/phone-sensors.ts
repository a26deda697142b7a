/** The sensors that a subject holds, as their phone shows them: where each is worn, and what the site last heard of it. */
import type { EquipmentRecord, StudyRecord, SubjectRecord } from '../../../db/index.ts';
import type { Store } from '../../../services/index.ts';
import type { DeviceConfigRecord } from '../../../study/definition-input.ts';
import type { Routes } from '../../contract/index.ts';
import type { ResponseOf } from '../../contract/route.ts';
import { toPlacement } from '../sensor-settings.ts';

type PhoneSensor = ResponseOf<Routes['listPhoneSensors']>['items'][number];
type Placement = Pick<DeviceConfigRecord, 'id' | 'physicalConfig' | 'sensorConfig'>;

export async function phoneSensors(store: Store, study: StudyRecord, subject: SubjectRecord): Promise<PhoneSensor[]> {
  const configs = (await store.studies.getDetail(study.id))?.deviceConfigs ?? [];
  const held = (await store.equipment.heldBy(subject.id)).filter(({ type }) => type === 'SENSOR');
  const last = new Map(
    await Promise.all(held.map(async ({ id }) => [id, await store.recordings.lastOfSensor(subject.id, id)] as const)),
  );
  const placements = placementsOf(held, configs, (id) => last.get(id)?.deviceConfigId);
  return held.map((sensor) => {
    const placement = placements.get(sensor.id);
    const { location = '', side = 'NONE', signal } = placement?.physicalConfig ?? {};
    const uploadTs = last.get(sensor.id)?.createdTs;
    return {
      serial: sensor.id,
      displayName: sensor.displayName,
      ...(sensor.udid !== undefined && { udid: sensor.udid }),
      hardwareId: sensor.hardwareId ?? '',
      location,
      side,
      ...(signal !== undefined && { signal }),
      heldSinceTs: sensor.heldSinceTs ?? sensor.createdTs,
      ...(uploadTs !== undefined && { lastUploadTs: uploadTs }),
      ...(sensor.lastContactTs !== undefined && { lastContactTs: sensor.lastContactTs }),
      ...(sensor.batteryPercent !== undefined && { batteryPercent: sensor.batteryPercent }),
      ...(placement && {
        deviceConfigId: placement.id,
        sensorConfig: toPlacement(placement).sensorConfig,
      }),
    };
  });
}

/**
 * Where each sensor is worn: where the subject last wore it or, for the one sensor that is left, in the one configuration that is
 * left. Any other choice would be a guess, and a sensor in a wrong place is worse than a question to the study team.
 */
function placementsOf(
  held: readonly EquipmentRecord[],
  configs: readonly Placement[],
  lastConfigOf: (serial: string) => string | undefined,
): Map<string, Placement> {
  const placements = new Map<string, Placement>();
  for (const { id } of held) {
    const worn = configs.find((config) => config.id === lastConfigOf(id));
    if (worn) placements.set(id, worn);
  }
  const taken = new Set([...placements.values()].map(({ id }) => id));
  const openSensors = held.filter(({ id }) => !placements.has(id));
  const openConfigs = configs.filter(({ id }) => !taken.has(id));
  const [sensor, config] = [openSensors[0], openConfigs[0]];
  if (sensor && config && openSensors.length === 1 && openConfigs.length === 1) placements.set(sensor.id, config);
  return placements;
}
