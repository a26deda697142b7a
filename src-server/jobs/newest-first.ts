/**
 * Takes the job with the newest data first, so that today's data does not wait behind a hub's backlog of weeks. Every fourth job is
 * the one that has waited longest: however much arrives, none waits for ever. Of one lane only one job runs at a time.
 */
import type { JobKind, JobRow } from '../study/jobs.ts';
import type { JobOrder, WaitingJob, WaitingJobs } from './turns.ts';

/** Jobs looked at: so many of those that came first, and as many of those that came last. */
const MOST_LOOKED_AT = 200;
const TURNS_PER_OLDEST = 4;

interface Place {
  lane: string;
  /** End of the data that the job is about, epoch ms. */
  newestMs: number;
}

export class NewestFirst implements JobOrder {
  readonly #placeOf: (payload: unknown) => Place;
  #turn = 0;

  constructor(placeOf: (payload: unknown) => Place) {
    this.#placeOf = placeOf;
  }

  async take(
    store: WaitingJobs,
    kind: JobKind,
    nowTs: number,
    running: readonly JobRow[],
  ): Promise<JobRow | undefined> {
    const busy = new Set(running.map(({ payload }) => this.#placeOf(payload).lane));
    const isFree = ({ payload }: WaitingJob) => !busy.has(this.#placeOf(payload).lane);
    for (;;) {
      const first = await store.waiting(kind, nowTs, MOST_LOOKED_AT);
      const isAll = first.length < MOST_LOOKED_AT;
      const last = isAll ? [] : await store.waiting(kind, nowTs, MOST_LOOKED_AT, true);
      const free = [...first, ...last].filter(isFree);
      const next = (this.#turn + 1) % TURNS_PER_OLDEST === 0 ? free[0] : this.#newest(free);
      if (!next) return undefined;
      const taken = await store.take(next.id, nowTs);
      // Cancelled since it was read.
      if (!taken) continue;
      this.#turn++;
      return taken;
    }
  }

  /** Of several with the same end, the one that has waited longest. */
  #newest(jobs: readonly WaitingJob[]): WaitingJob | undefined {
    let newest: WaitingJob | undefined;
    let newestMs = Number.NEGATIVE_INFINITY;
    for (const job of jobs) {
      const { newestMs: ownMs } = this.#placeOf(job.payload);
      if (ownMs <= newestMs) continue;
      newest = job;
      newestMs = ownMs;
    }
    return newest;
  }
}
