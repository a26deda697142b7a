/** Which jobs can be cancelled or retried. */

/** Kinds whose input still exists after they end. An import's files are removed then; a device's file stays in the inbox. */
export const REPEATABLE_JOBS = ['analyse', 'export', 'archive', 'backup', 'verify', 'receive'] as const;

interface Standing {
  kind: string;
  state: string;
}

/** A parked job of any kind keeps its files, so it can be retried. */
export function isRepeatable({ kind, state }: Standing): boolean {
  const outlivesItsEnd = REPEATABLE_JOBS.some((repeatable) => repeatable === kind);
  return state === 'parked' || ((state === 'failed' || state === 'cancelled') && outlivesItsEnd);
}

export function isCancellable({ state }: Standing): boolean {
  return state === 'queued' || state === 'running' || state === 'parked';
}
