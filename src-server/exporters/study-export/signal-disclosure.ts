/** The de-identified view of a signal: a header without free text, and all times shifted. */
import type { SignalView } from '../../signals/index.ts';
import type { SignalHeader } from '../../signals/types.ts';
import { codeOf, type Disclosing, type Disclosure, idOf, listOf, MEASURE, objectOf, TEXT } from './disclosure.ts';
import {
  CHANNEL_TYPES,
  DIMENSIONS,
  GYRO_MODES,
  LOCATIONS,
  MAKERS,
  MARK_REASONS,
  SENSED_SIGNALS,
  SENSING_TYPES,
  SIDES,
  UNITS,
} from './known-codes.ts';
import type { SubjectFrame } from './subject-frame.ts';

/** Replacement for a required field whose value is not disclosed. */
const NEUTRAL: SignalHeader = {
  version: 1,
  recordingId: '',
  deviceRecordingId: 0,
  udid: '',
  hardwareId: '',
  firmwareId: '',
  physicalConfig: { location: 'OTHER', side: 'NONE' },
  sensorConfig: {},
  channels: [],
  syncPoints: [],
  source: { format: '', fileName: '', sha256: '' },
};

export const LOCATION: Disclosure = codeOf(LOCATIONS, 'OTHER');
export const SIDE: Disclosure = codeOf(SIDES, 'NONE');
export const SIGNAL: Disclosure = codeOf(SENSED_SIGNALS);
/** Labels of foreign files are free text: unknown ones are numbered. */
export const CHANNEL_TYPE: Disclosure = codeOf(CHANNEL_TYPES, (index) => `CH${index + 1}`);

/** Devices report their settings freely, so a number is not necessarily a measure. */
const SETTING: Disclosure = { kind: 'measure', most: 100_000 };

export const SENSOR_CONFIG: Disclosure = objectOf({
  sensingType: codeOf(SENSING_TYPES),
  afe: objectOf({ gain: SETTING, rate: SETTING }),
  gyro: objectOf({
    accelLowPower: SETTING,
    accelRange: SETTING,
    gyroAutoCalib: SETTING,
    mode: codeOf(GYRO_MODES),
    periodMs: SETTING,
  }),
});

const CHANNEL: Readonly<Record<keyof Required<SignalHeader['channels'][number]>, Disclosure>> = {
  type: CHANNEL_TYPE,
  dimensions: listOf(codeOf(DIMENSIONS, (index) => `ch${index + 1}`)),
  unit: codeOf(UNITS, 'NU'),
  nominalRateHz: MEASURE,
  scale: listOf(MEASURE),
  offset: listOf(MEASURE),
  sampleBits: MEASURE,
  exact: listOf(objectOf({ origin: MEASURE, divisor: MEASURE, span: MEASURE, low: MEASURE })),
};

/** A new header field does not compile until it has a class here. */
const HEADER: Readonly<Record<keyof Required<SignalHeader>, Disclosure>> = {
  version: MEASURE,
  recordingId: idOf('recording'),
  // A sensor's recording number may be a time stamp.
  deviceRecordingId: TEXT,
  udid: idOf('equipment'),
  hardwareId: TEXT,
  firmwareId: TEXT,
  physicalConfig: objectOf({ location: LOCATION, side: SIDE, signal: SIGNAL }),
  sensorConfig: SENSOR_CONFIG,
  channels: listOf(objectOf(CHANNEL)),
  // Readings of the host's clock are true dates.
  syncPoints: TEXT,
  // The maker is a trade name of a short list; the code of a subject that was set in the device may be a name.
  device: objectOf({ maker: codeOf(MAKERS), subjectCode: TEXT }),
  source: TEXT,
};

/** Returns the view that signals of a subject are read through. */
export function signalView(disclosing: Disclosing, frame: SubjectFrame): SignalView {
  return {
    header: (header) => ({
      ...NEUTRAL,
      ...(disclosing.show(objectOf(HEADER), header, frame) as Partial<SignalHeader>),
    }),
    reason: (reason) => (MARK_REASONS.has(reason) ? reason : 'FAULT'),
    shiftUs: frame.shiftMs * 1000,
  };
}
