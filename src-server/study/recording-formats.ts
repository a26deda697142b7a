/** The formats in which a recording can be downloaded. The API names them; `exporters/` has a writer for each. */

interface RecordingFormat {
  /** File extension without the dot. */
  extension: string;
  mediaType: string;
  /** True when the file also holds facts of the subject and labels, which may change after the file was made. */
  hasAnnotations: boolean;
  /** True when it holds heartbeats, which another version of the analytics may find differently. */
  hasBeats?: true;
}

const EDF = { extension: 'edf', mediaType: 'application/octet-stream', hasAnnotations: true };
const BDF = { extension: 'bdf', mediaType: 'application/octet-stream', hasAnnotations: true };

export const RECORDING_FORMATS = {
  'mc10-zip': { extension: 'zip', mediaType: 'application/zip', hasAnnotations: false },
  edf: EDF,
  'edf-d': EDF,
  'edf-exact': EDF,
  bdf: BDF,
  'bdf-d': BDF,
  'bdf-exact': BDF,
  wfdb: { extension: 'zip', mediaType: 'application/zip', hasAnnotations: false, hasBeats: true },
  'beats-csv': { extension: 'csv', mediaType: 'text/csv', hasAnnotations: false, hasBeats: true },
  // With what they were found: the side file of the other three.
  'beats-method': { extension: 'json', mediaType: 'application/json', hasAnnotations: false, hasBeats: true },
  'rr-kubios': { extension: 'txt', mediaType: 'text/plain', hasAnnotations: false, hasBeats: true },
  // As detected, where people corrected beats.
  'rr-kubios-detected': { extension: 'txt', mediaType: 'text/plain', hasAnnotations: false, hasBeats: true },
  parquet: { extension: 'parquet', mediaType: 'application/vnd.apache.parquet', hasAnnotations: false },
} as const satisfies Record<string, RecordingFormat>;

export type RecordingFormatName = keyof typeof RECORDING_FORMATS;

export const hasBeats = (format: RecordingFormatName): boolean => {
  const facts: RecordingFormat = RECORDING_FORMATS[format];
  return facts.hasBeats === true;
};

interface KeptFile {
  recordingId: string;
  format: RecordingFormatName;
  /** Distinguishes files of one recording made before and after its subject, labels or beats changed. */
  state?: string;
  /** Name of a de-identified file, without its extension. */
  neutralName?: string;
}

/** Returns the name under which a finished file is stored. */
export function keptFileName({ recordingId, format, state, neutralName }: KeptFile): string {
  if (neutralName !== undefined) return `${neutralName}.${RECORDING_FORMATS[format].extension}`;
  const kind = format === 'mc10-zip' ? 'zip' : format;
  return `${recordingId}.${kind}${state === undefined ? '' : `-${state}`}`;
}
