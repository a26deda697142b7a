/** Entry point of the worker threads: one exported function per task of `tasks.ts`, called by name. */
import type { MessagePort } from 'node:worker_threads';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { yieldToDesk } from '../priority.ts';
import type { WorkerAnswer, WorkerContext, WorkerTasks } from './tasks.ts';

yieldToDesk();

interface Call<T extends keyof WorkerTasks> {
  input: WorkerTasks[T]['input'];
  port: MessagePort;
}

const PROGRESS_EVERY_MS = 100;

/**
 * Wraps a task: cancellation by message, rate-limited progress, and errors as data, because an error loses its class and members
 * between threads. The task's code is loaded lazily, so a thread holds only what it uses.
 */
function task<T extends keyof WorkerTasks>(
  load: () => Promise<(input: WorkerTasks[T]['input'], context: WorkerContext) => Promise<WorkerTasks[T]['output']>>,
) {
  return async ({ input, port }: Call<T>): Promise<WorkerAnswer<T>> => {
    const abort = new AbortController();
    port.on('message', () => abort.abort());
    let reported = Number.NEGATIVE_INFINITY;
    try {
      const run = await load();
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

export const importSource = task<'importSource'>(async () => (await import('./import-source.ts')).importSource);
export const recogniseFile = task<'recogniseFile'>(async () => {
  const { recogniseFile: run } = await import('../../importers/recognition/recognise.ts');
  return (input, { signal }) => run(input, signal);
});
export const checkUpload = task<'checkUpload'>(async () => (await import('./check-upload.ts')).checkUpload);
export const exportRecording = task<'exportRecording'>(
  async () => (await import('./export-recording.ts')).exportRecording,
);
export const exportStudy = task<'exportStudy'>(async () => {
  const { exportStudy: run } = await import('./export-study.ts');
  return (input, context) => run(input, context, new URL(import.meta.url));
});
export const exportPart = task<'exportPart'>(async () => (await import('./export-part.ts')).exportPart);
export const makeBackup = task<'makeBackup'>(async () => (await import('./integrity.ts')).runBackup);
export const removeBackups = task<'removeBackups'>(async () => (await import('./integrity.ts')).runRemoval);
export const checkBackup = task<'checkBackup'>(async () => (await import('./integrity.ts')).runBackupCheck);
export const encryptBackups = task<'encryptBackups'>(async () => (await import('./integrity.ts')).runEncryption);
export const changePassphrase = task<'changePassphrase'>(
  async () => (await import('./integrity.ts')).runPassphraseChange,
);
export const tryPassphrase = task<'tryPassphrase'>(async () => (await import('./integrity.ts')).runPassphraseTrial);
export const restoreBackup = task<'restoreBackup'>(async () => (await import('./integrity.ts')).runRestore);
export const findCopies = task<'findCopies'>(async () => (await import('./integrity.ts')).runSearch);
export const returnFiles = task<'returnFiles'>(async () => (await import('./integrity.ts')).runReturn);
export const overwriteDeleted = task<'overwriteDeleted'>(async () => (await import('./integrity.ts')).runOverwriting);
export const measureSite = task<'measureSite'>(async () => (await import('./integrity.ts')).runMeasure);
export const checkInBackground = task<'checkInBackground'>(
  async () => (await import('./integrity.ts')).runBackgroundCheck,
);
export const scrubSite = task<'scrubSite'>(async () => (await import('./integrity.ts')).runScrubbing);
export const verifySite = task<'verifySite'>(async () => (await import('./integrity.ts')).runVerify);
