/** Makes one recording's file for download, whole or not at all. */
import { join } from 'node:path';
import type { JobHandler } from '../queue.ts';
import type { ExportPayload } from '../types.ts';
import type { JobDeps } from './deps.ts';

const EXTENSIONS: Record<ExportPayload['format'], string> = { 'mc10-zip': 'zip', edf: 'edf' };

export function exportHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const { studyId, recordingId, format } = context.job.payload as ExportPayload;
    const recording = await deps.store.recordings.require(recordingId, studyId);
    const fileName = `${recording.id}.${EXTENSIONS[format]}`;
    const outcome = await deps.workers.run(
      'exportRecording',
      {
        signalPath: join(deps.signalsDir, `${recording.id}.sig`),
        format,
        outputPath: join(deps.exportsDir, fileName),
      },
      { signal: context.signal, onProgress: ({ done, total, step }) => context.progress(done, total, step) },
    );
    return { fileName, ...outcome };
  };
}
