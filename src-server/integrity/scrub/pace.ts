/**
 * The speed of reading everything: a small share of one thread while nobody needs the computer, and next to nothing while somebody
 * does. The site says which through a word of shared memory, so that a file that is being read continues where it was.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** What the site says. */
export const PACE = { IDLE: 0, BUSY: 1, STOP: 2 } as const;
export type PaceWord = (typeof PACE)[keyof typeof PACE];

/** Of one thread, while nobody needs the computer. */
const IDLE_SHARE = 0.1;
/** Of one thread, once a site was busy without a break for {@link PATIENCE_MS}: a site that never rests is read all the same. */
const BUSY_SHARE = 0.01;
const PATIENCE_MS = 10 * 60_000;
/** Rests shorter than this are collected: a timer is not more exact. */
const LEAST_REST_MS = 20;
/** How soon a change of the word is noticed. */
const STEP_MS = 100;

export interface PaceOptions {
  /** Absent: never busy, and never stopped. */
  shared?: SharedArrayBuffer;
  /** Default: a tenth. 1 reads without a rest. */
  share?: number;
  /** Replaced by tests. */
  sleep?: (ms: number) => Promise<unknown>;
  now?: () => number;
}

export class Pace {
  readonly #word: Int32Array | undefined;
  readonly #share: number;
  readonly #sleep: (ms: number) => Promise<unknown>;
  readonly #now: () => number;
  #owedMs = 0;
  #busySince: number | undefined;
  #since: number;

  constructor({ shared, share = IDLE_SHARE, ...replaced }: PaceOptions = {}) {
    this.#word = shared && new Int32Array(shared);
    this.#share = share;
    this.#sleep = replaced.sleep ?? ((ms) => sleep(ms));
    this.#now = replaced.now ?? (() => performance.now());
    this.#since = this.#now();
  }

  get isStopped(): boolean {
    return this.#says() === PACE.STOP;
  }

  /** Call it where the work begins after something else. */
  begin(): void {
    this.#since = this.#now();
  }

  /** Rests for what was done since the last call; waits for as long as the site is busy. Returns at once when stopped. */
  async rest(): Promise<void> {
    const workedMs = this.#now() - this.#since;
    const share = this.#isBusyForLong() ? BUSY_SHARE : this.#share;
    this.#owedMs += workedMs * (1 / share - 1);
    while (!this.isStopped && (this.#mustWait() || this.#owedMs >= LEAST_REST_MS)) {
      const ms = this.#mustWait() ? STEP_MS : Math.min(STEP_MS, this.#owedMs);
      await this.#sleep(ms);
      this.#owedMs = Math.max(0, this.#owedMs - ms);
    }
    this.#since = this.#now();
  }

  #says(): number {
    return this.#word ? Atomics.load(this.#word, 0) : PACE.IDLE;
  }

  #mustWait(): boolean {
    if (this.#says() !== PACE.BUSY) {
      this.#busySince = undefined;
      return false;
    }
    this.#busySince ??= this.#now();
    return !this.#isBusyForLong();
  }

  #isBusyForLong(): boolean {
    return this.#busySince !== undefined && this.#now() - this.#busySince >= PATIENCE_MS;
  }
}

/** Shared memory for {@link Pace}, and the site's side of it. */
export function sharedPace(): { shared: SharedArrayBuffer; say: (word: PaceWord) => void } {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const word = new Int32Array(shared);
  return { shared, say: (value) => void Atomics.store(word, 0, value) };
}
