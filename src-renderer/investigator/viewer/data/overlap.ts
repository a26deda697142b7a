/** Which recordings of a subject lie beside each other in time. Pure. */
import type { Recording } from '../../../../src-server/api/contract/index.ts';
import type { Extent } from '../view.ts';

/** Overlaps shorter than this are two sensors being changed. */
const LEAST_OVERLAP_MS = 10_000;
/** Recordings that follow each other within this show no break. */
const SEAM_MS = 1000;

/** Recordings of other sensors that touch a recording, per sensor. */
export function recordedMeanwhile(recording: Recording, all: readonly Recording[]): Recording[][] {
  const others = all.filter(
    ({ udid, recordingStartTs, recordingStopTs }) =>
      udid !== recording.udid &&
      Math.min(recordingStopTs, recording.recordingStopTs) - Math.max(recordingStartTs, recording.recordingStartTs) >
        LEAST_OVERLAP_MS,
  );
  return [...Map.groupBy(others, ({ udid }) => udid).values()];
}

/** The stretches of `extent` that no recording covers, of a second or more. */
export function uncovered(recordings: readonly Recording[], extent: Extent): { startTs: number; stopTs: number }[] {
  const holes: { startTs: number; stopTs: number }[] = [];
  let at = extent.startMs;
  for (const { recordingStartTs, recordingStopTs } of recordings) {
    if (recordingStartTs - at > SEAM_MS) holes.push({ startTs: at, stopTs: Math.min(recordingStartTs, extent.stopMs) });
    at = Math.max(at, recordingStopTs);
  }
  if (extent.stopMs - at > SEAM_MS) holes.push({ startTs: at, stopTs: extent.stopMs });
  return holes;
}
