/**
 * Watches the disk of a running site: makes the emergency reserve, again after it was used, and knows what could be freed while the
 * disk is full.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MINUTE_MS } from '../durations.ts';
import { type DiskBudget, reserveOf } from '../files/disk-budget.ts';
import type { DiskReserve } from '../files/disk-reserve.ts';
import { FREEABLE_PARTS, type FreeablePart, type SitePart } from '../vocabulary/disk.ts';

export interface DiskWatchOptions {
  disk: Pick<DiskBudget, 'state'>;
  reserve: DiskReserve;
  /** Sizes of the parts of the site. */
  measure: () => Promise<{ part: SitePart; sizeBytes: number }[]>;
  onProblem: (problem: unknown) => void;
  /** Default 2 s. */
  intervalMs?: number;
  /** Of a disk with much room, whose reserve need not exist in the first moments; default 10 s. */
  firstAfterMs?: number;
}

const INTERVAL_MS = 2000;
const FIRST_AFTER_MS = 10_000;
/** Reading the sizes of all files takes a while in a large site. */
const MEASURED_EVERY_MS = 10 * MINUTE_MS;
/** Smaller parts make no difference. */
const SHOWN_BYTES = 1e6;
const SHOWN_PARTS = 3;

export class DiskWatch {
  readonly #options: DiskWatchOptions;
  readonly #closing = new AbortController();
  readonly #startedMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #measuring: Promise<void> | undefined;
  #measuredMs = Number.NEGATIVE_INFINITY;
  #largest: { part: FreeablePart; sizeBytes: number }[] = [];

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#plan();
  }

  /** What people can free, the largest first; empty while the disk is not full, or is being measured. */
  get largest(): { part: FreeablePart; sizeBytes: number }[] {
    return this.#largest;
  }

  /** Looks now. Never rejects. */
  async look(): Promise<void> {
    const { disk, reserve, onProblem } = this.#options;
    try {
      reserve.makeRoom();
      await this.#makeReserve();
      const state = await disk.state();
      if (!state) return;
      if (state.level === 'ok') {
        this.#largest = [];
        this.#measuredMs = Number.NEGATIVE_INFINITY;
      } else if (performance.now() - this.#measuredMs > MEASURED_EVERY_MS) {
        this.#measuring ??= this.#measure(state)
          .catch(onProblem)
          .finally(() => {
            this.#measuring = undefined;
          });
      }
    } catch (thrown) {
      onProblem(thrown);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #plan(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.look().then(() => {
        if (!this.#closing.signal.aborted) this.#plan();
      });
    }, this.#options.intervalMs ?? INTERVAL_MS).unref();
  }

  async #makeReserve(): Promise<void> {
    const { reserve, firstAfterMs = FIRST_AFTER_MS } = this.#options;
    if (!reserve.isNeededSoon && performance.now() - this.#startedMs < firstAfterMs) return;
    while (!this.#closing.signal.aborted && reserve.makeStep(reserveOf)) await nextTurn();
  }

  async #measure({ freeBytes, totalBytes }: { freeBytes: number; totalBytes: number }): Promise<void> {
    this.#measuredMs = performance.now();
    const parts = await this.#options.measure();
    const ownBytes = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const others = { part: 'others' as const, sizeBytes: Math.max(0, totalBytes - freeBytes - ownBytes) };
    this.#largest = [...parts, others]
      .filter((one): one is { part: FreeablePart; sizeBytes: number } => FREEABLE.has(one.part))
      .filter(({ sizeBytes }) => sizeBytes >= SHOWN_BYTES)
      .sort((a, b) => b.sizeBytes - a.sizeBytes)
      .slice(0, SHOWN_PARTS);
  }
}

const FREEABLE: ReadonlySet<string> = new Set(FREEABLE_PARTS);
