/** Which reason belongs to which break. Pure. */
import type { Cause, SignalGap } from '../../../../src-server/api/contract/index.ts';

/** The first cause of the gap of a sensor that shares most time with a break; undefined while none is known. */
export function causeOfBreak(
  gaps: readonly SignalGap[],
  udid: string,
  startMs: number,
  stopMs: number,
): Cause | undefined {
  let best: SignalGap | undefined;
  let mostMs = 0;
  for (const gap of gaps) {
    const sharedMs = Math.min(gap.stopTs, stopMs) - Math.max(gap.startTs, startMs);
    if (gap.udid !== udid || sharedMs <= mostMs) continue;
    best = gap;
    mostMs = sharedMs;
  }
  return best?.causes[0];
}
