/** Axivity files made in code: whole files, of any length, whose blocks have right checksums. */

interface MadeCwa {
  serial?: number;
  sessionId?: number;
  /** Wall clock of the recorder. */
  start?: Date;
  blocks?: number;
  annotation?: string;
  seed?: number;
}

const RATE_HZ = 100;
const SAMPLES = 80;

/** Hours of made data come in milliseconds: each block differs from every other. */
export function madeCwa({
  serial = 39434,
  sessionId = 26,
  start = new Date(Date.UTC(2026, 0, 5, 9)),
  blocks = 600,
  annotation = '_p=right+wrist&_sc=26',
  seed = 1,
}: MadeCwa = {}): Buffer {
  const file = Buffer.alloc(1024 + blocks * 512);
  header(file, { serial, sessionId, annotation });
  for (let block = 0; block < blocks; block++) {
    const at = file.subarray(1024 + block * 512, 1536 + block * 512);
    writeBlock(at, { block, sessionId, seconds: start.getTime() / 1000 + (block * SAMPLES) / RATE_HZ, seed });
  }
  return file;
}

function header(
  file: Buffer,
  { serial, sessionId, annotation }: { serial: number; sessionId: number; annotation: string },
) {
  file.write('MD', 0, 'latin1');
  file.writeUInt16LE(1020, 2);
  file[4] = 0x17;
  file.writeUInt16LE(serial & 0xffff, 5);
  file.writeUInt32LE(sessionId, 7);
  file.writeUInt16LE(serial >>> 16, 11);
  file.writeUInt32LE(0xffffffff, 17);
  file[36] = 0x4a;
  file[41] = 44;
  file.fill(0x20, 64, 512);
  file.write(annotation, 64, 'latin1');
}

function writeBlock(
  at: Buffer,
  { block, sessionId, seconds, seed }: Record<'block' | 'sessionId' | 'seconds' | 'seed', number>,
) {
  at.write('AX', 0, 'latin1');
  at.writeUInt16LE(508, 2);
  const whole = Math.floor(seconds);
  // The upper half of the fraction word marks that it is one.
  at.writeUInt16LE(0x8000 | Math.floor((seconds - whole) * 0x8000), 4);
  at.writeUInt32LE(sessionId, 6);
  at.writeUInt32LE(block, 10);
  at.writeUInt32LE(stamp(new Date(whole * 1000)), 14);
  // 256 counts per g.
  at.writeUInt16LE(0, 18);
  at.writeUInt16LE(256, 20);
  at[22] = block === 0 ? 1 : 0;
  at[23] = 190;
  at[24] = 0x4a;
  at[25] = 0x32;
  at.writeInt16LE(0, 26);
  at.writeUInt16LE(SAMPLES, 28);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const phase = (block * SAMPLES + sample) * 0.05 + seed;
    at.writeInt16LE(Math.round(40 * Math.sin(phase)), 30 + sample * 6);
    at.writeInt16LE(Math.round(30 * Math.cos(phase * 1.3)), 32 + sample * 6);
    at.writeInt16LE(256 + ((block + sample + seed) % 7), 34 + sample * 6);
  }
  let sum = 0;
  for (let i = 0; i < 510; i += 2) sum += at.readUInt16LE(i);
  at.writeUInt16LE(-sum & 0xffff, 510);
}

const stamp = (time: Date): number =>
  (((time.getUTCFullYear() - 2000) << 26) |
    ((time.getUTCMonth() + 1) << 22) |
    (time.getUTCDate() << 17) |
    (time.getUTCHours() << 12) |
    (time.getUTCMinutes() << 6) |
    time.getUTCSeconds()) >>>
  0;
