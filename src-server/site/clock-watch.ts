/**
 * Detects jumps of the system clock: at the start against the newest audit entry, later against a monotonic clock. Each jump
 * is stored for the attention list, and for a day afterwards nothing is deleted by age.
 *
 * Only its size distinguishes a forward jump from a computer that slept or was off. One of less than a month is therefore
 * ignored; the correction, a jump back, is detected.
 */

import { CLOCK_SLACK_MS, isRecent } from '../clock-rules.ts';
import { SYSTEM } from '../db/index.ts';
import { DAY_MS } from '../durations.ts';
import type { Store } from '../services/index.ts';

/** Longest pause taken for a closed site or a sleeping computer, such as over holidays. */
const LONGEST_PAUSE_MS = 30 * DAY_MS;
/** Leaves a person time to correct the clock. */
const UNTRUSTED_MS = DAY_MS;
const CHECK_INTERVAL_MS = 30_000;
const MAX_STORED_STEPS = 10;

export interface ClockWatchOptions {
  store: Pick<Store, 'audit' | 'settings'>;
  clock: () => number;
  /** Monotonic milliseconds; default `performance.now`. */
  elapsed?: () => number;
  onProblem: (problem: unknown) => void;
}

export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #elapsed: () => number;
  #last: { ts: number; elapsedMs: number };
  /** Monotonic time of the last jump. */
  #untrustedSinceMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#elapsed = options.elapsed ?? (() => performance.now());
    this.#last = { ts: options.clock(), elapsedMs: this.#elapsed() };
  }

  /** Compares the clock with the newest audit entry, then checks it periodically. */
  async start(): Promise<void> {
    const lastTs = await this.#options.store.audit.lastWrittenTs();
    const nowTs = this.#options.clock();
    const [last] = await this.#options.store.settings.get('clock.steps');
    if (last && isRecent(last.toTs, UNTRUSTED_MS, nowTs)) this.#untrustedSinceMs = this.#elapsed();
    if (lastTs !== undefined) await this.#compare(lastTs, nowTs);
    this.#timer = setInterval(() => {
      this.#checking = this.check().catch(this.#options.onProblem);
    }, CHECK_INTERVAL_MS);
    this.#timer.unref();
  }

  /** Compares how far both clocks have advanced since the previous check. */
  async check(): Promise<void> {
    const now = { ts: this.#options.clock(), elapsedMs: this.#elapsed() };
    const expectedTs = this.#last.ts + now.elapsedMs - this.#last.elapsedMs;
    this.#last = now;
    await this.#compare(Math.round(expectedTs), now.ts);
  }

  /** False for a day after a jump: data that seems old enough to be deleted may be younger. */
  get isTrusted(): boolean {
    return this.#untrustedSinceMs === undefined || this.#elapsed() - this.#untrustedSinceMs >= UNTRUSTED_MS;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
  }

  async #compare(fromTs: number, toTs: number): Promise<void> {
    if (toTs >= fromTs - CLOCK_SLACK_MS && toTs - fromTs <= LONGEST_PAUSE_MS) return;
    this.#untrustedSinceMs = this.#elapsed();
    const { settings } = this.#options.store;
    const steps = [{ fromTs, toTs }, ...(await settings.get('clock.steps'))].slice(0, MAX_STORED_STEPS);
    await settings.set('clock.steps', steps, SYSTEM);
  }
}
