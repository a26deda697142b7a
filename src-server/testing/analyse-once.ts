/** Child of a test: analyses one request and says how much memory that took at most. */
import { analyse } from '../jobs/analytics/analyse.ts';
import type { AnalyseRequest } from '../jobs/analytics/contract.ts';

export interface AnalysedOnce {
  /** Largest resident memory since the start of the process. */
  peakBytes: number;
  windows: number;
}

process.once('message', async (message) => {
  let windows = 0;
  const hooks = {
    progress: () => undefined,
    reading: () => undefined,
    window: async () => void windows++,
    isCancelled: () => new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  };
  await analyse(message as AnalyseRequest, hooks);
  const answer: AnalysedOnce = { peakBytes: 1024 * process.resourceUsage().maxRSS, windows };
  process.send?.(answer);
  process.disconnect();
});
