/** Overlaps between recordings of a subject, and the spans of a recording without samples. Pure. */
import type { Recording } from '../../../../src-server/api/contract/index.ts';
import type { Extent } from '../view.ts';

/** A shorter overlap happens when one sensor is exchanged for another. */
const MIN_OVERLAP_MS = 10_000;
/** A shorter pause between two recordings is not a gap. */
const MIN_GAP_MS = 1000;

/** Returns the recordings of other sensors that overlap a recording, grouped by sensor. */
export function overlappingRecordings(recording: Recording, all: readonly Recording[]): Recording[][] {
  const others = all.filter(
    ({ udid, recordingStartTs, recordingStopTs }) =>
      udid !== recording.udid &&
      Math.min(recordingStopTs, recording.recordingStopTs) - Math.max(recordingStartTs, recording.recordingStartTs) >
        MIN_OVERLAP_MS,
  );
  return [...Map.groupBy(others, ({ udid }) => udid).values()];
}

/** Returns the spans of `extent` of a second or more that no recording covers. `recordings` ascend by start. */
export function uncoveredSpans(
  recordings: readonly Recording[],
  extent: Extent,
): { startTs: number; stopTs: number }[] {
  const spans: { startTs: number; stopTs: number }[] = [];
  let reachedMs = extent.startMs;
  for (const { recordingStartTs, recordingStopTs } of recordings) {
    if (recordingStartTs - reachedMs > MIN_GAP_MS)
      spans.push({ startTs: reachedMs, stopTs: Math.min(recordingStartTs, extent.stopMs) });
    reachedMs = Math.max(reachedMs, recordingStopTs);
  }
  if (extent.stopMs - reachedMs > MIN_GAP_MS) spans.push({ startTs: reachedMs, stopTs: extent.stopMs });
  return spans;
}

/** Shorter spans without samples are not reported as lost. */
const MIN_LOSS_MS = 1000;

/**
 * Returns the spans of a second or more for which the index of a recording promises samples but the file has none.
 * @param runs samples of the window that have arrived
 * @param excused spans known to have no samples yet: gaps, and segments still being fetched
 */
export function lostSpans(
  runs: readonly { timesMs: Float64Array }[],
  excused: readonly Extent[],
  window: Extent,
): Extent[] {
  const arrived = runs.map(({ timesMs }): Extent => ({ startMs: timesMs[0]!, stopMs: timesMs[timesMs.length - 1]! }));
  const accounted = [...arrived, ...excused]
    .filter(({ startMs, stopMs }) => stopMs > window.startMs && startMs < window.stopMs)
    .sort((a, b) => a.startMs - b.startMs);
  const lost: Extent[] = [];
  let reachedMs = window.startMs;
  for (const { startMs, stopMs } of [...accounted, { startMs: window.stopMs, stopMs: window.stopMs }]) {
    if (startMs - reachedMs >= MIN_LOSS_MS) lost.push({ startMs: reachedMs, stopMs: startMs });
    reachedMs = Math.max(reachedMs, stopMs);
  }
  return lost;
}
