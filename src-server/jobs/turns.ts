/**
 * Takes jobs of one kind in turns: each lane in order, and of the lanes with a due job the one that has waited longest since its
 * last turn. A device that delivers a hundred files thus delays another device by one file, not by a hundred.
 */
import type { JobKind, JobRow } from '../study/jobs.ts';

/** Decides which of the waiting jobs of one kind is next. */
export interface JobOrder {
  /** Marks the next job as running and returns it; undefined when there is none. */
  take(store: WaitingJobs, kind: JobKind, nowTs: number, running: readonly JobRow[]): Promise<JobRow | undefined>;
}

/** How far ahead a turn looks; beyond it jobs are taken in order. */
const MOST_LOOKED_AT = 1000;

export type WaitingJob = Pick<JobRow, 'id' | 'payload'>;
/** Returns the lane of a job, such as the device that it is for. */
type LaneOf = (job: WaitingJob) => string;

export interface WaitingJobs {
  /** The jobs that have waited longest, or with `isLatest` those that came last, in this order. */
  waiting(kind: JobKind, nowTs: number, limit: number, isLatest?: boolean): Promise<WaitingJob[]>;
  take(id: string, nowTs: number): Promise<JobRow | undefined>;
}

export class Turns implements JobOrder {
  readonly #laneOf: LaneOf;
  /** Number of the last turn of each lane; the map keeps the lanes in the order of their turns. */
  readonly #lastTurn = new Map<string, number>();
  #turn = 0;

  constructor(laneOf: LaneOf) {
    this.#laneOf = laneOf;
  }

  async take(store: WaitingJobs, kind: JobKind, nowTs: number): Promise<JobRow | undefined> {
    for (;;) {
      const next = this.#next(await store.waiting(kind, nowTs, MOST_LOOKED_AT));
      if (!next) return undefined;
      const taken = await store.take(next.id, nowTs);
      // Cancelled since it was read.
      if (!taken) continue;
      const lane = this.#laneOf(taken);
      this.#lastTurn.delete(lane);
      this.#lastTurn.set(lane, this.#turn++);
      if (this.#lastTurn.size > MOST_LOOKED_AT) this.#forgetOldest();
      return taken;
    }
  }

  #next(waiting: readonly WaitingJob[]): WaitingJob | undefined {
    let best: { job: WaitingJob; lastTurn: number } | undefined;
    for (const job of waiting) {
      const lastTurn = this.#lastTurn.get(this.#laneOf(job)) ?? -1;
      if (!best || lastTurn < best.lastTurn) best = { job, lastTurn };
    }
    return best?.job;
  }

  #forgetOldest(): void {
    for (const lane of this.#lastTurn.keys()) {
      this.#lastTurn.delete(lane);
      return;
    }
  }
}
