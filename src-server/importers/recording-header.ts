/** Builds the header of an imported recording, with defaults for what a foreign file does not hold. */
import type { PhysicalConfig, SignalChannel, SignalHeader } from '../signals/types.ts';
import type { ImportOptions } from './types.ts';

export type ImportedHeader = Omit<SignalHeader, 'recordingId'>;

interface HeaderFacts {
  channels: SignalChannel[];
  source: SignalHeader['source'];
  location?: string;
  side?: string;
  udid?: string;
  firmwareId?: string;
  hardwareId?: string;
}

/** Location codes of common names (lower back and waist are recorded as SACRUM). */
const LOCATION_SYNONYMS: Record<string, string> = {
  LOWER_BACK: 'SACRUM',
  WAIST: 'SACRUM',
  BACK: 'SACRUM',
  CHEST: 'MEDIAL_CHEST',
  THIGH: 'ANTERIOR_THIGH',
};

/** `lower back` -> `SACRUM`, `Medial-Chest` -> `MEDIAL_CHEST`; other names go through in wire form. */
export function wireLocation(name: string): string {
  const wire = name
    .trim()
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_');
  return LOCATION_SYNONYMS[wire] ?? wire;
}

/** Sensor settings in the form of the API, as far as the channels determine them. */
function sensorConfigOf(channels: SignalChannel[]): Record<string, unknown> {
  const motion = channels.find((channel) => channel.type === 'ACCEL') ?? channels.find((c) => c.type === 'GYRO');
  const electrode = channels.find((channel) => channel.type === 'ECG' || channel.type === 'EMG');
  const hasGyro = channels.some((channel) => channel.type === 'GYRO');
  return {
    sensingType: motion ? (electrode ? 'MPU_ANALOG' : 'MPU') : 'ANALOG',
    gyro: {
      accelLowPower: false,
      accelRange: accelRangeG(motion),
      gyroAutoCalib: false,
      mode: hasGyro ? 'ACCEL_GYRO' : 'ACCEL',
      periodMs: motion ? Math.round(1000 / motion.nominalRateHz) : 0,
    },
    ...(electrode ? { afe: { gain: 0, rate: Math.round(electrode.nominalRateHz) } } : {}),
  };
}

function accelRangeG(motion: SignalChannel | undefined): number {
  if (motion?.type !== 'ACCEL') return 0;
  const rule = motion.exact?.[0];
  return rule && rule.divisor === 65_535 ? Math.round(rule.span / 2) : 0;
}

/** Builds the header; location and side of the import options take precedence over the file's. */
export function makeHeader(facts: HeaderFacts, options: ImportOptions): ImportedHeader {
  const physicalConfig: PhysicalConfig = {
    location: wireLocation(options.location ?? facts.location ?? 'OTHER'),
    side: (options.side ?? facts.side ?? 'NONE').toUpperCase(),
  };
  const electrode = facts.channels.find((channel) => channel.type === 'ECG' || channel.type === 'EMG');
  if (electrode) physicalConfig.signal = electrode.type;
  return {
    version: 1,
    deviceRecordingId: 0,
    udid: facts.udid ?? 'unknown',
    hardwareId: facts.hardwareId ?? 'unknown',
    firmwareId: facts.firmwareId ?? 'unknown',
    physicalConfig,
    sensorConfig: sensorConfigOf(facts.channels),
    channels: facts.channels,
    syncPoints: [],
    source: facts.source,
  };
}
