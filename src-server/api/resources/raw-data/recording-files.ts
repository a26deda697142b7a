/** Files of single recordings for download: made by a job when first asked for, then kept until they are cleared away. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Response } from 'express';
import type { RecordingRecord } from '../../../db/index.ts';
import { errorFromJSON, OutpostError } from '../../../errors.ts';
import { recordingState } from '../../../exporters/recording-subject.ts';
import { keptFileName, RECORDING_FORMATS, type RecordingFormatName } from '../../../study/recording-formats.ts';
import type { ApiDeps } from '../../deps.ts';
import { notFound, signalFileFailure } from '../../framework/errors.ts';
import { sendFile } from '../../framework/send-file.ts';

/** Makes each file at most once at a time and remembers nothing but the file. */
export class RecordingFiles {
  readonly #deps: ApiDeps;
  /** By path. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(deps: ApiDeps) {
    this.#deps = deps;
  }

  /** Sends the file, with ranges. @throws NOT_FOUND, SIGNAL_FILE_DAMAGED, UNSUPPORTED_FORMAT, CANCELLED, DISK_FULL */
  async send(response: Response, recordingId: string, format: RecordingFormatName): Promise<void> {
    const recording = await this.#deps.store.recordings.get(recordingId);
    if (!recording) throw notFound('recording');
    const path = await this.#pathOf(recording, format);
    const { extension, mediaType } = RECORDING_FORMATS[format];
    await sendFile(response, path, mediaType, `attachment; filename="recording-${recordingId}.${extension}"`);
  }

  /** Path of the file, made by a job if it is not there yet. */
  async #pathOf(recording: RecordingRecord, format: RecordingFormatName): Promise<string> {
    const { hasAnnotations } = RECORDING_FORMATS[format];
    const state = hasAnnotations ? await recordingState(this.#deps.store, recording) : undefined;
    const path = join(this.#deps.exportsDir, keptFileName(recording.id, format, state));
    if (!(await isFile(path))) {
      const making = this.#making.get(path) ?? this.#make(recording, format, state);
      this.#making.set(path, making);
      await making.finally(() => this.#making.delete(path));
    }
    if (format !== 'mc10-zip') return path;
    // Here rather than after the job: a site that ended in between has the file but not its size.
    const { size } = await stat(path);
    if (recording.exportSizeBytes !== size) await this.#deps.store.recordings.setExportSize(recording.id, size);
    return path;
  }

  async #make(
    { studyId, id: recordingId }: RecordingRecord,
    format: RecordingFormatName,
    state: string | undefined,
  ): Promise<void> {
    const { jobs } = this.#deps;
    const { id } = await jobs.enqueue('export', {
      studyId,
      recordingId,
      format,
      ...(state !== undefined && { state }),
    });
    const ended = await jobs.whenEnded(id);
    if (ended.state !== 'done') {
      throw ended.error
        ? signalFileFailure(errorFromJSON(ended.error), recordingId)
        : new OutpostError('CANCELLED', 'The export was cancelled. Ask for the file again.');
    }
  }
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}
