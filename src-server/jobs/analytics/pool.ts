/**
 * Several analytics processes, so that the days of different subjects are analysed side by side. A subject's analyses go to the
 * process that had the last one while that is free: it still has the features of recordings that the days share.
 */
import { availableParallelism, totalmem } from 'node:os';
import { MINUTE_MS } from '../../durations.ts';
import type { AnalyticsMethod, AnalyticsMethods } from './contract.ts';
import { AnalyticsSupervisor, type CallOptions, type SupervisorOptions } from './supervisor.ts';

/** Memory of the computer for each process, which itself needs up to a sixth of it. */
const BYTES_PER_PROCESS = 2 * 2 ** 30;
const MOST_PROCESSES = 4;
/** Processes beyond the first end when they had nothing to do for so long. */
const IDLE_MS = MINUTE_MS;
/** Subjects whose last process is remembered. */
const MOST_SUBJECTS = 1000;

/** How many subjects are analysed at once: one on each core, if memory allows. */
export const ANALYTICS_PROCESSES = Math.max(
  1,
  Math.min(MOST_PROCESSES, availableParallelism(), Math.floor(totalmem() / BYTES_PER_PROCESS)),
);

interface Place {
  supervisor: AnalyticsSupervisor;
  calls: number;
  idleTimer: NodeJS.Timeout | undefined;
}

export class AnalyticsPool {
  readonly #places: [Place, ...Place[]];
  readonly #idleMs: number;
  /** The process of each subject's last analysis, in order of use. */
  readonly #bySubject = new Map<string, Place>();

  constructor(options: SupervisorOptions & { processes?: number; idleMs?: number }) {
    const { processes = ANALYTICS_PROCESSES, idleMs = IDLE_MS, ...supervisor } = options;
    const place = (): Place => ({ supervisor: new AnalyticsSupervisor(supervisor), calls: 0, idleTimer: undefined });
    this.#places = [place(), ...Array.from({ length: processes - 1 }, place)];
    this.#idleMs = idleMs;
  }

  /** Ids of the processes that run, for diagnostics and for tests that kill them. */
  get pids(): number[] {
    return this.#places.flatMap(({ supervisor }) => supervisor.pid ?? []);
  }

  /** Calls a method in a process that is free, else in the one with the fewest calls. Rejects as `AnalyticsSupervisor.call` does. */
  async call<M extends AnalyticsMethod>(
    method: M,
    subjectId: string,
    request: AnalyticsMethods[M]['request'],
    options: CallOptions,
  ): Promise<AnalyticsMethods[M]['result']> {
    const place = this.#placeFor(subjectId);
    place.calls++;
    clearTimeout(place.idleTimer);
    try {
      return await place.supervisor.call(method, request, options);
    } finally {
      place.calls--;
      if (place.calls === 0 && place !== this.#places[0]) {
        place.idleTimer = setTimeout(() => place.supervisor.rest(), this.#idleMs).unref();
      }
    }
  }

  /** Ends the processes and rejects pending calls. */
  close(): void {
    for (const { supervisor, idleTimer } of this.#places) {
      clearTimeout(idleTimer);
      supervisor.close();
    }
  }

  #placeFor(subjectId: string): Place {
    const last = this.#bySubject.get(subjectId);
    let [place] = this.#places;
    for (const other of this.#places) if (other.calls < place.calls) place = other;
    if (last && last.calls <= place.calls) place = last;
    this.#bySubject.delete(subjectId);
    this.#bySubject.set(subjectId, place);
    if (this.#bySubject.size > MOST_SUBJECTS) this.#bySubject.delete(this.#bySubject.keys().next().value ?? '');
    return place;
  }
}
