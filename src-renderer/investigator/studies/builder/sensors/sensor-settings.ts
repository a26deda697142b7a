/** Changes single settings of a sensor, for configurations that no preset covers. */
import type { DeviceConfig } from '../draft.ts';

type Settings = DeviceConfig['sensorConfig'];

export const SIGNALS = ['ECG', 'EMG'] as const;
export const MODES = ['ACCEL', 'ACCEL_GYRO'] as const;
export const ACCEL_RANGES_G = [2, 4, 8, 16] as const;
export const GYRO_RANGES_DPS = [250, 500, 1000, 2000] as const;

/** Bounds of the whole-number settings, as in the interface. */
export const LIMITS = {
  rateHz: { min: 1, max: 4000 },
  gain: { min: 1, max: 100 },
  periodMs: { min: 1, max: 10_000 },
} as const;

/** Returns the whole number in a text, full-width digits included; undefined when it is not within the limits. */
export function numberIn(text: string, { min, max }: { min: number; max: number }): number | undefined {
  const value = Number(text.normalize('NFKC').trim() || Number.NaN);
  return Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}

const DEFAULT_AFE = { gain: 10, rate: 250 };
const DEFAULT_GYRO = { accelLowPower: false, accelRange: 4, gyroAutoCalib: false, mode: 'ACCEL', periodMs: 32 };

/** Derives the sensing type from what is switched on. */
function sensingTypeOf({ afe, gyro }: Pick<Settings, 'afe' | 'gyro'>): string {
  if (afe && gyro) return 'MPU_ANALOG';
  return afe ? 'ANALOG' : 'MPU';
}

/** Switches the electrodes on, for a signal, or off. The signal is stored with the place. */
export function withElectrodes(config: DeviceConfig, signal: string | undefined): DeviceConfig {
  const { signal: _signal, ...place } = config.physicalConfig;
  const { afe, ...others } = config.sensorConfig;
  const next = signal === undefined ? others : { ...others, afe: afe ?? DEFAULT_AFE };
  return {
    ...config,
    physicalConfig: { ...place, ...(signal !== undefined && { signal }) },
    sensorConfig: { ...next, sensingType: sensingTypeOf(next) },
  };
}

export function withMotion(config: DeviceConfig, isOn: boolean): DeviceConfig {
  const { gyro, ...others } = config.sensorConfig;
  const next = isOn ? { ...others, gyro: gyro ?? DEFAULT_GYRO } : others;
  return { ...config, sensorConfig: { ...next, sensingType: sensingTypeOf(next) } };
}

export function withAfe(config: DeviceConfig, change: Partial<NonNullable<Settings['afe']>>): DeviceConfig {
  const { sensorConfig } = config;
  return { ...config, sensorConfig: { ...sensorConfig, afe: { ...DEFAULT_AFE, ...sensorConfig.afe, ...change } } };
}

/** Changes the motion settings; a mode without rotation has no rotation range. */
export function withGyro(config: DeviceConfig, change: Partial<NonNullable<Settings['gyro']>>): DeviceConfig {
  const { sensorConfig } = config;
  const { gyroRange, ...gyro }: NonNullable<Settings['gyro']> = { ...DEFAULT_GYRO, ...sensorConfig.gyro, ...change };
  const range = gyro.mode === 'ACCEL_GYRO' ? { gyroRange: gyroRange ?? 2000 } : {};
  return { ...config, sensorConfig: { ...sensorConfig, gyro: { ...gyro, ...range } } };
}
