/** What can be done with a job: cancel it, or try it again. */

/** The kinds whose input outlives their end. An import's files are removed when it ends; a device's file waits in the inbox. */
export const REPEATABLE_JOBS = ['analyse', 'export', 'archive', 'backup', 'verify', 'receive'] as const;

interface Standing {
  kind: string;
  state: string;
}

/** One that was set aside keeps its files, whatever its kind. */
export function isRepeatable({ kind, state }: Standing): boolean {
  const outlivesItsEnd = REPEATABLE_JOBS.some((repeatable) => repeatable === kind);
  return state === 'parked' || ((state === 'failed' || state === 'cancelled') && outlivesItsEnd);
}

export function isCancellable({ state }: Standing): boolean {
  return state === 'queued' || state === 'running' || state === 'parked';
}
