/** Says when the desk is to be locked: nobody has used the computer for a while, its screen was locked, or it sleeps. */
import { powerMonitor } from 'electron';
import { SECOND_MS } from '../src-server/durations.ts';

/** A waiting page is answered at the latest after this time, so that a page that is gone is not remembered. */
const WAIT_MS = 25 * SECOND_MS;

export class IdleLock {
  /** Null: the site wants no lock. Undefined until a page has said. */
  #afterMs: number | null | undefined = undefined;
  /** Numbers the requests to lock, so that a sign-in clears only those that came before it began. */
  #requests = 0;
  /** The request that locked the desk; null while it is open. */
  #lockedBy: number | null = null;
  /** A request that came before a page had said whether the site wants a lock. */
  #undecided: number | null = null;
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
    if (typeof this.#afterMs !== 'number' || this.#lockedBy !== null) return;
    const state = powerMonitor.getSystemIdleState(Math.max(1, Math.round(this.#afterMs / SECOND_MS)));
    if (state === 'idle' || state === 'locked') this.lock();
  }

  lock(): void {
    this.#lockedBy = ++this.#requests;
    this.#undecided = null;
    this.#onDue();
    this.#wake?.();
  }

  get isLocked(): boolean {
    return this.#lockedBy !== null;
  }

  /** How often the desk was to be locked so far. A sign-in notes it before it asks the site. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * Unlocks the desk for a person who has signed in.
   * @param requestsBefore `requests` before the sign-in began
   * @returns false when the desk was locked since: it stays locked
   */
  begin(requestsBefore: number): boolean {
    if (this.#lockedBy !== null && this.#lockedBy > requestsBefore) return false;
    this.#lockedBy = null;
    if (this.#undecided !== null && this.#undecided <= requestsBefore) this.#undecided = null;
    return true;
  }

  /** Resolves with true when the page is to be locked, and with false after a while. */
  async next(afterMs: unknown): Promise<boolean> {
    this.#afterMs = typeof afterMs === 'number' && afterMs > 0 ? afterMs : null;
    // A page asks once at a time: an earlier question is of a page that is gone.
    this.#wake?.();
    if (this.#afterMs !== null && this.#undecided !== null) this.lock();
    this.#undecided = null;
    this.update();
    if (this.#lockedBy === null) {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, this.#waitMs);
        timer.unref();
        this.#wake = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
    return this.isLocked;
  }

  #lockIfWanted(): void {
    if (this.#afterMs === undefined) this.#undecided = ++this.#requests;
    else if (this.#afterMs !== null) this.lock();
  }
}
