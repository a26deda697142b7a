/**
 * Notices when the clock of the computer is moved: at the start by the newest entry of the audit, later by a clock that only
 * runs forward. A jump is kept for the attention list, and for a day afterwards nothing is deleted by age.
 *
 * A jump ahead is told from a computer that slept or was off only by its size, so one of less than a month passes; it is seen
 * when the clock is put right.
 */

import { CLOCK_SLACK_MS, isRecent } from '../clock-rules.ts';
import { SYSTEM } from '../db/index.ts';
import { DAY_MS } from '../durations.ts';
import type { Store } from '../services/index.ts';

/** Sites are closed over holidays. */
const LONGEST_PAUSE_MS = 30 * DAY_MS;
/** Enough for a person to come by and put the clock right. */
const DOUBTED_FOR_MS = DAY_MS;
const LOOK_EVERY_MS = 30_000;
const KEPT_STEPS = 10;

export interface ClockWatchOptions {
  store: Pick<Store, 'audit' | 'settings'>;
  clock: () => number;
  /** Milliseconds of a clock that nobody moves. */
  elapsed?: () => number;
  onProblem: (problem: unknown) => void;
}

export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #elapsed: () => number;
  #last: { ts: number; elapsedMs: number };
  #doubtedSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#elapsed = options.elapsed ?? (() => performance.now());
    this.#last = { ts: options.clock(), elapsedMs: this.#elapsed() };
  }

  /** Compares the clock with what the site wrote last, then keeps an eye on it. */
  async start(): Promise<void> {
    const lastTs = await this.#options.store.audit.lastWrittenTs();
    const nowTs = this.#options.clock();
    const [last] = await this.#options.store.settings.get('clock.steps');
    if (last && isRecent(last.toTs, DOUBTED_FOR_MS, nowTs)) this.#doubtedSince = this.#elapsed();
    if (lastTs !== undefined) await this.#compare(lastTs, nowTs);
    this.#timer = setInterval(() => {
      this.#looking = this.look().catch(this.#options.onProblem);
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Compares what has passed on both clocks since it looked last. */
  async look(): Promise<void> {
    const now = { ts: this.#options.clock(), elapsedMs: this.#elapsed() };
    const expectedTs = this.#last.ts + now.elapsedMs - this.#last.elapsedMs;
    this.#last = now;
    await this.#compare(Math.round(expectedTs), now.ts);
  }

  /** False for a day after a jump: what would be deleted by its age may be younger than it seems. */
  get isTrusted(): boolean {
    return this.#doubtedSince === undefined || this.#elapsed() - this.#doubtedSince >= DOUBTED_FOR_MS;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #compare(fromTs: number, toTs: number): Promise<void> {
    if (toTs >= fromTs - CLOCK_SLACK_MS && toTs - fromTs <= LONGEST_PAUSE_MS) return;
    this.#doubtedSince = this.#elapsed();
    const { settings } = this.#options.store;
    const steps = [{ fromTs, toTs }, ...(await settings.get('clock.steps'))].slice(0, KEPT_STEPS);
    await settings.set('clock.steps', steps, SYSTEM);
  }
}
