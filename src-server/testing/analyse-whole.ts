/** Analyses of tests with all windows in one result. */
import { analyse } from '../jobs/analytics/analyse.ts';
import type { AnalyseRequest, AnalyseResult, StoredWindow } from '../jobs/analytics/contract.ts';
import type { AnalyticsSupervisor, CallOptions } from '../jobs/analytics/supervisor.ts';

type WholeResult = AnalyseResult & { windows: StoredWindow[] };

/** In this process. */
export async function analyseWhole(
  request: AnalyseRequest,
  progress: (done: number, total: number, step: string) => void = () => undefined,
): Promise<WholeResult> {
  const windows: StoredWindow[] = [];
  const result = await analyse(request, {
    progress,
    reading: () => undefined,
    window: async (window) => void windows.push(window),
    isCancelled: async () => false,
  });
  return { ...result, windows };
}

/** In an analytics process. */
export async function callWhole(
  supervisor: AnalyticsSupervisor,
  request: AnalyseRequest,
  options: CallOptions,
): Promise<WholeResult> {
  const windows: StoredWindow[] = [];
  const onWindow = async (window: StoredWindow) => void windows.push(window);
  return { ...(await supervisor.call('analyse', request, { ...options, onWindow })), windows };
}
