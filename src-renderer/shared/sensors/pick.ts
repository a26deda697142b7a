/** Which of the subject's sensors a picked Bluetooth device is, and how it is spoken to. */
import type { GattDevice } from './bluetooth/gatt.ts';
import type { SensorDriver } from './driver.ts';
import { HeartRateDriver } from './heart-rate/driver.ts';
import { MovesenseDriver } from './movesense/driver.ts';
import { PolarDriver } from './polar/driver.ts';
import type { RecordedSensor } from './recording/recorder.ts';

/** A browser may not read a serial number; devices carry its end in their name (`Polar H10 ABCD1234`). */
const MIN_SUFFIX = 4;

const plain = (text: string): string => text.toUpperCase().replace(/[^0-9A-Z]/g, '');

/** True if the device's name ends like the serial number, or like the name, of the sensor at the site. */
export function isThatSensor(deviceName: string, sensor: { serial: string; displayName: string }): boolean {
  const suffix = plain(deviceName.trim().split(/\s+/).at(-1) ?? '');
  if (suffix.length < MIN_SUFFIX) return plain(deviceName) === plain(sensor.displayName);
  return plain(sensor.serial).endsWith(suffix) || plain(sensor.displayName).endsWith(suffix);
}

/** Older Polar straps (H7, H9) offer the standard service alone. */
const POLAR_WITH_SAMPLES = /^Polar (H10|Sense|Verity|OH1|360|Loop)/i;

export function driverFor({ name = '' }: Pick<GattDevice, 'name'>): SensorDriver {
  if (POLAR_WITH_SAMPLES.test(name)) return new PolarDriver();
  return /^Movesense/i.test(name) ? new MovesenseDriver() : new HeartRateDriver();
}

const ARM_BANDS = /^Polar (Sense|Verity|OH1|360|Loop)/i;

/** Where a device is worn by its make, while the study team has not said. */
export const defaultLocation = ({ name = '' }: Pick<GattDevice, 'name'>): string =>
  ARM_BANDS.test(name) ? 'UPPER_ARM' : 'MEDIAL_CHEST';

/** Electrodes, as the recording's `physicalConfig.signal` has them. */
export const measuresEcg = ({ name = '' }: Pick<GattDevice, 'name'>): boolean => /^(Polar H10|Movesense)/i.test(name);

/** How the site lists what a device measures, while the study has no configuration for it: as in the presets of the study's sensors. */
export function sensingTypeOf(device: Pick<GattDevice, 'name'>): string {
  if (measuresEcg(device)) return 'MPU_ANALOG';
  return ARM_BANDS.test(device.name ?? '') ? 'PPI' : 'RR';
}

/** A sensor as the site lists it. */
export interface ListedSensor {
  serial: string;
  displayName: string;
  hardwareId: string;
  location?: string | undefined;
  side?: string | undefined;
  sensorConfig?: Record<string, unknown> | undefined;
}

/** What a recording of this device says about its sensor: as the study set it up, else as its make is worn. */
export function recordedSensor(device: Pick<GattDevice, 'name'>, sensor: ListedSensor): RecordedSensor {
  const { serial, displayName, hardwareId, location, side, sensorConfig } = sensor;
  const { sensingType } = sensorConfig ?? {};
  return {
    serial,
    displayName,
    hardwareId,
    physicalConfig: {
      location: location || defaultLocation(device),
      side: side === 'LEFT' || side === 'RIGHT' ? side : 'NONE',
      ...(measuresEcg(device) && { signal: 'ECG' }),
    },
    sensorConfig: { ...sensorConfig, sensingType: sensingType || sensingTypeOf(device) },
  };
}
