/**
 * Counts failures by who failed, for throttles of guesses. Time is monotonic: a clock that is set neither locks anybody out nor
 * releases anybody early. The count is in memory, so a restart forgets it.
 */
import { MINUTE_MS } from './durations.ts';
import { OutpostError } from './errors.ts';

const WINDOW_MS = MINUTE_MS;
/** Above this number of keys, those without a recent failure are removed, at most once per second. */
const SWEEP_ABOVE = 10_000;
const SWEEP_EVERY_MS = 1000;

export class FailureCounts {
  readonly #elapsed: () => number;
  /** Ascending times of failures by key. */
  readonly #failures = new Map<string, number[]>();
  #sweptMs = Number.NEGATIVE_INFINITY;

  /** @param elapsed monotonic milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Failures of the last minute. */
  count(key: string): number {
    return this.#recent(key).length;
  }

  /** How long the key has to wait until it has fewer than `limit` failures in a minute; 0 when it has. */
  waitMs(key: string, limit: number): number {
    const recent = this.#recent(key);
    return recent.length < limit ? 0 : recent[recent.length - limit]! + WINDOW_MS - this.#elapsed();
  }

  /** Counts a failure. The returned function takes it back, once. */
  add(key: string): () => void {
    const failedMs = this.#elapsed();
    this.#sweep(failedMs);
    const recent = this.#recent(key);
    recent.push(failedMs);
    this.#failures.set(key, recent);
    let isCounted = true;
    return () => {
      const times = this.#failures.get(key) ?? [];
      const at = times.indexOf(failedMs);
      if (isCounted && at >= 0) times.splice(at, 1);
      isCounted = false;
    };
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  #recent(key: string): number[] {
    const times = this.#failures.get(key) ?? [];
    const sinceMs = this.#elapsed() - WINDOW_MS;
    const old = times.findIndex((time) => time > sinceMs);
    times.splice(0, old < 0 ? times.length : old);
    return times;
  }

  #sweep(nowMs: number): void {
    if (this.#failures.size <= SWEEP_ABOVE || nowMs - this.#sweptMs < SWEEP_EVERY_MS) return;
    this.#sweptMs = nowMs;
    for (const key of [...this.#failures.keys()]) if (this.count(key) === 0) this.#failures.delete(key);
  }
}

/** @param what the sentence before the wait: `There were too many failed attempts.` */
export function throttled(what: string, waitMs: number): OutpostError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new OutpostError('THROTTLED', `${what} Try again in ${retryAfterSeconds} seconds.`, {
    details: { retryAfterSeconds },
  });
}
