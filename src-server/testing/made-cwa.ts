/** Axivity files made in code: blocks of any firmware, packing and fault, and whole files of any length. */
import { open } from 'node:fs/promises';

export interface MadeBlock {
  /** Device's clock as if it were UTC, of the first sample. */
  timeUs: number;
  sequence: number;
  session?: number;
  axes?: 3 | 6 | 9;
  isPacked?: boolean;
  rateCode?: number;
  /** Of firmware before 30: no fraction. Of 2010: no rate code and no checksum either. */
  firmware?: 'OLD' | '2010';
  light?: number;
  temperature?: number;
  battery?: number;
  events?: number;
  /** Counts of sample i in axis a, in the order x, y, z of acceleration, rotation, magnetic field. */
  value?: (i: number, axis: number) => number;
  count?: number;
  /** The sample whose time the stamp is; default half of the block, as devices do. */
  stamped?: number;
}

export const FULL: Readonly<Record<number, number>> = { 3: 80, 6: 40, 9: 26 };
/** 100 Hz, +-8 g. */
const RATE_100_HZ = 0x4a;

export function madeHeader(
  facts: { deviceId?: number; session?: number; hardware?: number; firmware?: number; annotation?: string } = {},
): Buffer {
  const header = Buffer.alloc(1024, 0xff);
  header.write('MD', 0, 'latin1');
  header.writeUInt16LE(1020, 2);
  header[4] = facts.hardware ?? 0x17;
  const id = facts.deviceId ?? 12_345;
  header.writeUInt16LE(id & 0xffff, 5);
  header.writeUInt32LE(facts.session ?? 7, 7);
  header.writeUInt16LE(id > 0xffff ? id >>> 16 : 0xffff, 11);
  header[36] = RATE_100_HZ;
  header[41] = facts.firmware ?? 44;
  header.fill(0x20, 64, 512);
  header.write(facts.annotation ?? '', 64, 'latin1');
  return header;
}

export function rateOf(code: number): number {
  return 3200 / 2 ** (15 - (code & 15));
}

export function madeBlock(block: MadeBlock, into = Buffer.alloc(512)): Buffer {
  const { axes = 3, isPacked = axes === 3, rateCode = RATE_100_HZ, firmware } = block;
  const count = block.count ?? (isPacked ? 120 : FULL[axes]!);
  const rate = rateOf(rateCode);
  into.write('AX', 0, 'latin1');
  into.writeUInt16LE(508, 2);
  into.writeUInt32LE(block.session ?? 7, 6);
  into.writeUInt32LE(block.sequence, 10);
  // As the device does it: the stamp is of a moment inside the block, the offset says at which sample.
  const inside = firmware === '2010' ? 0 : (block.stamped ?? Math.floor(count / 2));
  const momentUs = block.timeUs + (inside / rate) * 1e6;
  const second = Math.floor(momentUs / 1e6);
  const parts = Math.floor(((momentUs - second * 1e6) / 1e6) * 65_536) & ~1;
  const isFine = firmware === undefined;
  into.writeUInt16LE(isFine ? 0x8000 | (parts >> 1) : 12_345, 4);
  into.writeUInt32LE(stampOf(second), 14);
  const moved = inside - ((parts * Math.floor(rate)) >> 16);
  // Without a fraction the offset is that of the whole second itself.
  const whole = inside - Math.round((parts / 65_536) * rate);
  into.writeInt16LE(firmware === '2010' ? rate : isFine ? moved : whole, 26);
  into.writeUInt16LE(((isPacked ? 0 : 3) << 13) | (5 << 10) | (block.light ?? 300), 18);
  into.writeUInt16LE(block.temperature ?? 260, 20);
  into[22] = block.events ?? 0;
  into[23] = block.battery ?? 190;
  into[24] = firmware === '2010' ? 0 : rateCode;
  into[25] = (axes << 4) | (isPacked ? 0 : 2);
  into.writeUInt16LE(count, 28);
  const value = block.value ?? ((i, axis) => ((i * (axis + 3)) % 401) - 200);
  for (let i = 0; i < count; i++) {
    if (isPacked) {
      const word = (value(i, 0) & 0x3ff) | ((value(i, 1) & 0x3ff) << 10) | ((value(i, 2) & 0x3ff) << 20);
      into.writeInt32LE(word, 30 + 4 * i);
    } else {
      for (let a = 0; a < axes; a++) {
        const place = axes === 3 ? a : a < 3 ? a + 3 : a < 6 ? a - 3 : a;
        into.writeInt16LE(value(i, a), 30 + 2 * (i * axes + place));
      }
    }
  }
  into.writeUInt16LE(0, 510);
  return firmware === '2010' ? into : summed(into);
}

/** Sets the checksum: all words add up to 0. */
export function summed(block: Buffer): Buffer {
  let sum = 0;
  for (let i = 0; i < 510; i += 2) sum += block.readUInt16LE(i);
  block.writeUInt16LE(-sum & 0xffff, 510);
  return block;
}

function stampOf(second: number): number {
  const date = new Date(second * 1000);
  return (
    (((date.getUTCFullYear() - 2000) << 26) |
      ((date.getUTCMonth() + 1) << 22) |
      (date.getUTCDate() << 17) |
      (date.getUTCHours() << 12) |
      (date.getUTCMinutes() << 6) |
      date.getUTCSeconds()) >>>
    0
  );
}

interface MadeCwa {
  serial?: number;
  sessionId?: number;
  /** Wall clock of the recorder. */
  start?: Date;
  blocks?: number;
  annotation?: string;
  seed?: number;
}

/** A whole file of unpacked blocks at 100 Hz, each of which differs from every other. */
export function madeCwa({
  serial = 39_434,
  sessionId = 26,
  start = new Date(Date.UTC(2026, 0, 5, 9)),
  blocks = 600,
  annotation = '_p=right+wrist&_sc=26',
  seed = 1,
}: MadeCwa = {}): Buffer {
  const file = Buffer.alloc(1024 + blocks * 512);
  madeHeader({ deviceId: serial, session: sessionId, annotation }).copy(file);
  for (let sequence = 0; sequence < blocks; sequence++) {
    const phaseOf = (i: number): number => (sequence * FULL[3]! + i) * 0.05 + seed;
    const value = (i: number, axis: number): number =>
      axis === 0
        ? Math.round(40 * Math.sin(phaseOf(i)))
        : axis === 1
          ? Math.round(30 * Math.cos(phaseOf(i) * 1.3))
          : 256 + ((sequence + i + seed) % 7);
    const at = 1024 + sequence * 512;
    madeBlock(
      {
        timeUs: start.getTime() * 1000 + sequence * FULL[3]! * 10_000,
        sequence,
        session: sessionId,
        isPacked: false,
        stamped: 0,
        events: sequence === 0 ? 1 : 0,
        value,
      },
      file.subarray(at, at + 512),
    );
  }
  return file;
}

/** Writes a file of at least `bytes`: 100 Hz whose real rate is 1 % less, moving values with noise. */
export async function writeLargeCwa(path: string, bytes: number, axes: 3 | 6 = 6): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.write(madeHeader({ hardware: axes === 6 ? 0x64 : 0x17 }));
    const blocks = Math.ceil((bytes - 1024) / 512);
    const batch = Buffer.alloc(512 * 8192);
    const startUs = Date.UTC(2026, 4, 4, 9) * 1000;
    const count = axes === 3 ? 120 : 40;
    let noise = 1;
    // Waves under noise of a few counts, as a worn sensor has: neither random bytes nor a constant.
    const value = (i: number, axis: number): number => {
      noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) | 0;
      return Math.round(180 * Math.sin((i + axis * 9) / 7)) + (noise >>> 29);
    };
    for (let from = 0; from < blocks; from += 8192) {
      const n = Math.min(8192, blocks - from);
      for (let b = 0; b < n; b++) {
        const sequence = from + b;
        madeBlock(
          { timeUs: startUs + sequence * count * 10_101.3, sequence, axes, value },
          batch.subarray(512 * b, 512 * (b + 1)),
        );
      }
      await file.write(batch, 0, 512 * n);
    }
  } finally {
    await file.close();
  }
}
