/**
 * The placement and settings of a sensor as the interface gives them. A device may write what it likes into its header, which is
 * stored unchanged; a response has the published shape: `sensingType` is empty where the sensor named none, and a member
 * of another shape is left out. The signal file has the original.
 */
import type { z } from 'zod';
import type { PhysicalConfig } from '../../study/recording.ts';
import { sensorConfig } from '../contract/resources/definition.ts';

type SensorConfig = z.infer<typeof sensorConfig>;

interface Placement {
  physicalConfig: PhysicalConfig;
  sensorConfig: SensorConfig;
}

/** Returns the two members that recordings and device configurations share. */
export function toPlacement(stored: {
  physicalConfig: PhysicalConfig;
  sensorConfig: Readonly<Record<string, unknown>>;
}): Placement {
  const { location, side, signal } = stored.physicalConfig;
  return {
    physicalConfig: { location, side, ...(signal !== undefined && { signal }) },
    sensorConfig: toSensorConfig(stored.sensorConfig),
  };
}

function toSensorConfig({ sensingType, afe, gyro, ...others }: Readonly<Record<string, unknown>>): SensorConfig {
  const front = sensorConfig.shape.afe.safeParse(afe).data;
  const motion = sensorConfig.shape.gyro.safeParse(gyro).data;
  return {
    sensingType: typeof sensingType === 'string' ? sensingType : '',
    ...(front && { afe: front }),
    ...(motion && { gyro: motion }),
    ...others,
  };
}
