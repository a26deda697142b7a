/** Writes one recording in one of its download formats. */
import { createWriteStream } from 'node:fs';
import { finished, pipeline } from 'node:stream/promises';
import { toOutpostError } from '../errors.ts';
import type { RecordingFormatName } from '../study/recording-formats.ts';
import { beatsMethodText, beatText } from './beats/files.ts';
import { type EdfLayout, exportEdf } from './edf/export.ts';
import type { ExportOptions } from './export-options.ts';
import { exportMc10Zip } from './mc10-zip.ts';
import { recordingParquet } from './parquet/recording.ts';
import type { RecordingSubject } from './recording-subject.ts';
import { writeWfdbZip } from './wfdb/record.ts';

/** Without a subject, the file is of the signal alone. */
export type RecordingFileOptions = ExportOptions & RecordingSubject;

type RecordingWriter = (signalPath: string, outPath: string, options: RecordingFileOptions) => Promise<unknown>;

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

/** Writes what a generator yields. */
const streamed =
  (content: (signalPath: string, options: ExportOptions) => AsyncIterable<string | Uint8Array>): RecordingWriter =>
  async (signalPath, outPath, options) => {
    const out = createWriteStream(outPath, { flags: 'wx' });
    await pipeline(content(signalPath, options), out).catch((thrown: unknown) => {
      throw toOutpostError(thrown);
    });
  };

const edfWriter =
  (format: 'EDF' | 'BDF', layout: EdfLayout): RecordingWriter =>
  (signalPath, outPath, options) =>
    exportEdf(signalPath, outPath, { ...options, format, layout });

const WRITERS: Record<RecordingFormatName, RecordingWriter> = {
  'mc10-zip': writeMc10Zip,
  edf: edfWriter('EDF', 'uniform'),
  'edf-d': edfWriter('EDF', 'discontinuous'),
  'edf-exact': edfWriter('EDF', 'exact'),
  bdf: edfWriter('BDF', 'uniform'),
  'bdf-d': edfWriter('BDF', 'discontinuous'),
  'bdf-exact': edfWriter('BDF', 'exact'),
  wfdb: writeWfdbZip,
  'beats-csv': streamed((signalPath, options) => beatText('csv', signalPath, options)),
  'beats-method': streamed(beatsMethodText),
  'rr-kubios': streamed((signalPath, options) => beatText('kubios', signalPath, options)),
  'rr-kubios-detected': streamed((signalPath, options) =>
    beatText('kubios', signalPath, { ...options, corrections: [] }),
  ),
  parquet: streamed(recordingParquet),
};

/**
 * Writes a new file at `outPath`, which must not exist. After a failure the caller removes the partial file.
 * @throws NOT_FOUND, SIGNAL_FILE_DAMAGED, UNSUPPORTED_FORMAT (counts too wide for EDF or BDF), CANCELLED, DISK_FULL
 */
export async function writeRecordingFile(
  format: RecordingFormatName,
  signalPath: string,
  outPath: string,
  options: RecordingFileOptions = {},
): Promise<void> {
  await WRITERS[format](signalPath, outPath, options);
}
