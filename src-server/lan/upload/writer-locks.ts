/**
 * One writer per upload. A new writer pre-empts the current one: on bad Wi-Fi the older connection is usually half-open, and
 * its device has already reconnected.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OutpostError } from '../../errors.ts';

/** Longer than any disk takes to sync what a writer still holds. */
const MAX_WAIT_MS = 30_000;

interface Writer {
  /** Asks the writer to stop early. */
  preempt: () => void;
  released: Promise<void>;
}

export class WriterLocks {
  /** The newest writer of each upload, which may itself still be waiting. */
  readonly #newest = new Map<string, Writer>();

  /** Runs `work` as the only writer of an upload. @throws UPLOAD_BUSY when the writer before does not stop in time */
  async run<T>(uploadId: string, preempt: () => void, work: () => Promise<T>): Promise<T> {
    const before = this.#newest.get(uploadId);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const own: Writer = { preempt, released };
    this.#newest.set(uploadId, own);
    try {
      if (before) {
        before.preempt();
        await waitFor(before.released);
      }
      return await work();
    } finally {
      // A writer that timed out passes the lock on only when the writer before has released it.
      void (before?.released ?? Promise.resolve()).then(() => {
        if (this.#newest.get(uploadId) === own) this.#newest.delete(uploadId);
        release();
      });
    }
  }
}

async function waitFor(released: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const timedOut = sleep(MAX_WAIT_MS, true, { signal: waiting.signal, ref: false }).catch(() => false);
  try {
    if (!(await Promise.race([released, timedOut]))) return;
    throw new OutpostError(
      'UPLOAD_BUSY',
      'Another connection is still writing to this upload. Try again in a moment.',
      {
        details: { retryAfterSeconds: 5 },
      },
    );
  } finally {
    waiting.abort();
  }
}
