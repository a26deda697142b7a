/** Entry of the worker threads: one exported function per task of `tasks.ts`, called by name. */
import type { MessagePort } from 'node:worker_threads';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { exportRecording as runExport } from './export-recording.ts';
import { importSource as runImport } from './import-source.ts';
import type { WorkerContext, WorkerTasks } from './tasks.ts';

interface Call<T extends keyof WorkerTasks> {
  input: WorkerTasks[T]['input'];
  port: MessagePort;
}

const PROGRESS_EVERY_MS = 100;

/** Wraps a task: cancel by message, progress at a bounded rate, errors as data (threads clone errors without their class). */
function task<T extends keyof WorkerTasks>(
  run: (input: WorkerTasks[T]['input'], context: WorkerContext) => Promise<WorkerTasks[T]['output']>,
) {
  return async ({ input, port }: Call<T>): Promise<WorkerTasks[T]['output']> => {
    const abort = new AbortController();
    port.on('message', () => abort.abort());
    let reported = 0;
    try {
      return await run(input, {
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
    } catch (thrown) {
      throw Object.assign(new Error('task failed'), { outpost: toOutpostError(thrown).toJSON() });
    } finally {
      port.close();
    }
  };
}

export const importSource = task<'importSource'>(runImport);
export const exportRecording = task<'exportRecording'>(runExport);
