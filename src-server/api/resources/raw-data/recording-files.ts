/** Download files of single recordings: created by a job on first request, then kept until evicted. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Response } from 'express';
import { ANALYTICS_VERSION } from '../../../analytics/index.ts';
import type { RecordingRecord } from '../../../db/index.ts';
import { errorFromJSON, OutpostError } from '../../../errors.ts';
import { recordingState } from '../../../exporters/recording-subject.ts';
import { neutralName } from '../../../exporters/study-export/neutral-name.ts';
import { sha256Hex } from '../../../files/content-hash.ts';
import type { ExportPayload } from '../../../study/jobs.ts';
import {
  hasBeats,
  keptFileName,
  RECORDING_FORMATS,
  type RecordingFormatName,
} from '../../../study/recording-formats.ts';
import { canonicalParameters, completeParameters } from '../../../vocabulary/analysis-parameters.ts';
import type { ApiDeps } from '../../deps.ts';
import { notFound, signalFileFailure } from '../../framework/errors.ts';
import { sendFile } from '../../framework/send-file.ts';
import { dataUseOf, requireUsable } from '../data-use.ts';

/** Creates each file at most once at a time. */
export class RecordingFiles {
  readonly #deps: ApiDeps;
  /** By path. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(deps: ApiDeps) {
    this.#deps = deps;
  }

  /** Sends the file, with ranges. @throws NOT_FOUND, CONFLICT, SIGNAL_FILE_DAMAGED, UNSUPPORTED_FORMAT, CANCELLED, DISK_FULL */
  async send(
    response: Response,
    recordingId: string,
    format: RecordingFormatName,
    isDeidentified = false,
  ): Promise<void> {
    const recording = await this.#deps.store.recordings.get(recordingId);
    if (!recording) throw notFound('recording');
    // The address is valid for an hour, in which the subject may withdraw.
    requireUsable(await dataUseOf(this.#deps.store, recording.subjectId), recording.stopUs / 1000);
    const neutral = isDeidentified ? await this.#neutralName(recording, format) : undefined;
    const path = await this.#pathOf(recording, format, neutral);
    const { extension, mediaType } = RECORDING_FORMATS[format];
    const name = `${neutral ?? `recording-${recordingId}`}.${extension}`;
    await sendFile(response, path, mediaType, `attachment; filename="${name}"`);
  }

  /** The times in a de-identified file depend on the subject's zones, so they are part of its name. */
  async #neutralName(recording: RecordingRecord, format: RecordingFormatName): Promise<string> {
    const { id, subjectId } = recording;
    const zones = JSON.stringify(await this.#deps.store.subjects.zones(subjectId));
    return neutralName('recording', id, format, zones, ...(await this.#beatState(recording, format)));
  }

  /** Returns the path of the file, which a job creates unless it exists. */
  async #pathOf(recording: RecordingRecord, format: RecordingFormatName, neutral?: string): Promise<string> {
    const { id, studyId } = recording;
    const hasState = RECORDING_FORMATS[format].hasAnnotations && neutral === undefined;
    const [ofBeats] = await this.#beatState(recording, format);
    const state = hasState
      ? await recordingState(this.#deps.store, recording)
      : neutral === undefined
        ? ofBeats
        : undefined;
    const payload = {
      studyId,
      recordingId: id,
      format,
      ...(state !== undefined && { state }),
      ...(neutral !== undefined && { neutralName: neutral }),
    };
    const path = join(this.#deps.exportsDir, keptFileName(payload));
    if (!(await isFile(path))) {
      const making = this.#making.get(path) ?? this.#make(payload);
      this.#making.set(path, making);
      await making.finally(() => this.#making.delete(path));
    }
    if (format !== 'mc10-zip' || neutral !== undefined) return path;
    // Here rather than after the job: after a crash in between, the file exists but its size is not stored.
    const { size } = await stat(path);
    if (recording.exportSizeBytes !== size) await this.#deps.store.recordings.setExportSize(id, size);
    return path;
  }

  /** The version that found the beats, and what people corrected of them, for formats that hold some. */
  async #beatState(recording: RecordingRecord, format: RecordingFormatName): Promise<string[]> {
    if (!hasBeats(format)) return [];
    const corrected = await this.#deps.store.corrections.stateOf(recording);
    const { analysisParameters } = await this.#deps.store.studies.require(recording.studyId);
    const chosen = canonicalParameters(completeParameters(analysisParameters));
    const parts = [
      `analytics-${ANALYTICS_VERSION}`,
      ...(corrected === '' ? [] : [corrected.replace(' ', '-')]),
      // Side files and headers say the parameters.
      ...(chosen === '' ? [] : [sha256Hex(chosen).slice(0, 12)]),
    ];
    return [parts.join('-')];
  }

  async #make(payload: ExportPayload): Promise<void> {
    const { jobs } = this.#deps;
    const { id } = await jobs.enqueue('export', payload);
    const ended = await jobs.whenEnded(id);
    if (ended.state !== 'done') {
      throw ended.error
        ? signalFileFailure(errorFromJSON(ended.error), payload.recordingId)
        : new OutpostError('CANCELLED', 'The export was cancelled. Request the file again.');
    }
  }
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}
