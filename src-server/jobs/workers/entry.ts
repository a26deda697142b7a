/** Entry of the worker threads: one exported function per task of `tasks.ts`, called by name. */
import type { MessagePort } from 'node:worker_threads';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { yieldToDesk } from '../priority.ts';
import { checkUpload as runCheck } from './check-upload.ts';
import { exportRecording as runExport } from './export-recording.ts';
import { exportStudy as runStudyExport } from './export-study.ts';
import { importSource as runImport } from './import-source.ts';
import { runBackup, runBackupCheck, runVerify } from './integrity.ts';
import type { WorkerAnswer, WorkerContext, WorkerTasks } from './tasks.ts';

yieldToDesk();

interface Call<T extends keyof WorkerTasks> {
  input: WorkerTasks[T]['input'];
  port: MessagePort;
}

const PROGRESS_EVERY_MS = 100;

/**
 * Wraps a task: cancel by message, progress at a bounded rate, errors as data, as threads hand over an error without its
 * class and members.
 */
function task<T extends keyof WorkerTasks>(
  run: (input: WorkerTasks[T]['input'], context: WorkerContext) => Promise<WorkerTasks[T]['output']>,
) {
  return async ({ input, port }: Call<T>): Promise<WorkerAnswer<T>> => {
    const abort = new AbortController();
    port.on('message', () => abort.abort());
    let reported = Number.NEGATIVE_INFINITY;
    try {
      const output = await run(input, {
        signal: abort.signal,
        progress: (message) => {
          const now = performance.now();
          if (now - reported < PROGRESS_EVERY_MS) return;
          reported = now;
          port.postMessage(message);
        },
        throwIfCancelled: () => {
          if (abort.signal.aborted) throw new OutpostError('CANCELLED', 'The work was cancelled.');
        },
      });
      return { output };
    } catch (thrown) {
      return { error: toOutpostError(thrown).toJSON() };
    } finally {
      port.close();
    }
  };
}

export const importSource = task<'importSource'>(runImport);
export const checkUpload = task<'checkUpload'>(runCheck);
export const exportRecording = task<'exportRecording'>(runExport);
export const exportStudy = task<'exportStudy'>(runStudyExport);
export const makeBackup = task<'makeBackup'>(runBackup);
export const checkBackup = task<'checkBackup'>(runBackupCheck);
export const verifySite = task<'verifySite'>(runVerify);
