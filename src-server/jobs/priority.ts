/** Lowers the priority of bulk work, so that on a small computer the thread that serves the desk is not starved. */
import { constants, getPriority, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/**
 * Lowers the priority of this process, or of this worker thread alone. Threads have priorities of their own on Linux only;
 * elsewhere a worker stays as it is, since lowering it would lower the whole process.
 */
export function yieldToDesk(): void {
  if (!isMainThread && process.platform !== 'linux') return;
  try {
    const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
    setPriority(Math.min(PRIORITY_LOW, getPriority() + PRIORITY_BELOW_NORMAL));
  } catch {
    // Some containers forbid it; the work is done all the same.
  }
}
