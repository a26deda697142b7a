/** Why one sensor's signal is interrupted, within a recording or between two of them. Pure. */
import type { GapReason } from '../../vocabulary/coverage.ts';
import { type Cause, inOrder, makeCause } from './causes.ts';
import { spanOf } from './days.ts';
import { isStored, type WhyFacts, wait } from './facts.ts';
import { earlyCause, openCauses, stoppedCause } from './open-causes.ts';
import { pathCause } from './path-causes.ts';
import { interruptionCauses, markedCauses, reportedOf, sensorWords } from './reported.ts';
import { clip, type TimeSpan } from './spans.ts';

/** An interruption of a signal, within a recording or between recordings. */
export interface Gap extends TimeSpan {
  sensorId: string;
  /** The recording that the gap is in. */
  recordingId?: string;
  /** A recording of the sensor ends where it starts, and another starts where it ends. */
  isBetween: boolean;
  /** As the marks of the recording before it, or of the one that it is in, give it. */
  reason?: GapReason;
}

/** Returns the causes of a gap, the decisive one first; at least one. */
export function whyGap(facts: WhyFacts, gap: Gap): Cause[] {
  const { sensorId, recordingId } = gap;
  if (recordingId !== undefined) {
    const damaged = facts.path.filter((item) => item.recordingId === recordingId && item.fileProblem !== undefined);
    if (damaged.length === 0) return inOrder(interruptionCauses(facts, sensorId, gap));
    return inOrder([...damaged.map((item) => pathCause(facts, item)), ...reportedOf(facts, sensorId, gap)]);
  }
  const stopped = stoppedCause(facts, gap);
  if (stopped) return [stopped];
  const onTheWay = facts.path.filter(
    (item) => item.sensorId === sensorId && !isStored(item) && !item.hasWrongClock && clip(spanOf(item), gap),
  );
  const found = inOrder([
    ...onTheWay.map((item) => pathCause(facts, item)),
    ...reportedOf(facts, sensorId, gap),
    ...markedCauses(facts, sensorId, gap),
  ]);
  if (found.length > 0) return found;
  const early = earlyCause(facts, gap);
  if (early) return [early];
  const evidence = { ...sensorWords(facts, sensorId), atTs: gap.startMs, untilTs: gap.stopMs };
  // Later data has arrived, so no device still holds data of the gap: the sensor did not record.
  if (gap.isBetween) return [makeCause('RECORDING_STOPPED', evidence, wait(facts))];
  const isRegistered = facts.sensors.some(({ id }) => id === sensorId);
  const open = isRegistered ? inOrder(openCauses(facts, gap, new Set([sensorId]))) : [];
  return open.length > 0 ? open : [makeCause('REASON_UNKNOWN', evidence, wait(facts))];
}
