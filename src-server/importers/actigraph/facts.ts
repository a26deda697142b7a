/** What both layouts of an ActiGraph file share: its clock, its scale and its channel of acceleration. */
import type { SalvagedMember } from '../../files/zip-salvage.ts';
import type { SignalChannel } from '../../signals/types.ts';
import { startAtOffset, startOfWallClock, wallClockOf } from '../local-time.ts';
import type { DeviceFacts } from '../recording-header.ts';
import { empty } from '../refusals.ts';
import type { ImportOptions, SourceClock } from '../types.ts';
import { MICROSECONDS, requirePlausibleTime } from '../units.ts';
import type { ActigraphInfo } from './info-text.ts';

/** What both layouts need to make a recording. */
export interface ActigraphFile {
  path: string;
  options: ImportOptions;
  info: ActigraphInfo;
  /** False where `info.txt` is missing or damaged. */
  hasInfo: boolean;
  notes: string[];
  sha256: string;
  /** A small member as a whole; null where it is missing or damaged. */
  small: (name: string) => Promise<Uint8Array | null>;
  member: (name: string) => SalvagedMember | undefined;
}

export interface DeviceClock {
  clock: SourceClock;
  /** Microseconds since the epoch at a second of the device's wall clock. */
  toUs: (second: number) => number;
}

/** The clock of the file: with an offset from UTC, or a wall clock whose zone counts for the start alone. */
export function clockOf(
  { path, options, notes }: ActigraphFile,
  utcOffsetMinutes: number | undefined,
  firstSecond: number,
): DeviceClock {
  requirePlausibleTime(path, firstSecond * 1e6, MICROSECONDS);
  const wall = wallClockOf(firstSecond * 1e6);
  const { startUs, clock } =
    utcOffsetMinutes === undefined ? startOfWallClock(wall, options, notes) : startAtOffset(wall, utcOffsetMinutes);
  const shiftUs = startUs - firstSecond * 1e6;
  return { clock, toUs: (second) => second * 1e6 + shiftUs };
}

/** What the header says of the device. The name of a subject in the file is not kept. */
export const deviceOf = ({ serial, deviceType, firmware }: ActigraphInfo): DeviceFacts => ({
  maker: 'ActiGraph',
  model: deviceType,
  serial,
  firmware,
});

/** Counts per g where the file states none, by the serial number's family. */
export function usualCountsPerG(serial: string | undefined): number | undefined {
  const family = serial?.slice(0, 3).toUpperCase();
  if (family === 'NEO' || family === 'CLE' || family === 'MRA') return 341;
  if (family === 'MOS' || family === 'TAS') return 256;
  return undefined;
}

export function noSamples(path: string): Error {
  return empty(path, 'its log has no samples of acceleration.');
}

export function accelerationChannel(rate: number, countsPerG: number): SignalChannel {
  const rule = { origin: 0, divisor: countsPerG, span: 1, low: 0 };
  return {
    type: 'ACCEL',
    dimensions: ['x', 'y', 'z'],
    unit: 'g',
    nominalRateHz: rate,
    scale: [1 / countsPerG, 1 / countsPerG, 1 / countsPerG],
    offset: [0, 0, 0],
    sampleBits: 16,
    exact: [rule, rule, rule],
  };
}
