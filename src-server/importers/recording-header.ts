/** Builds the header of an imported recording, with defaults for what a foreign file does not hold. */
import type { ForeignDevice, PhysicalConfig, SignalChannel, SignalHeader, SyncPoint } from '../signals/types.ts';
import type { DeviceMaker } from '../vocabulary/devices.ts';
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
  /** For the files of devices, instead of the three above. */
  device?: DeviceFacts;
  /** The code of a subject in a file that names no maker. */
  subjectCode?: string;
  /** Readings of the device's clock beside a host's, where the file has both. */
  syncPoints?: SyncPoint[];
}

/** What a file states of the device that recorded it. Never a name or a date of birth. */
export interface DeviceFacts {
  maker: DeviceMaker;
  model?: string;
  /** As the register of equipment knows it: what is printed on the device, without padding. */
  serial?: string;
  firmware?: string;
  /** The device's own number of the recording. */
  session?: number;
  /** The code of a subject that was set in the device. */
  subjectCode?: string;
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
  const { device } = facts;
  const subjectCode = device?.subjectCode || facts.subjectCode;
  const foreign: ForeignDevice = {
    ...(device ? { maker: device.maker } : {}),
    ...(subjectCode ? { subjectCode } : {}),
  };
  return {
    version: 1,
    deviceRecordingId: device?.session ?? 0,
    udid: facts.udid ?? (device?.serial || 'unknown'),
    hardwareId: facts.hardwareId ?? (device?.model || 'unknown'),
    firmwareId: facts.firmwareId ?? (device?.firmware || 'unknown'),
    ...(device || subjectCode ? { device: foreign } : {}),
    physicalConfig,
    sensorConfig: sensorConfigOf(facts.channels),
    channels: facts.channels,
    syncPoints: facts.syncPoints ?? [],
    source: facts.source,
  };
}
