/** Time that passes on command: everything due happens in order, and promises settle in between. */
import type { Timing } from '../timing.ts';

interface Due {
  atMs: number;
  order: number;
  run: () => void;
}

export class VirtualTime implements Timing {
  readonly #startWallMs: number;
  /** What a person set the clock forward by. */
  wallShiftMs = 0;
  #nowMs = 0;
  #order = 0;
  #due: Due[] = [];

  constructor(startWallMs: number) {
    this.#startWallMs = startWallMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#startWallMs + this.#nowMs + this.wallShiftMs;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const onAbort = () => {
        cancel();
        resolve();
      };
      const cancel = this.at(this.#nowMs + ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Returns a function that cancels it. */
  at(atMs: number, run: () => void): () => void {
    const due = { atMs, order: this.#order++, run };
    let low = 0;
    let high = this.#due.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#due[middle]!;
      if (other.atMs < atMs || (other.atMs === atMs && other.order < due.order)) low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, due);
    return () => {
      const index = this.#due.indexOf(due);
      if (index >= 0) this.#due.splice(index, 1);
    };
  }

  async advanceTo(atMs: number): Promise<void> {
    await settle();
    for (;;) {
      const next = this.#due[0];
      if (!next || next.atMs > atMs) break;
      this.#due.shift();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
      await settle();
    }
    this.#nowMs = atMs;
  }
}

/** A turn of the event loop settles every promise that waits for nothing else. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
