/** Matches a gap in the drawn signal to its cause. Pure. */
import type { Cause, SignalGap } from '../../../../src-server/api/contract/index.ts';

/** The first cause of the sensor's gap that overlaps the given span most; undefined while none is known. */
export function causeOfGap(
  gaps: readonly SignalGap[],
  udid: string,
  startMs: number,
  stopMs: number,
): Cause | undefined {
  let best: SignalGap | undefined;
  let longestMs = 0;
  for (const gap of gaps) {
    const overlapMs = Math.min(gap.stopTs, stopMs) - Math.max(gap.startTs, startMs);
    if (gap.udid !== udid || overlapMs <= longestMs) continue;
    best = gap;
    longestMs = overlapMs;
  }
  return best?.causes[0];
}
