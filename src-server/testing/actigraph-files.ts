/** ActiGraph files made in code, from the maker's documents: records, their payloads, and the ZIP around them. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export type Sample = readonly [x: number, y: number, z: number];

/** 0x1E, type, seconds, size, payload, checksum. */
export function logRecord(type: number, second: number, payload: Uint8Array): Buffer {
  const record = Buffer.alloc(9 + payload.byteLength);
  record[0] = 0x1e;
  record[1] = type;
  record.writeUInt32LE(second, 2);
  record.writeUInt16LE(payload.byteLength, 6);
  record.set(payload, 8);
  let sum = 0;
  for (let i = 0; i < record.length - 1; i++) sum ^= record[i]!;
  record[record.length - 1] = ~sum & 0xff;
  return record;
}

/** 12-bit values in the order given, most significant bits first; an odd number leaves the last nibble empty. */
export function packed(values: readonly number[]): Buffer {
  const nibbles = values.flatMap((value) => [(value >> 8) & 15, (value >> 4) & 15, value & 15]);
  if (nibbles.length % 2 === 1) nibbles.push(0);
  return Buffer.from(Array.from({ length: nibbles.length / 2 }, (_, i) => nibbles[2 * i]! * 16 + nibbles[2 * i + 1]!));
}

/** Payload of type 0x00: y, x, z. */
export const packedYxz = (samples: readonly Sample[]): Buffer => packed(samples.flatMap(([x, y, z]) => [y, x, z]));
/** Payload of type 0x1B: x, y, z. */
export const packedXyz = (samples: readonly Sample[]): Buffer => packed(samples.flat());

/** Payload of type 0x1A: 16 bits each. */
export function wide(samples: readonly Sample[]): Buffer {
  const bytes = Buffer.alloc(samples.length * 6);
  samples.flat().forEach((value, i) => {
    bytes.writeInt16LE(value, 2 * i);
  });
  return bytes;
}

export const ticksOf = (second: number): string => (BigInt(second) * 10_000_000n + 621_355_968_000_000_000n).toString();

/** `info.txt`; a value of null leaves its line out. */
export function infoText(changes: Record<string, string | null> = {}): Buffer {
  const fields: Record<string, string | null> = {
    'Serial Number': 'TAS1H30180001',
    'Device Type': 'Link',
    Firmware: '1.7.2',
    'Sample Rate': '30',
    TimeZone: '-04:00:00',
    'Acceleration Scale': '256.0',
    'Subject Name': 'Jane Doe',
    ...changes,
  };
  const lines = Object.entries(fields).filter(([, value]) => value !== null);
  return Buffer.from(lines.map(([key, value]) => `${key}: ${value}\r\n`).join(''));
}

export async function zipOf(members: Record<string, Uint8Array>, compress = true): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(members)) zip.addBuffer(Buffer.from(bytes), name, { compress });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A wide log of 100 Hz with noise of the size that a worn device shows. */
export async function writeLargeGt3x(path: string, seconds: number): Promise<void> {
  const start = Date.UTC(2024, 0, 1) / 1000;
  const rate = 100;
  let state = 1;
  const noise = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 27;
  };
  function* log(): Generator<Buffer> {
    let parts: Buffer[] = [];
    for (let s = 0; s < seconds; s++) {
      const samples = Array.from({ length: rate }, (): Sample => [noise(), noise() - 100, 240 + noise()]);
      parts.push(logRecord(0x1a, start + s, wide(samples)));
      if (parts.length === 500) {
        yield Buffer.concat(parts);
        parts = [];
      }
    }
    yield Buffer.concat(parts);
  }
  const zip = new ZipFile();
  zip.addReadStream(Readable.from(log()), 'log.bin', { compressionLevel: 1 });
  zip.addBuffer(infoText({ 'Sample Rate': `${rate}`, 'Start Date': ticksOf(start) }), 'info.txt');
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}
