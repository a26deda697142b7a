/** Who and what a full site is made of: subjects with their hubs, phones and sensors, all named by number. */
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import type { SignalHeader } from '../../signals/types.ts';
import type { SignalChannel } from '../../study/recording.ts';
import { chanceOf, digestOf, idOf } from './rows.ts';

export interface FullDatabaseSize {
  accountId: string;
  studyId: string;
  subjects: number;
  days: number;
  /** Per subject; each has one recording a day. */
  sensors: number;
  /** Midnight UTC of the first day, epoch ms. */
  fromTs: number;
}

export interface FullSensor {
  id: string;
  udid: string;
  deviceConfigId: string;
  physicalConfig: { location: string; side: string; signal?: string };
  channels: SignalChannel[];
}

export interface FullSubject {
  index: number;
  id: string;
  timezone: string;
  offsetMs: number;
  hubId: string;
  hubCredentialId: string;
  phoneCredentialId: string;
  sensors: FullSensor[];
}

export const SENSOR_CONFIG = {
  sensingType: 'MPU_ANALOG',
  afe: { gain: 6, rate: 250 },
  gyro: { mode: 'ACCEL', periodMs: 32 },
};
const ACCEL: SignalChannel = {
  type: 'ACCEL',
  dimensions: ['x', 'y', 'z'],
  unit: 'g',
  nominalRateHz: 31.25,
  scale: [8 / 65_535, 8 / 65_535, 8 / 65_535],
  offset: [0, 0, 0],
  sampleBits: 16,
};
const ECG: SignalChannel = {
  type: 'ECG',
  dimensions: ['v'],
  unit: 'V',
  nominalRateHz: 250,
  scale: [0.40333 / 65_535],
  offset: [0],
  sampleBits: 16,
};
/** Sensors take these in turn. */
export const WORN = [
  { physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' }, channels: [ACCEL, ECG] },
  { physicalConfig: { location: 'ANTERIOR_THIGH', side: 'RIGHT' }, channels: [ACCEL] },
] as const;

const ZONES = [
  { timezone: 'UTC', offsetMs: 0 },
  { timezone: 'Asia/Tokyo', offsetMs: 9 * HOUR_MS },
] as const;

export function subjectOf(size: FullDatabaseSize, deviceConfigIds: readonly string[], index: number): FullSubject {
  const { fromTs, studyId } = size;
  const hubId = `FH-${index}`;
  return {
    index,
    id: idOf(fromTs, 'subject', studyId, index),
    ...ZONES[index % ZONES.length]!,
    hubId,
    hubCredentialId: idOf(fromTs, 'credential', hubId),
    phoneCredentialId: idOf(fromTs, 'phone', hubId),
    sensors: Array.from({ length: size.sensors }, (_, k) => {
      const id = `FS-${index}-${k}`;
      const worn = WORN[k % WORN.length]!;
      return {
        id,
        udid: `F0:${digestOf(id).slice(0, 10).match(/../g)!.join(':').toUpperCase()}`,
        deviceConfigId: deviceConfigIds[k % WORN.length]!,
        physicalConfig: worn.physicalConfig,
        channels: [...worn.channels],
      };
    }),
  };
}

/** One recording in 33 never came, and the last two days of one subject in 20. */
export function isMissing(size: FullDatabaseSize, subject: FullSubject, sensor: number, day: number): boolean {
  if (subject.index % 20 === 19 && size.days > 2 && day >= size.days - 2) return true;
  return chanceOf(subject.index, day, sensor) < 0.03;
}

export interface FullRecording {
  id: string;
  startTs: number;
  stopTs: number;
  sensor: FullSensor;
  header: SignalHeader;
}

/** The recording of one sensor on one day: 12 hours from about eight in the morning, local time. */
export function recordingOf(size: FullDatabaseSize, subject: FullSubject, k: number, day: number): FullRecording {
  const sensor = subject.sensors[k]!;
  const startTs =
    size.fromTs + day * DAY_MS - subject.offsetMs + 8 * HOUR_MS + ((subject.index * 37 + day * 11) % 1800) * 1000;
  const stopTs = startTs + 12 * HOUR_MS;
  const id = idOf(startTs, 'recording', sensor.id, day);
  const header: SignalHeader = {
    version: 1,
    recordingId: id,
    deviceRecordingId: day,
    udid: sensor.udid,
    hardwareId: 'BRCS02',
    firmwareId: '1.0',
    physicalConfig: sensor.physicalConfig,
    sensorConfig: SENSOR_CONFIG,
    channels: sensor.channels,
    syncPoints: [],
    source: { format: 'outpost', fileName: `${id}.sig`, sha256: digestOf(id) },
  };
  return { id, startTs, stopTs, sensor, header };
}
