/** Facts about a subject's recordings that need no analytics. */
import type { Recording } from '../../../src-server/api/contract/index.ts';

/** Returns the recording to open for an instant: one that covers it, preferably with an ECG. */
export function recordingAt(recordings: readonly Recording[], ms: number): Recording | undefined {
  const running = recordings.filter((one) => one.recordingStartTs <= ms && ms < one.recordingStopTs);
  return running.find(({ sensorConfig }) => sensorConfig.afe !== undefined) ?? running[0];
}
