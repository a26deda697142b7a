/** Why one sensor's signal breaks off: within a recording, or between two of them. Pure. */
import { type Cause, inOrder, makeCause } from './causes.ts';
import { spanOf } from './days.ts';
import type { WhyFacts } from './facts.ts';
import { chargerCauses, FAULT_SLACK_MS, faultCauses, sensorWords } from './reported.ts';
import { clip, type TimeSpan } from './spans.ts';
import { isStored, openCauses, pathCause, settledCauses, wait } from './why.ts';

/** A break of a signal: the recording it lies in, or what is on its sides. */
export interface Gap extends TimeSpan {
  sensorId: string;
  /** It lies within this recording. */
  recordingId?: string;
  /** A recording of the sensor ends where it starts, and another starts where it ends. */
  isBetween: boolean;
}

/** A fault explains a break that is about as near to it as it is long. */
const LEAST_SLACK_MS = 60_000;

/** The causes of a gap in order, the one that settles it first; never none. */
export function whyGap(facts: WhyFacts, gap: Gap): Cause[] {
  const only = new Set([gap.sensorId]);
  const evidence = { ...sensorWords(facts, gap.sensorId), atTs: gap.startMs, untilTs: gap.stopMs };
  const slackMs = Math.min(FAULT_SLACK_MS, Math.max(LEAST_SLACK_MS, gap.stopMs - gap.startMs));
  const reported = [...chargerCauses(facts, gap, only), ...faultCauses(facts, gap, only, slackMs)];
  if (gap.recordingId !== undefined) {
    const damaged = facts.path.filter((item) => item.recordingId === gap.recordingId && item.fileProblem !== undefined);
    const found = inOrder([...damaged.map((item) => pathCause(facts, item)), ...reported]);
    return found.length > 0 ? found : [makeCause('SAMPLES_MISSING', evidence, wait(facts))];
  }
  const settled = settledCauses(facts, gap);
  if (settled.length > 0) return settled;
  const onTheWay = facts.path.filter(
    (item) => item.sensorId === gap.sensorId && !isStored(item) && !item.hasWrongClock && clip(spanOf(item), gap),
  );
  const found = inOrder([...onTheWay.map((item) => pathCause(facts, item)), ...reported]);
  if (found.length > 0) return found;
  // What came after the break was received, so nobody holds anything of it: the sensor did not record.
  if (gap.isBetween) return [makeCause('RECORDING_STOPPED', evidence, wait(facts))];
  const isRegistered = facts.sensors.some(({ id }) => id === gap.sensorId);
  const open = isRegistered ? inOrder(openCauses(facts, gap, only)) : [];
  return open.length > 0 ? open : [makeCause('REASON_UNKNOWN', evidence, wait(facts))];
}
