/**
 * One writer per upload; who comes later ends who was there. On bad Wi-Fi the one before is mostly a ghost whose connection
 * is dead and does not know it yet.
 */
import type { Lock, Locker, RequestRelease } from '@tus/server';
import { OutpostError } from '../../errors.ts';

interface Waiter {
  release: RequestRelease;
  grant: () => void;
}

interface Held {
  release: RequestRelease;
  waiting: Waiter[];
}

/** Longer than any disk takes to sync what a writer had in hand. */
const PATIENCE_MS = 30_000;

export class TakeOverLocker implements Locker {
  readonly #held = new Map<string, Held>();

  newLock(id: string): Lock {
    return {
      lock: (signal, release) => this.#lock(id, signal, release),
      unlock: async () => this.#unlock(id),
    };
  }

  async #lock(id: string, signal: AbortSignal, release: RequestRelease): Promise<void> {
    const held = this.#held.get(id);
    if (!held) {
      this.#held.set(id, { release, waiting: [] });
      return;
    }
    const turn = Promise.withResolvers<void>();
    const waiter: Waiter = { release, grant: turn.resolve };
    const giveUp = () => {
      held.waiting = held.waiting.filter((other) => other !== waiter);
      turn.reject(
        new OutpostError('UPLOAD_BUSY', 'Another connection is still writing to this upload. Try again in a moment.', {
          details: { retryAfterSeconds: 5 },
        }),
      );
    };
    held.waiting.push(waiter);
    const timer = setTimeout(giveUp, PATIENCE_MS);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await held.release();
      await turn.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }

  #unlock(id: string): void {
    const held = this.#held.get(id);
    const next = held?.waiting.shift();
    if (!held || !next) {
      this.#held.delete(id);
      return;
    }
    held.release = next.release;
    next.grant();
    // Somebody came later still.
    if (held.waiting.length > 0) void next.release();
  }
}
