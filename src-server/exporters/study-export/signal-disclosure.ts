/** The signal of a recording in a de-identified export: a header without words, and every time shifted. */
import type { SignalView } from '../../signals/index.ts';
import type { SignalHeader } from '../../signals/types.ts';
import { codeOf, type Disclosing, type Disclosure, idOf, listOf, MEASURE, objectOf, TEXT } from './disclosure.ts';
import {
  CHANNEL_TYPES,
  DIMENSIONS,
  GYRO_MODES,
  LOCATIONS,
  MARK_REASONS,
  SENSED_SIGNALS,
  SENSING_TYPES,
  SIDES,
  UNITS,
} from './known-codes.ts';
import type { SubjectFrame } from './subject-frame.ts';

/** Of a field that has to be there, when what stood in it did not leave. */
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
/** Labels of foreign files are free text: what is no known one is numbered. */
export const CHANNEL_TYPE: Disclosure = codeOf(CHANNEL_TYPES, (index) => `CH${index + 1}`);

/** Devices report their settings, so a number is no measure by itself. */
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

/** A further field of the header has to be given a class here before it compiles. */
const HEADER: Readonly<Record<keyof SignalHeader, Disclosure>> = {
  version: MEASURE,
  recordingId: idOf('recording'),
  // Sensors count their recordings, or number them by the clock.
  deviceRecordingId: TEXT,
  udid: idOf('equipment'),
  hardwareId: TEXT,
  firmwareId: TEXT,
  physicalConfig: objectOf({ location: LOCATION, side: SIDE, signal: SIGNAL }),
  sensorConfig: SENSOR_CONFIG,
  channels: listOf(objectOf(CHANNEL)),
  // Readings of the host's clock: real dates.
  syncPoints: TEXT,
  source: TEXT,
};

/** Reads signals of a subject as they may leave. */
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
