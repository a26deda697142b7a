/** Why one sensor's signal breaks off: within a recording, or between two of them. Pure. */
import { type Cause, inOrder, makeCause } from './causes.ts';
import { spanOf } from './days.ts';
import { isStored, type WhyFacts, wait } from './facts.ts';
import { earlyCause, openCauses, stoppedCause } from './open-causes.ts';
import { pathCause } from './path-causes.ts';
import { interruptionCauses, reportedOf, sensorWords } from './reported.ts';
import { clip, type TimeSpan } from './spans.ts';

/** A break of a signal: the recording it lies in, or what is on its sides. */
export interface Gap extends TimeSpan {
  sensorId: string;
  /** It lies within this recording. */
  recordingId?: string;
  /** A recording of the sensor ends where it starts, and another starts where it ends. */
  isBetween: boolean;
}

/** The causes of a gap in order, the one that settles it first; never none. */
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
  const found = inOrder([...onTheWay.map((item) => pathCause(facts, item)), ...reportedOf(facts, sensorId, gap)]);
  if (found.length > 0) return found;
  const early = earlyCause(facts, gap);
  if (early) return [early];
  const evidence = { ...sensorWords(facts, sensorId), atTs: gap.startMs, untilTs: gap.stopMs };
  // What came after the break was received, so nobody holds anything of it: the sensor did not record.
  if (gap.isBetween) return [makeCause('RECORDING_STOPPED', evidence, wait(facts))];
  const isRegistered = facts.sensors.some(({ id }) => id === sensorId);
  const open = isRegistered ? inOrder(openCauses(facts, gap, new Set([sensorId]))) : [];
  return open.length > 0 ? open : [makeCause('REASON_UNKNOWN', evidence, wait(facts))];
}
