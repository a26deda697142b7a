/** Job handler that writes the download file of one recording, atomically. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beatEdits } from '../../analytics/index.ts';
import type { ExportPayload } from '../../study/jobs.ts';
import { hasBeats, keptFileName } from '../../study/recording-formats.ts';
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
          ...(hasBeats(format) && {
            corrections: beatEdits(await deps.store.corrections.ofBeats(recording), recordingId),
          }),
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

/** Returns the inputs from which a recording's codes and shift are derived. */
async function deidentificationOf(
  { store, siteDir }: JobDeps,
  { subjectId, startUs }: { subjectId: string; startUs: number },
): Promise<NonNullable<ExportTask['deidentification']>> {
  const { id, createdTs } = await store.subjects.require(subjectId);
  const zones = await store.subjects.zones(subjectId);
  return { key: await deidentificationKey({ store, siteDir }), subject: { id, createdTs }, zones, startUs };
}
