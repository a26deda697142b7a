/** Where sensors are worn (the places of the sensors' own vocabulary) and what they measure there. */
import type { DeviceConfig } from '../draft.ts';

/** On a figure of 100 x 220; `both` places have a left and a right. The person looks at us in front. */
export const PLACES = [
  { id: 'MEDIAL_CHEST', view: 'front', x: 50, y: 62 },
  { id: 'ECG_LEAD_II', view: 'front', x: 55, y: 74 },
  { id: 'PECTORALIS', view: 'front', x: 60, y: 54, isPaired: true },
  { id: 'BICEP', view: 'front', x: 75, y: 68, isPaired: true },
  { id: 'FLEXOR_DIGITORUM', view: 'front', x: 80, y: 90, isPaired: true },
  { id: 'ANTERIOR_THIGH', view: 'front', x: 59, y: 130, isPaired: true },
  { id: 'RECTUS_FEMORIS', view: 'front', x: 59, y: 146, isPaired: true },
  { id: 'PROXIMAL_LATERAL_SHANK', view: 'front', x: 62, y: 170, isPaired: true },
  { id: 'TIBIALIS_ANTERIOR', view: 'front', x: 58, y: 182, isPaired: true },
  { id: 'DISTAL_LATERAL_SHANK', view: 'front', x: 61, y: 195, isPaired: true },
  { id: 'DORSAL_FOOT', view: 'front', x: 60, y: 210, isPaired: true },
  { id: 'SACRUM', view: 'back', x: 50, y: 104 },
  { id: 'POSTERIOR_FOREARM', view: 'back', x: 79, y: 86, isPaired: true },
  { id: 'EXTENSOR_DIGITORUM', view: 'back', x: 81, y: 97, isPaired: true },
  { id: 'DORSAL_HAND', view: 'back', x: 84, y: 112, isPaired: true },
  { id: 'BICEPS_FEMORIS', view: 'back', x: 59, y: 140, isPaired: true },
  { id: 'GASTROCNEMIUS', view: 'back', x: 59, y: 176, isPaired: true },
] as const satisfies readonly { id: string; view: 'front' | 'back'; x: number; y: number; isPaired?: boolean }[];

export const PAIRED_SIDES = ['ANY', 'LEFT', 'RIGHT', 'DOMINANT'] as const;

const motion = (periodMs: number, accelRange: number, mode: string) => ({
  accelLowPower: false,
  accelRange,
  gyroAutoCalib: false,
  mode,
  periodMs,
});

/** Settings that go together: rates and ranges that the sensors and the analysis know. */
export const PRESETS = {
  ecg: {
    signal: 'ECG',
    sensorConfig: { sensingType: 'MPU_ANALOG', afe: { gain: 10, rate: 250 }, gyro: motion(32, 4, 'ACCEL') },
  },
  emg: {
    signal: 'EMG',
    sensorConfig: { sensingType: 'MPU_ANALOG', afe: { gain: 10, rate: 1000 }, gyro: motion(16, 4, 'ACCEL') },
  },
  day: { signal: undefined, sensorConfig: { sensingType: 'MPU', gyro: motion(32, 4, 'ACCEL') } },
  sport: { signal: undefined, sensorConfig: { sensingType: 'MPU', gyro: motion(16, 16, 'ACCEL') } },
  gyro: {
    signal: undefined,
    sensorConfig: { sensingType: 'MPU', gyro: { ...motion(16, 16, 'ACCEL_GYRO'), gyroRange: 2000 } },
  },
} as const satisfies Record<string, { signal: string | undefined; sensorConfig: DeviceConfig['sensorConfig'] }>;

export type PresetId = keyof typeof PRESETS;
export const PRESET_IDS = Object.keys(PRESETS) as PresetId[];

/** The preset whose settings a configuration has; undefined for settings of its own. */
export function presetOf(config: DeviceConfig): PresetId | undefined {
  const own = JSON.stringify([config.physicalConfig.signal, config.sensorConfig]);
  return PRESET_IDS.find((id) => JSON.stringify([PRESETS[id].signal, PRESETS[id].sensorConfig]) === own);
}

export function withPreset(config: DeviceConfig, id: PresetId): DeviceConfig {
  const { signal, sensorConfig } = PRESETS[id];
  const { location, side } = config.physicalConfig;
  return { ...config, physicalConfig: { location, side, ...(signal && { signal }) }, sensorConfig };
}

const CHEST = ['MEDIAL_CHEST', 'ECG_LEAD_II', 'PECTORALIS'];

/** Where a sensor lies tells what it can measure: a heart on the chest alone. */
const usualPreset = (location: string): PresetId => (CHEST.includes(location) ? 'ecg' : 'day');

/** At another place. The usual settings of the old place become those of the new one; chosen ones stay. */
export function withPlace(config: DeviceConfig, location: string, side: string): DeviceConfig {
  const moved = { ...config, physicalConfig: { ...config.physicalConfig, location, side } };
  const isUsual = presetOf(config) === usualPreset(config.physicalConfig.location);
  return isUsual ? withPreset(moved, usualPreset(location)) : moved;
}

/** The pair that the analysis works best with: first a chest, then a thigh. */
export function newConfig(others: readonly DeviceConfig[] = []): DeviceConfig {
  const hasChest = others.some(({ physicalConfig }) => CHEST.includes(physicalConfig.location));
  const physicalConfig = hasChest
    ? { location: 'ANTERIOR_THIGH', side: 'ANY' }
    : { location: 'ECG_LEAD_II', side: 'NONE' };
  const config = {
    id: crypto.randomUUID(),
    mode: 'UNSUPERVISED',
    pipelineIds: [],
    physicalConfig,
    sensorConfig: PRESETS.ecg.sensorConfig,
  };
  return withPreset(config, usualPreset(physicalConfig.location));
}
