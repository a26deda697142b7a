/** Encodes and decodes the container header: magic, version, length, CRC and JSON (recording-format.md, section 2). */
import { crc32c } from '@node-rs/crc32';
import { z } from 'zod';
import { OutpostError } from '../../errors.ts';
import { LIMITS } from '../codec/block.ts';
import type { SignalHeader } from '../types.ts';

export const CONTAINER_VERSION = 1;
export const PREAMBLE_BYTES = 20;

const finite = z.number();
const text = z.string().max(4096);

const exactSchema = z.object({
  origin: finite,
  divisor: finite,
  span: finite,
  low: finite,
  lastPlaces: z.string().optional(),
});

// Loose, to preserve members of a later minor version or another manufacturer.
const channelSchema = z
  .looseObject({
    type: text.min(1),
    dimensions: z.array(text.min(1)).min(1).max(LIMITS.dimensions),
    unit: text,
    nominalRateHz: z.number().positive(),
    scale: z.array(finite),
    offset: z.array(finite),
    sampleBits: z.union([z.literal(16), z.literal(32)]),
    exact: z.array(exactSchema).optional(),
  })
  .refine((channel) => channel.scale.length === channel.dimensions.length, 'needs one scale per dimension')
  .refine((channel) => channel.offset.length === channel.dimensions.length, 'needs one offset per dimension');

const headerSchema = z.looseObject({
  version: z.literal(1),
  recordingId: text.min(1),
  deviceRecordingId: z.number().int(),
  udid: text,
  hardwareId: text,
  firmwareId: text,
  physicalConfig: z.looseObject({ location: text, side: text, signal: text.optional() }),
  sensorConfig: z.record(z.string(), z.unknown()),
  channels: z.array(channelSchema).min(1).max(LIMITS.channels),
  syncPoints: z.array(z.object({ sensorUs: finite, hostUs: finite })),
  source: z.looseObject({ format: text, fileName: text, sha256: text }),
});

/** Validates a header. @throws INVALID_INPUT with the path of the first problem */
export function checkHeader(value: unknown): SignalHeader {
  const result = headerSchema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw new OutpostError(
    'INVALID_INPUT',
    `The recording's header is not usable: ${issue.path.join('.') || 'header'}: ${issue.message}.`,
  );
}

/** Returns the preamble and JSON with which a file begins. @throws INVALID_INPUT over the size limit */
export function encodeContainerHeader(magic: Buffer, json: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(json), 'utf8');
  if (body.length > LIMITS.headerBytes) {
    throw new OutpostError('INVALID_INPUT', `The recording's header takes ${body.length} bytes; at most 1 MiB fits.`);
  }
  const bytes = Buffer.alloc(PREAMBLE_BYTES + body.length);
  magic.copy(bytes, 0);
  bytes.writeUInt16LE(CONTAINER_VERSION, 8);
  bytes.writeUInt16LE(0, 10);
  bytes.writeUInt32LE(body.length, 12);
  body.copy(bytes, PREAMBLE_BYTES);
  bytes.writeUInt32LE(crc32c(body, crc32c(bytes.subarray(0, 16))), 16);
  return bytes;
}

/** Returns the length of preamble and JSON together. @throws SIGNAL_FILE_DAMAGED, UNSUPPORTED_FORMAT */
export function containerHeaderLength(magic: Buffer, preamble: Buffer, path: string): number {
  if (preamble.length < PREAMBLE_BYTES || preamble.compare(magic, 0, 8, 0, 8) !== 0) {
    throw new OutpostError('SIGNAL_FILE_DAMAGED', `${path} does not start with the signature of this file type.`);
  }
  const version = preamble.readUInt16LE(8);
  if (version > CONTAINER_VERSION) {
    throw new OutpostError(
      'UNSUPPORTED_FORMAT',
      `${path} was written by a newer Outpost (format ${version}). Update Outpost to read it.`,
    );
  }
  const length = preamble.readUInt32LE(12);
  if (version < 1 || length > LIMITS.headerBytes) {
    throw new OutpostError('SIGNAL_FILE_DAMAGED', `The header of ${path} is damaged.`);
  }
  return PREAMBLE_BYTES + length;
}

/** Returns the JSON value of a header after checking its CRC. @throws SIGNAL_FILE_DAMAGED */
export function decodeContainerHeader(bytes: Buffer, path: string): unknown {
  const body = bytes.subarray(PREAMBLE_BYTES);
  if (crc32c(body, crc32c(bytes.subarray(0, 16))) !== bytes.readUInt32LE(16)) {
    throw new OutpostError('SIGNAL_FILE_DAMAGED', `The header of ${path} is damaged.`);
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new OutpostError('SIGNAL_FILE_DAMAGED', `The header of ${path} is damaged.`, { cause });
  }
}
