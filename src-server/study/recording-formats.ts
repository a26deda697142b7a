/** The forms in which one recording can be downloaded, as data: the interface names them, an exporter makes each. */

interface RecordingFormat {
  /** Of the file, without a dot; also its name on the wire. */
  extension: string;
  mediaType: string;
}

export const RECORDING_FORMATS = {
  'mc10-zip': { extension: 'zip', mediaType: 'application/zip' },
  edf: { extension: 'edf', mediaType: 'application/octet-stream' },
  bdf: { extension: 'bdf', mediaType: 'application/octet-stream' },
  parquet: { extension: 'parquet', mediaType: 'application/vnd.apache.parquet' },
} as const satisfies Record<string, RecordingFormat>;

export type RecordingFormatName = keyof typeof RECORDING_FORMATS;
