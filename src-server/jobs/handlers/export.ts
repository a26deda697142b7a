/** Job handler that writes the download file of one recording, atomically. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beatEdits } from '../../analytics/index.ts';
import type { RecordingRecord } from '../../db/index.ts';
import { beatsMethod } from '../../exporters/beats/method.ts';
import type { ExportPayload } from '../../study/jobs.ts';
import { hasBeats, keptFileName } from '../../study/recording-formats.ts';
import { completeParameters } from '../../vocabulary/analysis-parameters.ts';
import type { JobHandler } from '../queue.ts';
import { partialPath } from '../workers/export-recording.ts';
import type { ExportTask } from '../workers/tasks.ts';
import { deidentificationKey } from './deidentification-key.ts';
import type { JobDeps } from './deps.ts';

export function exportHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const payload = context.job.payload as ExportPayload;
    const { studyId, recordingId, format, neutralName } = payload;
    const recording = await deps.store.recordings.require(recordingId, studyId);
    const fileName = keptFileName(payload);
    const outputPath = join(deps.exportsDir, fileName);
    try {
      const outcome = await deps.workers.run(
        'exportRecording',
        {
          signalPath: join(deps.signalsDir, `${recording.id}.sig`),
          format,
          outputPath,
          ...(hasBeats(format) && (await beatsOf(deps, recording, neutralName !== undefined))),
          ...(neutralName === undefined
            ? { subject: { databasePath: deps.store.path, recordingId: recording.id } }
            : { deidentification: await deidentificationOf(deps, recording) }),
        },
        { signal: context.signal, onProgress: ({ done, total, step }) => context.progress(done, total, step) },
      );
      return { fileName, ...outcome };
    } catch (thrown) {
      // An interrupted worker leaves its partial file.
      await rm(partialPath(outputPath), { force: true });
      throw thrown;
    }
  };
}

/** The corrections of a recording's beats, and with what they are found. */
async function beatsOf(
  { store, signalsDir }: JobDeps,
  recording: RecordingRecord,
  isDeidentified: boolean,
): Promise<Pick<ExportTask, 'corrections' | 'method'>> {
  const { id, studyId } = recording;
  const corrections = beatEdits(await store.corrections.ofBeats(recording), id);
  const parameters = completeParameters((await store.studies.require(studyId)).analysisParameters);
  const shown = { shownId: isDeidentified ? undefined : id, isDeidentified };
  const method = await beatsMethod(join(signalsDir, `${id}.sig`), recording, corrections, parameters, shown);
  return { corrections, method };
}

/** Returns the inputs from which a recording's codes and shift are derived. */
async function deidentificationOf(
  { store, siteDir }: JobDeps,
  { subjectId, startUs }: { subjectId: string; startUs: number },
): Promise<NonNullable<ExportTask['deidentification']>> {
  const { id, createdTs } = await store.subjects.require(subjectId);
  const zones = await store.subjects.zones(subjectId);
  return { key: await deidentificationKey({ store, siteDir }), subject: { id, createdTs }, zones, startUs };
}
