/** Commands and answers of Polar's measurement service. */
import { SensorProblem } from '../problem.ts';

export const ECG = 0;
export const ACC = 2;
export const PPI = 3;

const OP_SETTINGS = 1;
const OP_START = 2;
const OP_STOP = 3;
const FEATURES = 0x0f;
const ANSWER = 0xf0;
/** Sent without a question: the device has stopped streams. */
export const STOPPED_BY_DEVICE = 0x01;

export const ALREADY_ON = 6;

/** Parameters: rate, resolution, range (u16), range in thousandths (u32), channels (u8), factor (f32), security. */
const RATE = 0;
const RESOLUTION = 1;
const RANGE = 2;
const CHANNELS = 4;
const FACTOR = 5;
const PARAMETER_BYTES: Readonly<Record<number, number>> = { 0: 2, 1: 2, 2: 2, 3: 4, 4: 1, 5: 4, 6: 16 };

export interface Answer {
  op: number;
  type: number;
  status: number;
  /** More parameters follow in the next indication. */
  hasMore: boolean;
  parameters: Uint8Array;
}

export function readAnswer(bytes: Uint8Array): Answer | null {
  if (bytes.length < 4 || bytes[0] !== ANSWER) return null;
  return {
    op: bytes[1]!,
    type: bytes[2]!,
    status: bytes[3]!,
    hasMore: (bytes[4] ?? 0) !== 0,
    parameters: bytes.subarray(5),
  };
}

/** Measurement types that the device has, from the read of its control point. */
export function readFeatures(bytes: Uint8Array): number[] {
  if (bytes.length < 2 || bytes[0] !== FEATURES) {
    throw new SensorProblem('POLAR_FEATURES', 'The sensor did not say what it can measure. Turn it off and on.');
  }
  return [0, 1, 2, 3, 4, 5, 6].filter((type) => ((bytes[1] ?? 0) >> type) & 1);
}

export type Settings = Map<number, number[]>;

export function readSettings(parameters: Uint8Array): Settings {
  const settings: Settings = new Map();
  const view = new DataView(parameters.buffer, parameters.byteOffset, parameters.byteLength);
  for (let at = 0; at + 2 <= parameters.length; ) {
    const id = parameters[at]!;
    const count = parameters[at + 1]!;
    const width = PARAMETER_BYTES[id];
    at += 2;
    if (width === undefined || at + count * width > parameters.length) break;
    const values: number[] = [];
    for (let i = 0; i < count; i++, at += width) {
      if (id === FACTOR) values.push(view.getFloat32(at, true));
      else if (width === 1) values.push(view.getUint8(at));
      else if (width === 2) values.push(view.getUint16(at, true));
      else values.push(view.getUint32(at, true));
    }
    settings.set(id, values);
  }
  return settings;
}

export const factorOf = (parameters: Uint8Array): number | null => readSettings(parameters).get(FACTOR)?.[0] ?? null;

const bytesOf = (...bytes: number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

export const settingsCommand = (type: number) => bytesOf(OP_SETTINGS, type);
export const stopCommand = (type: number) => bytesOf(OP_STOP, type);

export interface Choice {
  rateHz: number;
  resolutionBits: number;
  rangeG: number | null;
  command: Uint8Array<ArrayBuffer>;
}

/** Nearest to the wish, so that a unit without it still records. */
const nearest = (values: number[] | undefined, wish: number): number | null =>
  values?.reduce((best, value) => (Math.abs(value - wish) < Math.abs(best - wish) ? value : best), values[0]!) ?? null;

/** The start command for a device's settings. @param wish what is right for a chest strap or an arm band */
export function startCommand(type: number, settings: Settings, wish: { rateHz: number; rangeG: number }): Choice {
  const bytes = [OP_START, type];
  const add16 = (id: number, value: number) => bytes.push(id, 1, value & 0xff, value >> 8);
  const rateHz = nearest(settings.get(RATE), wish.rateHz);
  const resolutionBits = nearest(settings.get(RESOLUTION), 16);
  const rangeG = nearest(settings.get(RANGE), wish.rangeG);
  const channels = settings.get(CHANNELS)?.[0];
  if (rateHz !== null) add16(RATE, rateHz);
  if (resolutionBits !== null) add16(RESOLUTION, resolutionBits);
  if (rangeG !== null) add16(RANGE, rangeG);
  if (channels !== undefined) bytes.push(CHANNELS, 1, channels);
  return { rateHz: rateHz ?? wish.rateHz, resolutionBits: resolutionBits ?? 16, rangeG, command: bytesOf(...bytes) };
}

/** Why a command was refused, for a person. Codes are `POLAR_STATUS_<n>`. */
const STATUS: Readonly<Record<number, string>> = {
  1: 'The sensor does not know this command. Update its firmware in the app of its maker.',
  2: 'The sensor does not have this measurement.',
  3: 'The sensor does not support this measurement.',
  4: 'The sensor refused the command: wrong length.',
  5: 'The sensor refused the settings of the measurement.',
  6: 'The measurement is already running.',
  7: 'The sensor does not have this resolution.',
  8: 'The sensor does not have this sampling rate.',
  9: 'The sensor does not have this range.',
  10: 'The connection carries too few bytes at once for this measurement. Reconnect, or restart Bluetooth on this device.',
  11: 'The sensor does not have this number of channels.',
  12: 'The sensor cannot measure in its present state. Close other apps that use it.',
  13: 'The sensor is on its charger. Take it off.',
  14: 'The memory of the sensor is full.',
};

export function problemOfStatus(status: number): SensorProblem {
  const message = STATUS[status] ?? `The sensor refused the measurement (status ${status}).`;
  return new SensorProblem(`POLAR_STATUS_${status}`, message);
}
