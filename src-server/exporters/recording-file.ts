/** Writes one recording in any of its download formats. */
import { createWriteStream } from 'node:fs';
import { finished, pipeline } from 'node:stream/promises';
import { toOutpostError } from '../errors.ts';
import type { RecordingFormatName } from '../study/recording-formats.ts';
import { exportEdf } from './edf.ts';
import type { ExportOptions } from './export-options.ts';
import { exportMc10Zip } from './mc10-zip.ts';
import { recordingParquet } from './parquet/recording.ts';

type RecordingWriter = (signalPath: string, outPath: string, options: ExportOptions) => Promise<unknown>;

async function writeMc10Zip(signalPath: string, outPath: string, options: ExportOptions): Promise<void> {
  const out = createWriteStream(outPath, { flags: 'wx' });
  const written = finished(out);
  written.catch(() => undefined);
  try {
    await exportMc10Zip(signalPath, out, options);
    await written;
  } catch (thrown) {
    out.destroy();
    throw thrown;
  }
}

async function writeParquet(signalPath: string, outPath: string, options: ExportOptions): Promise<void> {
  const out = createWriteStream(outPath, { flags: 'wx' });
  await pipeline(recordingParquet(signalPath, options), out).catch((thrown: unknown) => {
    throw toOutpostError(thrown);
  });
}

const WRITERS: Record<RecordingFormatName, RecordingWriter> = {
  'mc10-zip': writeMc10Zip,
  edf: (signalPath, outPath, options) => exportEdf(signalPath, outPath, { ...options, format: 'EDF' }),
  bdf: (signalPath, outPath, options) => exportEdf(signalPath, outPath, { ...options, format: 'BDF' }),
  parquet: writeParquet,
};

/**
 * Writes a new file at `outPath`, which must not exist; a caller removes what a failure left.
 * @throws NOT_FOUND, SIGNAL_FILE_DAMAGED, UNSUPPORTED_FORMAT (counts too wide for EDF or BDF), CANCELLED, DISK_FULL
 */
export async function writeRecordingFile(
  format: RecordingFormatName,
  signalPath: string,
  outPath: string,
  options: ExportOptions = {},
): Promise<void> {
  await WRITERS[format](signalPath, outPath, options);
}
