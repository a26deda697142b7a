/** What a header may hold (recording-format.md, section 2). Apart from the codec, which browsers load: they write headers of their own. */
import { z } from 'zod';
import { OutpostError } from '../../errors.ts';
import { LIMITS } from '../codec/block.ts';
import type { SignalHeader } from '../types.ts';

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
  device: z.looseObject({ maker: text.optional(), subjectCode: text.optional() }).optional(),
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
