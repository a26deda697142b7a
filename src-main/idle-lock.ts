/** Says when the desk is to be locked: nobody has used the computer for a while, its screen was locked, or it sleeps. */
import { powerMonitor } from 'electron';
import { SECOND_MS } from '../src-server/durations.ts';

/** A waiting page is answered at the latest after this time, so that a page that is gone is not remembered. */
const WAIT_MS = 25 * SECOND_MS;

export class IdleLock {
  /** Null: the site wants no lock. */
  #afterMs: number | null = null;
  #isDue = false;
  #wake: (() => void) | null = null;
  readonly #onDue: () => void;
  readonly #waitMs: number;

  /** @param onDue ends the session in the main process, whether or not the page still answers */
  constructor(onDue: () => void, waitMs = WAIT_MS) {
    this.#onDue = onDue;
    this.#waitMs = waitMs;
    powerMonitor.on('lock-screen', () => this.#lockIfWanted());
    powerMonitor.on('suspend', () => this.#lockIfWanted());
  }

  /** Looks at the system, which on Linux has no event for a locked screen. */
  update(): void {
    if (this.#afterMs === null || this.#isDue) return;
    const state = powerMonitor.getSystemIdleState(Math.max(1, Math.round(this.#afterMs / SECOND_MS)));
    if (state === 'idle' || state === 'locked') this.lock();
  }

  lock(): void {
    this.#isDue = true;
    this.#onDue();
    this.#wake?.();
  }

  /** A person has signed in. */
  begin(): void {
    this.#isDue = false;
  }

  /** Resolves with true when the page is to be locked, and with false after a while. */
  async next(afterMs: unknown): Promise<boolean> {
    this.#afterMs = typeof afterMs === 'number' && afterMs > 0 ? afterMs : null;
    // A page asks once at a time: an earlier question is of a page that is gone.
    this.#wake?.();
    this.update();
    if (!this.#isDue) {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, this.#waitMs);
        timer.unref();
        this.#wake = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
    return this.#isDue;
  }

  #lockIfWanted(): void {
    if (this.#afterMs !== null) this.lock();
  }
}
