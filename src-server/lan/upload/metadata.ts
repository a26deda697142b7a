/** The `Upload-Metadata` of an announcement, parsed and checked. upload.md, section 3. */
import { z } from 'zod';
import { OutpostError } from '../../errors.ts';
import type { SyncPoint } from '../../signals/types.ts';

/** Far above a day of three sensors at the highest rates. */
export const MAX_UPLOAD_BYTES = 10e9;
/** The newest version of the recording format that this program reads. */
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
  /** The device's clock at the announcement, epoch ms. */
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

/**
 * Parses the header itself: "one or more comma-separated key-value pairs. The key and value MUST be separated by a space. The
 * key MUST NOT contain spaces and commas and MUST NOT be empty. The key SHOULD be ASCII encoded and the value MUST be Base64
 * encoded. All keys MUST be unique. The value MAY be empty." (tus 1.0, creation)
 * @throws UPLOAD_METADATA
 */
export function parseMetadataHeader(header = ''): Record<string, string | null> {
  const values = new Map<string, string | null>();
  for (const pair of header.split(',')) {
    const [, key, value = ''] = /^([!-+\--~]+)(?: ([\d+/A-Za-z]*={0,2}))?$/.exec(pair) ?? [];
    if (key === undefined || value.length % 4 !== 0 || values.has(key)) {
      throw new OutpostError(
        'UPLOAD_METADATA',
        'Upload-Metadata must consist of pairs of a name and a base64 value, separated by commas.',
      );
    }
    values.set(key, value === '' ? null : Buffer.from(value, 'base64').toString('utf8'));
  }
  return Object.fromEntries(values);
}

/** @throws UPLOAD_METADATA, naming the member */
export function parseMetadata(values: Readonly<Record<string, string | null>>): UploadMetadata {
  const parsed = metadataSchema.safeParse(values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = String(issue?.path[0] ?? '');
    const reason = issue?.message ?? '';
    const problem = values[path] === undefined ? 'is missing' : /^Invalid/.test(reason) ? 'is not valid' : reason;
    throw new OutpostError('UPLOAD_METADATA', `Upload-Metadata: \`${path}\` ${problem}.`);
  }
  const { sensor, syncPoints, clockTs, ...rest } = parsed.data;
  return { ...rest, sensorId: sensor, syncPoints: syncPoints ?? [], ...(clockTs !== undefined && { clockTs }) };
}

/** @throws UPLOAD_TOO_LARGE, FILE_EMPTY, FORMAT_TOO_NEW */
export function checkAnnouncement(metadata: UploadMetadata, sizeBytes: number): void {
  if (sizeBytes > MAX_UPLOAD_BYTES) {
    throw new OutpostError('UPLOAD_TOO_LARGE', `The file has ${sizeBytes} bytes. The limit is ${MAX_UPLOAD_BYTES}.`);
  }
  if (sizeBytes === 0) throw new OutpostError('FILE_EMPTY', 'The file is empty. There is nothing to store.');
  if (metadata.formatVersion > FORMAT_VERSION) throw tooNew(metadata.formatVersion);
}

function tooNew(version: number): OutpostError {
  return new OutpostError(
    'FORMAT_TOO_NEW',
    `The file has format version ${version}, and this site reads versions up to ${FORMAT_VERSION}. Update Outpost on the site's computer.`,
  );
}

const MAGIC = Buffer.from([0x89, 0x4f, 0x53, 0x49, 0x47, 0x0d, 0x0a, 0x1a]);

/** Checks the first bytes of a file before any are stored. @throws UNSUPPORTED_FORMAT, FORMAT_TOO_NEW */
export function checkHead(head: Buffer): void {
  const length = Math.min(head.length, MAGIC.length);
  if (head.compare(MAGIC, 0, length, 0, length) !== 0) {
    throw new OutpostError(
      'UNSUPPORTED_FORMAT',
      'The file is not a recording: it does not begin with the magic bytes of the format.',
    );
  }
  if (head.length >= 10 && head.readUInt16LE(8) > FORMAT_VERSION) throw tooNew(head.readUInt16LE(8));
}
