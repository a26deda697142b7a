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

/** A stretch without samples shorter than this is no loss. */
const LEAST_LOSS_MS = 1000;

/**
 * Stretches of a second or more in which the index of a recording promises samples and none came: they are lost in the file.
 * `parts` are what came of the window; `away` is what is known to be missing, breaks and what is still on its way.
 */
export function lostStretches(
  parts: readonly { timesMs: Float64Array }[],
  away: readonly Extent[],
  window: Extent,
): Extent[] {
  const there = [...parts.map(({ timesMs }) => ({ startMs: timesMs[0], stopMs: timesMs[timesMs.length - 1] })), ...away]
    .filter(({ startMs, stopMs }) => stopMs > window.startMs && startMs < window.stopMs)
    .sort((a, b) => a.startMs - b.startMs);
  const lost: Extent[] = [];
  let at = window.startMs;
  for (const { startMs, stopMs } of [...there, { startMs: window.stopMs, stopMs: window.stopMs }]) {
    if (startMs - at >= LEAST_LOSS_MS) lost.push({ startMs: at, stopMs: startMs });
    at = Math.max(at, stopMs);
  }
  return lost;
}
