/** Which subject a received recording belongs to, or why it needs a person's decision. No recording is dropped because of its times. */

import { HOUR_MS, MINUTE_MS } from '../durations.ts';
import type { QuarantineCode } from '../vocabulary/docks.ts';

/** Who held a sensor from when to when, epoch ms. */
export interface SensorHolding {
  studyId: string;
  subjectId: string;
  assignedTs: number;
  /** Absent while it is still held. */
  unassignedTs?: number;
}

/** Why data for a study waits for a person. */
export type Closed = 'STUDY_COMPLETE' | 'STUDY_LOCKED';

/** A lock holds what arrives, also what a person accepted before. */
export const HELD = {
  code: 'STUDY_LOCKED',
  message: 'The study is locked. The recording is held, and can be accepted when the study has been unlocked.',
} as const;

const CLOSED = {
  STUDY_COMPLETE: { code: 'STUDY_COMPLETE', message: 'The study was completed before the recording arrived.' },
  STUDY_LOCKED: HELD,
} as const;

export type Destination =
  | { studyId: string; subjectId: string }
  | { code: QuarantineCode; message: string; studyId?: string; subjectId?: string };

/** A sensor whose clock was never set counts from its manufacturer's epoch; no study of this program is older than this. */
const EARLIEST_MS = Date.UTC(2015, 0, 1);
/** A wrong zone moves a clock by at most a day; more in the future is impossible (the bound of the Beiwe platform). */
const MAX_FUTURE_MS = 36 * HOUR_MS;
/** A sensor may be put on before, or keep recording after, its assignment is entered. */
const BOOKING_SLACK_MS = 15 * MINUTE_MS;
/** Clock correction may shift recordings of one sensor by this much into each other. */
export const OVERLAP_SLACK_MS = 2000;

const iso = (ms: number): string => new Date(ms).toISOString();

function overlapMs(holding: SensorHolding, startMs: number, stopMs: number): number {
  return Math.min(stopMs, holding.unassignedTs ?? Infinity) - Math.max(startMs, holding.assignedTs);
}

/** True when a recording that began at `startMs` may be of this holder. */
export function isHolder({ assignedTs, unassignedTs = Infinity }: SensorHolding, startMs: number): boolean {
  return assignedTs - BOOKING_SLACK_MS <= startMs && startMs < unassignedTs + BOOKING_SLACK_MS;
}

/**
 * Decides where a recording belongs, by corrected times (epoch ms).
 * @param recording `statedSubjectId` is the subject that a user recorded it for
 * @param others recordings stored for the same sensor that may share time with it
 */
export function destinationOf(
  recording: { startMs: number; stopMs: number; isOtherSensor: boolean; statedSubjectId?: string | undefined },
  holdings: readonly SensorHolding[],
  others: readonly { id: string; startMs: number; stopMs: number }[],
  nowMs: number,
  closedBy: (studyId: string) => Closed | undefined,
): Destination {
  const { startMs, stopMs } = recording;
  if (startMs < EARLIEST_MS) {
    return {
      code: 'CLOCK_NOT_SET',
      message: `The recording begins at ${iso(startMs)}: the clock of the sensor was not set.`,
    };
  }
  if (stopMs > nowMs + MAX_FUTURE_MS) {
    return { code: 'IN_FUTURE', message: `The recording ends at ${iso(stopMs)}, which is in the future.` };
  }
  const [holder] = holdings
    .filter((holding) => isHolder(holding, startMs))
    .sort((a, b) => overlapMs(b, startMs, stopMs) - overlapMs(a, startMs, stopMs));
  if (!holder) {
    return {
      code: 'NOT_ASSIGNED',
      message: `The sensor was not assigned to anyone when the recording began, ${iso(startMs)}.`,
    };
  }
  const isOtherHolder = (holding: SensorHolding) =>
    holding.subjectId !== holder.subjectId && overlapMs(holding, startMs, stopMs) > BOOKING_SLACK_MS;
  if (holdings.some(isOtherHolder)) {
    return {
      code: 'TWO_SUBJECTS',
      message: `The sensor was reassigned during the recording, between ${iso(startMs)} and ${iso(stopMs)}.`,
    };
  }
  const { statedSubjectId = holder.subjectId } = recording;
  if (statedSubjectId !== holder.subjectId) {
    return {
      code: 'NOT_ASSIGNED',
      message: `The sensor was assigned to another subject when the recording began, ${iso(startMs)}.`,
    };
  }
  const place = { studyId: holder.studyId, subjectId: holder.subjectId };
  if (recording.isOtherSensor) {
    return { code: 'OTHER_SENSOR', message: 'The file and the device that sent it name different sensors.', ...place };
  }
  const other = others.find(
    (stored) => Math.min(stopMs, stored.stopMs) - Math.max(startMs, stored.startMs) > OVERLAP_SLACK_MS,
  );
  if (other) {
    return { code: 'OVERLAP', message: `The recording overlaps another one of the sensor, ${other.id}.`, ...place };
  }
  const closed = closedBy(holder.studyId);
  if (closed) return { ...CLOSED[closed], ...place };
  return place;
}
