/** Clocks and waits of live recording; tests bring their own, so that half an hour passes in seconds. */
export interface Timing {
  /** Never goes back and is never set, ms from any beginning. */
  monotonicMs(): number;
  /** The clock that a person can set, epoch ms. */
  wallMs(): number;
  /** Resolves early, without an error, when `signal` aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const browserTiming: Timing = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
    }),
};
