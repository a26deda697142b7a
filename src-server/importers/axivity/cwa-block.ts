/** One data block of a CWA file: its checks, its facts, its time, its samples. */
import { BLOCK_BYTES, BLOCK_MAGIC } from './cwa.ts';

const DATA = 30;
const DATA_BYTES = 480;
const WORDS = BLOCK_BYTES / 4;

/** Facts of a block, in one object that is filled again for each block: a week has a million. */
export interface CwaBlock {
  session: number;
  sequence: number;
  /** Time of the first sample by the device's clock, as if that were UTC. */
  timeUs: number;
  /** Whether the stamp holds a fraction of a second; without one it is good to a sample. */
  isFine: boolean;
  rateHz: number;
  axes: 3 | 6 | 9;
  isPacked: boolean;
  count: number;
  /** Counts per g. */
  accelPerG: number;
  /** deg/s at 32768 counts. */
  gyroRangeDps: number;
  lightRaw: number;
  temperatureRaw: number;
  batteryRaw: number;
}

export const emptyBlock = (): CwaBlock => ({
  session: 0,
  sequence: 0,
  timeUs: 0,
  isFine: true,
  rateHz: 100,
  axes: 3,
  isPacked: true,
  count: 0,
  accelPerG: 256,
  gyroRangeDps: 2000,
  lightRaw: 0,
  temperatureRaw: 0,
  batteryRaw: 0,
});

/** All 16-bit words of a block add up to 0. */
export function hasGoodSum(bytes: Buffer, at: number): boolean {
  let sum = 0;
  for (let i = 0; i < WORDS; i++) {
    const p = at + 4 * i;
    sum += bytes[p]! + bytes[p + 2]! + ((bytes[p + 1]! + bytes[p + 3]!) << 8);
  }
  return (sum & 0xffff) === 0;
}

/** Firmware of 2010 wrote no rate code and no checksum. */
export const isUnsummed = (bytes: Buffer, at: number): boolean => bytes[at + 24] === 0;

/** Reads the facts of the block at a position. False when it is none, or none whose facts can be true. */
export function readBlock(bytes: Buffer, at: number, block: CwaBlock): boolean {
  if (bytes.readUInt32LE(at) !== BLOCK_MAGIC) return false;
  const code = bytes[at + 24]!;
  const layout = bytes[at + 25]!;
  const axes = layout >> 4;
  const packing = layout & 15;
  const isPacked = packing === 0;
  if ((axes !== 3 && axes !== 6 && axes !== 9) || (packing !== 2 && !(isPacked && axes === 3))) return false;
  const count = bytes.readUInt16LE(at + 28);
  if (count === 0 || count * (isPacked ? 4 : axes * 2) > DATA_BYTES) return false;
  // The lowest rate of the devices is 6.25 Hz, 2010 firmware states the rate itself.
  const rateHz = code === 0 ? bytes.readUInt16LE(at + 26) : 3200 / 2 ** (15 - (code & 15));
  if (rateHz < 5 || rateHz > 3200) return false;
  const stampUs = stampOf(bytes.readUInt32LE(at + 14));
  if (Number.isNaN(stampUs)) return false;
  const offset = code === 0 ? 0 : bytes.readInt16LE(at + 26);
  const fraction = bytes.readUInt16LE(at + 4);
  block.isFine = code !== 0 && fraction >= 0x8000;
  if (block.isFine) {
    const parts = (fraction & 0x7fff) * 2;
    // Newer firmware moves the offset by the samples in the fraction, so that old readers stay within one sample.
    const index = offset + ((parts * Math.floor(rateHz)) >> 16);
    block.timeUs = stampUs + (parts / 65_536) * 1e6 - (index / rateHz) * 1e6;
  } else block.timeUs = stampUs - (offset / rateHz) * 1e6;
  const light = bytes.readUInt16LE(at + 18);
  block.session = bytes.readUInt32LE(at + 6);
  block.sequence = bytes.readUInt32LE(at + 10);
  block.rateHz = rateHz;
  block.axes = axes;
  block.isPacked = isPacked;
  block.count = count;
  // Packed samples are always of 1/256 g; AX3 devices that pack them leave the scale 0.
  block.accelPerG = isPacked ? 256 : 2 ** (8 + (light >> 13));
  block.gyroRangeDps = 8000 / 2 ** ((light >> 10) & 7);
  block.lightRaw = light & 0x3ff;
  block.temperatureRaw = bytes.readUInt16LE(at + 20) & 0x3ff;
  block.batteryRaw = bytes[at + 23]!;
  return true;
}

/** Microseconds of a packed stamp; NaN when it is no date. */
function stampOf(stamp: number): number {
  const month = (stamp >>> 22) & 15;
  const day = (stamp >>> 17) & 31;
  const hour = (stamp >>> 12) & 31;
  const minute = (stamp >>> 6) & 63;
  const second = stamp & 63;
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  return Date.UTC(2000 + (stamp >>> 26), month - 1, day, hour, minute, second) * 1000;
}

/**
 * Writes the samples of a block behind the first `row` rows of the columns: acceleration first, then rotation, then the magnetic
 * field. A column that the block has no axis for is left alone.
 */
export function unpackBlock(bytes: Buffer, at: number, block: CwaBlock, columns: Int16Array[], row: number): void {
  const { count, axes } = block;
  let p = at + DATA;
  const [x, y, z] = columns as [Int16Array, Int16Array, Int16Array];
  if (block.isPacked) {
    for (let i = row; i < row + count; i++, p += 4) {
      const word = bytes[p]! | (bytes[p + 1]! << 8) | (bytes[p + 2]! << 16) | (bytes[p + 3]! << 24);
      const shift = word >>> 30;
      x[i] = ((word << 22) >> 22) << shift;
      y[i] = ((word << 12) >> 22) << shift;
      z[i] = ((word << 2) >> 22) << shift;
    }
    return;
  }
  // On the wire rotation stands before acceleration, the magnetic field behind it.
  const order = axes === 3 ? [0, 1, 2] : axes === 6 ? [3, 4, 5, 0, 1, 2] : [3, 4, 5, 0, 1, 2, 6, 7, 8];
  const step = axes * 2;
  for (let a = 0; a < axes; a++) {
    const column = columns[order[a]!];
    if (!column) continue;
    let q = p + 2 * a;
    for (let i = row; i < row + count; i++, q += step) column[i] = bytes[q]! | (bytes[q + 1]! << 8);
  }
}
