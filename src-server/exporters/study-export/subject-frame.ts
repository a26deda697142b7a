/** The times of one subject in an export: as they are, or on the one clock of a de-identified export. */

import type { SubjectRecord } from '../../db/index.ts';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { type DayClock, fixedZone, formatOffset, offsetMsAt, zoneAt } from '../../study/day-windows.ts';
import type { Deidentifier } from './deidentifier.ts';

export interface SubjectFrame {
  subjectId: string;
  /** What local days go by. */
  clock: DayClock;
  /** Added to every instant, ms. */
  shiftMs: number;
  /** Added to every local date, days. */
  shiftDays: number;
}

/** Times as they are. */
export function plainFrame({ id }: Pick<SubjectRecord, 'id'>, zones: DayClock): SubjectFrame {
  return { subjectId: id, clock: zones, shiftMs: 0, shiftDays: 0 };
}

/**
 * Times on one clock without changes: the offset from UTC that was in force when the subject was enrolled, at all times. So
 * every day has 24 hours; a day of 23 or 25 hours would give its date away to everyone who knows where the study was. The
 * local time of that clock is written as UTC, so no offset and no zone is told either.
 */
export function shiftedFrame(
  { id, createdTs }: Pick<SubjectRecord, 'id' | 'createdTs'>,
  zones: DayClock,
  deidentifier: Deidentifier,
): SubjectFrame {
  const exact = offsetMsAt(createdTs, zoneAt(createdTs, zones));
  const offsetMs = Math.round(exact / MINUTE_MS) * MINUTE_MS;
  const weeksMs = deidentifier.shiftMs(id);
  return {
    subjectId: id,
    clock: fixedZone(formatOffset(offsetMs)),
    shiftMs: weeksMs + offsetMs,
    shiftDays: weeksMs / DAY_MS,
  };
}
