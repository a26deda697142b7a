/** Makes one recording's file for download, whole or not at all. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keptFileName } from '../../study/recording-formats.ts';
import type { JobHandler } from '../queue.ts';
import type { ExportPayload } from '../types.ts';
import { partialPath } from '../workers/export-recording.ts';
import type { JobDeps } from './deps.ts';

export function exportHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const { studyId, recordingId, format, state } = context.job.payload as ExportPayload;
    const recording = await deps.store.recordings.require(recordingId, studyId);
    const fileName = keptFileName(recording.id, format, state);
    const outputPath = join(deps.exportsDir, fileName);
    try {
      const outcome = await deps.workers.run(
        'exportRecording',
        {
          signalPath: join(deps.signalsDir, `${recording.id}.sig`),
          subject: { databasePath: deps.store.path, recordingId: recording.id },
          format,
          outputPath,
        },
        { signal: context.signal, onProgress: ({ done, total, step }) => context.progress(done, total, step) },
      );
      return { fileName, ...outcome };
    } catch (thrown) {
      // A thread that was ended leaves what it had written.
      await rm(partialPath(outputPath), { force: true });
      throw thrown;
    }
  };
}
