/** Where sensors are worn, named by the sensors' own codes, and the presets of what they measure there. */
import type { SensorLocation } from '../../../../../src-server/vocabulary/placements.ts';
import type { DeviceConfig } from '../draft.ts';

/** Positions on the 100 x 220 figure; `isPaired` places exist left and right. The front view faces the viewer. */
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
] as const satisfies readonly {
  id: SensorLocation;
  view: 'front' | 'back';
  x: number;
  y: number;
  isPaired?: boolean;
}[];

export const PAIRED_SIDES = ['ANY', 'LEFT', 'RIGHT', 'DOMINANT'] as const;

const motion = (periodMs: number, accelRange: number, mode: string) => ({
  accelLowPower: false,
  accelRange,
  gyroAutoCalib: false,
  mode,
  periodMs,
});

/** Presets: combinations of rates and ranges that the sensors and the analysis support. */
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
  strap: { signal: undefined, sensorConfig: { sensingType: 'RR' } },
  h10: {
    signal: 'ECG',
    sensorConfig: { sensingType: 'MPU_ANALOG', afe: { gain: 1, rate: 130 }, gyro: motion(20, 8, 'ACCEL') },
  },
  verity: { signal: undefined, sensorConfig: { sensingType: 'PPI', gyro: motion(19, 8, 'ACCEL') } },
  gyro: {
    signal: undefined,
    sensorConfig: { sensingType: 'MPU', gyro: { ...motion(16, 16, 'ACCEL_GYRO'), gyroRange: 2000 } },
  },
} as const satisfies Record<string, { signal: string | undefined; sensorConfig: DeviceConfig['sensorConfig'] }>;

export type PresetId = keyof typeof PRESETS;
export const PRESET_IDS = Object.keys(PRESETS) as PresetId[];

/** Returns the preset that a configuration equals; undefined for custom settings. */
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

/** Returns the usual preset of a place: an ECG can be measured on the chest only. */
const usualPreset = (location: string): PresetId => (CHEST.includes(location) ? 'ecg' : 'day');

/** Moves a sensor to another place. The usual preset of the old place becomes that of the new one; other settings stay. */
export function withPlace(config: DeviceConfig, location: string, side: string): DeviceConfig {
  const moved = { ...config, physicalConfig: { ...config.physicalConfig, location, side } };
  const isUsual = presetOf(config) === usualPreset(config.physicalConfig.location);
  return isUsual ? withPreset(moved, usualPreset(location)) : moved;
}

/** Returns a new sensor: the first on the chest, the next on the thigh, the pair that the analysis works best with. */
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
