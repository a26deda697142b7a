/** What a device says of a file before it sends it: the `Upload-Metadata` of tus. upload.md, section 3. */
import { z } from 'zod';
import { OutpostError } from '../../errors.ts';
import type { SyncPoint } from '../../signals/types.ts';

/** A day of three sensors at the highest rates is far below this. */
export const MAX_UPLOAD_BYTES = 10e9;
/** Version of the recording format that this program reads. */
const FORMAT_VERSION = 1;
const MAX_SYNC_POINTS = 200;

export interface UploadMetadata {
  recordingId: string;
  sensorId: string;
  sha256: string;
  formatVersion: number;
  /** By the sensor's clock, epoch microseconds. */
  startUs: number;
  syncPoints: SyncPoint[];
  /** The device's clock when it began, epoch ms. */
  clockTs?: number;
}

const integerText = (maximumDigits: number) =>
  z
    .string()
    .regex(new RegExp(`^-?\\d{1,${maximumDigits}}$`), { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.int());

const microseconds = z.int();

const syncPointsText = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.array(z.tuple([microseconds, microseconds])).max(MAX_SYNC_POINTS))
  .transform((pairs) => pairs.map(([sensorUs, hostUs]): SyncPoint => ({ sensorUs, hostUs })));

const metadataSchema = z.object({
  recordingId: z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, {
    error: 'must be a UUID in lower case',
  }),
  sensor: z.string().regex(/^[\x21-\x7e]{1,64}$/, { error: 'must be the serial number of the sensor' }),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits in lower case' }),
  formatVersion: integerText(5).pipe(z.int().min(1)),
  startUs: integerText(16),
  syncPoints: syncPointsText.optional(),
  clockTs: integerText(14).optional(),
});

/** @throws UPLOAD_METADATA, naming the member */
export function parseMetadata(values: Readonly<Record<string, string | null>>): UploadMetadata {
  const parsed = metadataSchema.safeParse(values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = String(issue.path[0] ?? '');
    const problem =
      values[path] === undefined ? 'is missing' : /^Invalid/.test(issue.message) ? 'is not valid' : issue.message;
    throw new OutpostError('UPLOAD_METADATA', `Upload-Metadata: \`${path}\` ${problem}.`);
  }
  const { sensor, syncPoints, clockTs, ...rest } = parsed.data;
  return { ...rest, sensorId: sensor, syncPoints: syncPoints ?? [], ...(clockTs !== undefined && { clockTs }) };
}

/** @throws UPLOAD_TOO_LARGE, FILE_EMPTY, FORMAT_TOO_NEW */
export function checkAnnouncement(metadata: UploadMetadata, sizeBytes: number): void {
  if (sizeBytes > MAX_UPLOAD_BYTES) {
    throw new OutpostError(
      'UPLOAD_TOO_LARGE',
      `The file has ${sizeBytes} bytes; at most ${MAX_UPLOAD_BYTES} are taken.`,
    );
  }
  if (sizeBytes === 0) throw new OutpostError('FILE_EMPTY', 'The file is empty, so there is nothing to store.');
  if (metadata.formatVersion > FORMAT_VERSION) throw tooNew(metadata.formatVersion);
}

function tooNew(version: number): OutpostError {
  return new OutpostError(
    'FORMAT_TOO_NEW',
    `The file has format ${version}; this site reads up to ${FORMAT_VERSION}. Update Outpost on the site's computer.`,
  );
}

const MAGIC = Buffer.from([0x89, 0x4f, 0x53, 0x49, 0x47, 0x0d, 0x0a, 0x1a]);

/** Refuses what cannot be a recording by its first bytes, before any is kept. @throws UNSUPPORTED_FORMAT, FORMAT_TOO_NEW */
export function checkHead(head: Buffer): void {
  const length = Math.min(head.length, MAGIC.length);
  if (head.compare(MAGIC, 0, length, 0, length) !== 0) {
    throw new OutpostError(
      'UNSUPPORTED_FORMAT',
      'The file is no recording: it does not begin with the bytes of the format.',
    );
  }
  if (head.length >= 10 && head.readUInt16LE(8) > FORMAT_VERSION) throw tooNew(head.readUInt16LE(8));
}
