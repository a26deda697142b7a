import type { Recording } from '../../../src-server/api/contract/index.ts';

/** The recording to open for an instant: one that runs then, with an ECG where there is one. */
export function recordingAt(recordings: readonly Recording[], ms: number): Recording | undefined {
  const running = recordings.filter((one) => one.recordingStartTs <= ms && ms < one.recordingStopTs);
  return running.find(({ sensorConfig }) => sensorConfig.afe !== undefined) ?? running[0];
}
